/** The scheduled run: what no delivery has settled is found, finished and reported. Stripe is the network's other end. */
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEvent } from '../../../edge/payments/event.ts';
import { paymentLimits } from '../../../edge/payments/limits.ts';
import { type RecordCredits, recordEvent } from '../../../edge/payments/settle.ts';
import { paymentStore } from '../../../edge/payments/store.ts';
import { creditRecorder } from '../../../edge/portal/credit-recorder.ts';
import { sweepPayments } from '../../../edge/portal/sweep.ts';
import { PACK } from '../../../shared/credits.ts';
import { newId } from '../../../shared/ids.ts';
import { rows } from '../portal/customer.ts';
import { bindings } from '../support/service.ts';
import { checkoutOf, event, paymentIntentOf, paymentServices, refundOf } from './stripe-events.ts';

const PAID = 'checkout.session.completed';
const { deliveryMsMax, pollPageRows, strayKeptMs } = paymentLimits;
const newAccountId = (): string => newId('account', Date.now(), paymentServices.randomBytes);
const newIntent = (): string => `pi_${crypto.randomUUID()}`;
const balanceOf = async (accountId: string): Promise<number> =>
  (await paymentServices.accountOf(accountId).ledger.summary())?.available ?? 0;

const store = paymentStore(bindings.DB);
const unreachable: RecordCredits = async () => {
  throw new Error('the ledger was not reached');
};
const hear = (body: string, recordCredits: RecordCredits = creditRecorder(paymentServices), nowMs = Date.now()) =>
  recordEvent(readEvent(JSON.parse(body) as Stripe.Event, { liveOnly: false }), {
    store,
    recordCredits,
    keepCard: async () => false,
    newPaymentId: () => newId('payment', nowMs, paymentServices.randomBytes),
    nowMs,
  });

type Logged = { readonly level: string; readonly event: string } & Record<string, unknown>;
let logged: Logged[] = [];
/** Stripe's side: its list of events, newest first, and its payment intents. */
let listed: Stripe.Event[] = [];
let intents: Record<string, unknown>[] = [];
let stripeIsDown = false;

const answerOf = (url: URL): Response => {
  const [, , what = '', id] = url.pathname.split('/');
  if (stripeIsDown) return Response.json({ error: { type: 'api_error', message: 'down' } }, { status: 400 });
  if (what === 'payment_intents') {
    const found = intents.find((one) => one['id'] === id);
    const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'No such payment_intent' };
    return found ? Response.json(found) : Response.json({ error }, { status: 404 });
  }
  const [from, to] = ['created[gte]', 'created[lt]'].map((name) => Number(url.searchParams.get(name)));
  const inWindow = listed.filter(({ created }) => created >= from! && created < to!);
  const start = inWindow.findIndex(({ id }) => id === url.searchParams.get('starting_after')) + 1;
  const data = inWindow.slice(start, start + Number(url.searchParams.get('limit')));
  return Response.json({ object: 'list', url: '/v1/events', data, has_more: start + data.length < inWindow.length });
};

/** A run so much later that everything recorded until now is older than a delivery may take. */
const sweepLater = (ms = deliveryMsMax, env: Partial<typeof bindings> = { STRIPE_SECRET_KEY: 'sk_test_of_stripe' }) =>
  sweepPayments({ ...bindings, ...env }, { ...paymentServices, clock: { nowMs: () => Date.now() + ms, after: never } });
const never = (): never => {
  throw new Error('nobody waits here');
};
const errors = (): string[] => logged.filter(({ level }) => level === 'error').map((line) => line.event);

beforeEach(async () => {
  [logged, listed, intents, stripeIsDown] = [[], [], [], false];
  await bindings.DB.exec('delete from stripe_poll');
  const keep = (line: string): void => void logged.push(JSON.parse(line) as Logged);
  vi.spyOn(console, 'error').mockImplementation(keep);
  vi.spyOn(console, 'warn').mockImplementation(keep);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => answerOf(new URL(String(input))));
});
afterEach(() => vi.restoreAllMocks());

describe('a payment that was recorded and not credited', () => {
  it('is credited by the next run, once, without another delivery', async () => {
    const accountId = newAccountId();
    await expect(hear(event(PAID, checkoutOf(accountId, newIntent())), unreachable)).rejects.toThrow();
    await sweepLater(0);
    expect(await balanceOf(accountId)).toBe(0);
    await sweepLater();
    expect(await balanceOf(accountId)).toBe(PACK.credits);
    expect(logged).toMatchObject([{ event: 'payment_credited_late', account_id: accountId }]);
    await sweepLater();
    expect(await balanceOf(accountId)).toBe(PACK.credits);
    expect(logged).toHaveLength(1);
  });

  it('is reported as an error by every run that cannot credit it either, while others are credited', async () => {
    const [refused, other] = [newAccountId(), newAccountId()];
    for (const accountId of [refused, other])
      await expect(hear(event(PAID, checkoutOf(accountId, newIntent())), unreachable)).rejects.toThrow();
    const services = {
      ...paymentServices,
      accountOf: (id: string) => (id === refused ? (null as never) : paymentServices.accountOf(id)),
      clock: { nowMs: () => Date.now() + deliveryMsMax, after: never },
    };
    await sweepPayments(bindings, services);
    expect(errors()).toEqual(['payment_not_credited']);
    expect(logged.find(({ level }) => level === 'error')).toMatchObject({ account_id: refused });
    expect(await balanceOf(other)).toBe(PACK.credits);
    await sweepLater();
    expect(await balanceOf(refused)).toBe(PACK.credits);
  });

  it('is credited although Stripe does not answer, and that is reported', async () => {
    const accountId = newAccountId();
    await expect(hear(event(PAID, checkoutOf(accountId, newIntent())), unreachable)).rejects.toThrow();
    stripeIsDown = true;
    await sweepLater();
    expect(errors()).toContain('payment_redrive_failed');
    expect(await balanceOf(accountId)).toBe(PACK.credits);
  });
});

const asEvent = (body: string): Stripe.Event => JSON.parse(body) as Stripe.Event;

describe('what Stripe lists and no delivery has brought', () => {
  it('is recorded and reported, and what is known is neither', async () => {
    const [missed, known] = [newAccountId(), newAccountId()];
    const paid = newIntent();
    const heard = event(PAID, checkoutOf(known, newIntent()));
    await hear(heard);
    listed = [
      asEvent(event('refund.created', refundOf(paid, `re_${paid}`, 5_000))),
      asEvent(event(PAID, checkoutOf(missed, paid))),
      asEvent(heard),
    ];
    await sweepLater(0);
    expect(await balanceOf(missed)).toBe(0);
    await sweepLater(deliveryMsMax + 2_000);
    expect(await balanceOf(missed)).toBe(PACK.credits - 200);
    expect(await balanceOf(known)).toBe(PACK.credits);
    expect(errors()).toEqual(['stripe_event_missed']);
    await sweepLater(deliveryMsMax + 4_000);
    expect(errors()).toHaveLength(1);
  });

  it('is found behind more pages than one run reads', async () => {
    const accountId = newAccountId();
    const foreign = (): Stripe.Event => asEvent(event('payment_intent.succeeded', { id: newIntent(), metadata: {} }));
    listed = Array.from({ length: pollPageRows * 2 + 50 }, foreign);
    listed.push(asEvent(event(PAID, checkoutOf(accountId, newIntent()))));
    await sweepLater(deliveryMsMax + 2_000);
    expect(await balanceOf(accountId)).toBe(0);
    await sweepLater(deliveryMsMax + 2_000);
    expect(await balanceOf(accountId)).toBe(PACK.credits);
  });

  it('adds nothing in production where it is of Stripe’s test mode', async () => {
    const accountId = newAccountId();
    listed = [asEvent(event(PAID, checkoutOf(accountId, newIntent())))];
    const production = {
      ENVIRONMENT: 'production',
      PUBLIC_BASE_URL: 'https://packshot.example',
      AUTH_SECRET: 'a-secret-of-production-0123456789abcdef',
      STRIPE_WEBHOOK_SECRET: 'whsec_of_production_0123456789abcdef',
      STRIPE_SECRET_KEY: 'sk_live_of_stripe',
      MAIL_API_URL: 'https://mail.example',
      MAIL_API_KEY: 'key',
      MAIL_FROM: 'packshot@example.com',
    };
    await sweepLater(deliveryMsMax + 2_000, production);
    expect(await balanceOf(accountId)).toBe(0);
    expect(errors()).toEqual([]);
  });
});

const reversalsOf = (intent: string) => rows('select id from payment_reversals where payment_intent = ?', intent);

describe('a refund without a payment', () => {
  it('leads to the payment that every delivery has missed', async () => {
    const accountId = newAccountId();
    const paid = newIntent();
    intents = [paymentIntentOf(accountId, paid)];
    expect(await hear(event('refund.created', refundOf(paid, `re_${paid}`, 5_000)))).toBe('payment_unknown');
    await sweepLater();
    expect(await balanceOf(accountId)).toBe(PACK.credits - 200);
    expect(errors()).toEqual(['stripe_event_missed']);
  });

  it('leaves no row where Stripe says that it is another product’s, or does not know it', async () => {
    const [foreign, unknown] = [newIntent(), newIntent()];
    intents = [{ ...paymentIntentOf('acc_1', foreign), metadata: { service: 'another' } }];
    for (const intent of [foreign, unknown])
      await hear(event('refund.created', refundOf(intent, `re_${intent}`, 5_000)));
    await sweepLater(0);
    expect(await reversalsOf(foreign)).toHaveLength(1);
    await sweepLater();
    expect(await reversalsOf(foreign)).toEqual([]);
    expect(await reversalsOf(unknown)).toEqual([]);
    expect(errors()).toEqual([]);
  });

  it('is kept without a Stripe key as long as Stripe could still send its payment, and no longer', async () => {
    const intent = newIntent();
    await hear(event('refund.created', refundOf(intent, `re_${intent}`, 5_000)));
    await sweepLater(strayKeptMs - 60_000, {});
    expect(await reversalsOf(intent)).toHaveLength(1);
    await sweepLater(strayKeptMs + 60_000, {});
    expect(await reversalsOf(intent)).toEqual([]);
  });
});

describe('a plan made from facts that have changed since', () => {
  it('is not written, and the credits follow from all facts', async () => {
    const accountId = newAccountId();
    const paid = newIntent();
    await hear(event(PAID, checkoutOf(accountId, paid)));
    const seen = await store.snapshot(paid);
    const meaning = readEvent(asEvent(event('refund.created', refundOf(paid, `re_${paid}`, 5_000))), {
      liveOnly: false,
    });
    if (!seen || meaning.kind !== 'reversed') throw new Error('the payment and its refund are known');
    await store.addReversal(meaning.reversal, Date.now());
    const outdated = { kind: 'refund_failed', reversalId: 're_x', cents: 0, credits: 500, madeAt: 1 } as const;
    await store.addMovement(seen, 'outdated', outdated);
    expect((await store.snapshot(paid))?.movements).toHaveLength(1);
    await store.clearPending(seen);
    await sweepLater();
    expect(await balanceOf(accountId)).toBe(PACK.credits - 200);
  });
});

describe('payments and the ledger', () => {
  it('are compared in silence where they agree', async () => {
    const accountId = newAccountId();
    const paid = newIntent();
    await hear(event(PAID, checkoutOf(accountId, paid)));
    await hear(event('refund.created', refundOf(paid, `re_${paid}`, 5_000)));
    await sweepLater();
    expect(logged).toEqual([]);
    expect(await rows('select id from payments where compared_at is null')).toEqual([]);
  });

  it('are reported where a credited payment is not in the ledger, or a purchase in the ledger has no payment', async () => {
    const [forgotten, invented] = [newAccountId(), newAccountId()];
    await hear(event(PAID, checkoutOf(forgotten, newIntent())), async () => undefined);
    await hear(event(PAID, checkoutOf(invented, newIntent())));
    const grant = { id: 'by-hand', credits: 50, reason: 'purchase', reference: 'pay_nobody' } as const;
    await paymentServices.accountOf(invented).ledger.grant(grant);
    await sweepLater();
    expect(errors().sort()).toEqual(['grant_without_payment', 'payment_ledger_mismatch']);
    expect(logged.find((line) => line.event === 'payment_ledger_mismatch')).toMatchObject({
      account_id: forgotten,
      credits_paid: PACK.credits,
      credits_in_ledger: 0,
    });
  });
});
