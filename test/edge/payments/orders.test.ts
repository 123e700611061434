/** The end depends on the set of events alone: every order, duplicates, two at once, and crashes between the steps. */
import fc from 'fast-check';
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type PaymentEvent, readEvent } from '../../../edge/payments/event.ts';
import { paymentLimits } from '../../../edge/payments/limits.ts';
import { redrivePayments } from '../../../edge/payments/redrive.ts';
import { redriveStore } from '../../../edge/payments/redrive-store.ts';
import { type RecordCredits, recordEvent } from '../../../edge/payments/settle.ts';
import { paymentStore } from '../../../edge/payments/store.ts';
import { type Movement, nextMovement, type Payment, type Reversal } from '../../../edge/payments/target.ts';
import { creditRecorder } from '../../../edge/portal/credit-recorder.ts';
import { PACK } from '../../../shared/credits.ts';
import { newId } from '../../../shared/ids.ts';
import { bindings, entriesOf } from '../support/service.ts';
import { checkoutOf, disputeOf, event, paymentIntentOf, paymentServices, refundOf } from './stripe-events.ts';

const REFUND_CENTS = 8_333;
const SECOND_REFUND_CENTS = 5_004;
const DISPUTE_CENTS = 10_000;
/** Of the real database and ledger; some 0.6 s each. */
const RUNS = 60;

/** Everything that Stripe may say of one payment with two refunds and a dispute, by a name for the oracle. */
const eventsOf = (accountId: string, intent: string): Record<string, string> => {
  const refund = (status: string): Record<string, unknown> => refundOf(intent, `re_1_${intent}`, REFUND_CENTS, status);
  const dispute = (...amounts: number[]): Record<string, unknown> => ({
    ...disputeOf(intent, `dp_${intent}`, DISPUTE_CENTS),
    balance_transactions: amounts.map((amount) => ({ amount, currency: 'usd' })),
  });
  return {
    checkout_completed: event('checkout.session.completed', checkoutOf(accountId, intent)),
    payment_succeeded: event('payment_intent.succeeded', paymentIntentOf(accountId, intent)),
    refund_created: event('refund.created', refund('pending')),
    refund_succeeded: event('refund.updated', refund('succeeded')),
    refund_failed: event('refund.failed', refund('failed')),
    dispute_created: event('charge.dispute.created', dispute()),
    funds_withdrawn: event('charge.dispute.funds_withdrawn', dispute(-DISPUTE_CENTS)),
    funds_reinstated: event('charge.dispute.funds_reinstated', dispute(-DISPUTE_CENTS, DISPUTE_CENTS)),
    async_payment_succeeded: event('checkout.session.async_payment_succeeded', checkoutOf(accountId, intent)),
    second_refund: event('refund.created', refundOf(intent, `re_2_${intent}`, SECOND_REFUND_CENTS)),
  };
};
const EXHAUSTED = [
  'checkout_completed',
  'payment_succeeded',
  'refund_created',
  'refund_succeeded',
  'refund_failed',
  'dispute_created',
  'funds_withdrawn',
  'funds_reinstated',
] as const;

/** What the customer should have, by the set alone. */
const expected = (heard: ReadonlySet<string>): number => {
  if (!['checkout_completed', 'payment_succeeded', 'async_payment_succeeded'].some((name) => heard.has(name))) return 0;
  const refunded = heard.has('refund_succeeded') && !heard.has('refund_failed') ? REFUND_CENTS : 0;
  const disputed = heard.has('funds_withdrawn') && !heard.has('funds_reinstated') ? DISPUTE_CENTS : 0;
  const second = heard.has('second_refund') ? SECOND_REFUND_CENTS : 0;
  return PACK.credits - Math.round((PACK.credits * (refunded + disputed + second)) / PACK.usdCents);
};

const meaningOf = (body: string): PaymentEvent => readEvent(JSON.parse(body) as Stripe.Event, { liveOnly: false });

type Known = {
  readonly payment: Payment | undefined;
  readonly reversals: readonly Reversal[];
  readonly movements: readonly Movement[];
};

/** One delivery without a database: learn the fact, then plan what is missing. */
const heardOf = (known: Known, meaning: PaymentEvent): Known => {
  let { payment, reversals, movements } = known;
  if (meaning.kind === 'paid') payment ??= { ...meaning, id: 'pay', paidAt: meaning.atMs };
  if (meaning.kind === 'reversed') {
    const { reversal } = meaning;
    const before = reversals.find(({ id }) => id === reversal.id) ?? reversal;
    const joined = {
      ...reversal,
      takenCents: Math.max(before.takenCents, reversal.takenCents),
      returnedCents: Math.max(before.returnedCents, reversal.returnedCents),
    };
    reversals = [...reversals.filter(({ id }) => id !== reversal.id), joined];
  }
  for (let next = payment && nextMovement({ payment, reversals }, movements); payment && next; ) {
    movements = [...movements, next];
    next = nextMovement({ payment, reversals }, movements);
  }
  return { payment, reversals, movements };
};

describe('events of one payment', () => {
  it('leave the same credits in every order of every selection of them', () => {
    const all = eventsOf('acc_1', 'pi_1');
    const meanings = EXHAUSTED.map((name) => ({ name, meaning: meaningOf(all[name] ?? '') }));
    let orders = 0;
    const walk = (known: Known, heard: ReadonlySet<string>): void => {
      orders++;
      const credits = known.movements.reduce((sum, movement) => sum + movement.credits, 0);
      if (credits !== expected(heard)) expect(credits, [...heard].join(' → ')).toBe(expected(heard));
      for (const { name, meaning } of meanings)
        if (!heard.has(name)) walk(heardOf(known, meaning), new Set([...heard, name]));
    };
    walk({ payment: undefined, reversals: [], movements: [] }, new Set());
    console.log(`payments: ${orders} orders of every selection of ${EXHAUSTED.length} events`);
    expect(orders).toBe(109_601);
  });
});

const store = paymentStore(bindings.DB);
const ledgerAnswers = ['ok', 'never_arrives', 'answer_is_lost'] as const;
const deliveries = fc.array(
  fc.record({ which: fc.nat(9), ledger: fc.constantFrom(...ledgerAnswers), at_once: fc.boolean() }),
  { minLength: 4, maxLength: 16 },
);

/** The real ledger behind a network that loses a command, or its answer. */
const recorderThat = (answers: (typeof ledgerAnswers)[number]): RecordCredits => {
  const record = creditRecorder(paymentServices);
  return async (accountId, movement) => {
    if (answers === 'never_arrives') throw new Error('the ledger was not reached');
    await record(accountId, movement);
    if (answers === 'answer_is_lost') throw new Error('the answer of the ledger was lost');
  };
};
const keepCard = async (): Promise<boolean> => false;
const newPaymentId = (): string => newId('payment', Date.now(), paymentServices.randomBytes);

const redrive = (nowMs: number): Promise<void> =>
  redrivePayments({
    store,
    redrive: redriveStore(bindings.DB),
    ledgerOf: (accountId: string) => paymentServices.accountOf(accountId).ledger,
    recordCredits: recorderThat('ok'),
    stripe: null,
    liveOnly: false,
    keepCard,
    newPaymentId,
    nowMs,
    log: () => undefined,
  });

describe('deliveries to the database and the ledger', () => {
  it('end at the same balance in any order, with duplicates, two at once, and a ledger that loses commands and answers', async () => {
    let orders = 0;
    let delivered = 0;
    let crashed = 0;
    const property = fc.asyncProperty(deliveries, async (plan) => {
      const accountId = newId('account', Date.now(), paymentServices.randomBytes);
      const intent = `pi_${crypto.randomUUID()}`;
      const all = Object.entries(eventsOf(accountId, intent));
      const heard = new Set<string>();
      let running: Promise<unknown>[] = [];
      for (const { which, ledger, at_once } of plan) {
        const [name = '', body = ''] = all[which] ?? [];
        heard.add(name);
        const recordCredits = recorderThat(ledger);
        const delivery = recordEvent(meaningOf(body), {
          store,
          recordCredits,
          keepCard,
          newPaymentId,
          nowMs: Date.now(),
        });
        running.push(delivery.catch(() => void crashed++));
        delivered++;
        if (at_once) continue;
        await Promise.all(running);
        running = [];
      }
      await Promise.all(running);
      await redrive(Date.now() + paymentLimits.deliveryMsMax);
      const summary = await paymentServices.accountOf(accountId).ledger.summary();
      expect(summary?.available ?? 0).toBe(expected(heard));
      const snapshot = await store.snapshot(intent);
      const entries = summary ? await entriesOf({ accountId }) : [];
      expect(entries.filter(({ kind }) => kind === 'grant')).toHaveLength(snapshot ? 1 : 0);
      expect(await redriveStore(bindings.DB).pending(Number.MAX_SAFE_INTEGER)).toEqual([]);
      orders++;
    });
    await fc.assert(property, { numRuns: RUNS });
    console.log(`payments: ${orders} orders of ${delivered} deliveries, ${crashed} of which broke off`);
    expect(crashed).toBeGreaterThan(orders / 4);
  }, 180_000);
});
