/** Automatic top-up as its owner meets it: a card, consent, what is shown and mailed; in local mode and at Stripe. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { stripeCardCheckout, stripeCardReader } from '../../../edge/payments/card.ts';
import { invoiceOf } from '../../../edge/payments/invoice.ts';
import { stripeCards } from '../../../edge/payments/top-up.ts';
import { sweepPayments } from '../../../edge/portal/sweep.ts';
import type { AuditPage, AutomaticTopUp } from '../../../shared/portal-api.ts';
import { deliver, event, paymentServices, refundOf } from '../payments/stripe-events.ts';
import { accountStub, bindings } from '../support/service.ts';
import { accountIdOf, answerOf, balanceOf, type Customer, mailsTo, PASSWORD, registered } from './customer.ts';

afterEach(() => vi.restoreAllMocks());

const TERMS = { enabled: true, level: 20, credits: 40, monthly_limit_usd: 30, accepts_terms: true };
/** For the card that is saved. */
const termsFor = async (customer: Customer): Promise<object> => ({
  ...TERMS,
  card_id: (await show(customer)).card?.id ?? 'none',
});
const show = (customer: Customer): Promise<AutomaticTopUp> => answerOf(customer.call('GET', '/top-up'));
const saveCard = async (customer: Customer, card: 'works' | 'declined'): Promise<void> => {
  const { url } = await answerOf<{ url: string }>(
    customer.call('POST', '/top-up/card', { attempt_id: crypto.randomUUID() }),
  );
  const id = new URL(url, 'https://any.example').searchParams.get('id');
  expect(await answerOf(customer.call('GET', `/local/checkouts/${id}`))).toMatchObject({ purpose: 'card' });
  expect((await customer.call('POST', `/local/checkouts/${id}/pay`, {})).status).toBe(404);
  expect((await customer.call('POST', `/local/checkouts/${id}/save-card`, { card })).status).toBe(200);
};
/** All that the alarm has to do, whether or not it has begun by itself. */
const settleDown = async (customer: Customer): Promise<void> => {
  const accountId = await accountIdOf(customer);
  await vi.waitFor(async () => {
    await runInDurableObject(accountStub(accountId), (object) => object.alarm());
    const open = await runInDurableObject(accountStub(accountId), (_object, { storage }) =>
      storage.sql
        .exec(
          'select 1 from topUp where endedAtMs is null union all select 1 from topUpNotice where dueAtMs is not null',
        )
        .toArray(),
    );
    expect(open).toEqual([]);
  });
};
const subjects = async (customer: Customer): Promise<string[]> =>
  (await mailsTo(customer)).map(({ subject }) => subject).filter((subject) => subject.startsWith('Automatic'));

describe('in local mode', () => {
  it('a card that works is charged by the same signed event, told, and on the receipts as a test', async () => {
    const customer = await registered();
    expect(await show(customer)).toMatchObject({ enabled: false, card: null, level: null, top_ups: [] });
    await saveCard(customer, 'works');
    expect(await show(customer)).toMatchObject({ card: { brand: 'visa', last4: '4242' }, enabled: false });
    expect((await customer.call('POST', '/top-up', await termsFor(customer))).status).toBe(200);
    await settleDown(customer);
    expect(await balanceOf(customer)).toBe(40);
    const shown = await show(customer);
    expect(shown).toMatchObject({ enabled: true, month_usd: '$10.00', top_ups: [{ state: 'succeeded' }] });
    const receipt = await customer.call('GET', `/payments/${shown.top_ups[0]?.payment_id}`);
    expect(await receipt.json()).toMatchObject({ mode: 'test', credits: 40, amount_usd: '$10.00' });
    expect(await subjects(customer)).toEqual(['Automatic top-up: 40 credits ($10.00)']);
    const { rows } = await answerOf<AuditPage>(customer.call('GET', '/audit'));
    expect(rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['money.card_saved', 'money.top_up_on', 'money.test_purchase']),
    );
  });

  it('a card that is declined pauses, with one mail that says what to do', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const customer = await registered();
    await saveCard(customer, 'declined');
    await customer.call('POST', '/top-up', await termsFor(customer));
    await settleDown(customer);
    expect(await balanceOf(customer)).toBe(0);
    expect(await show(customer)).toMatchObject({ pause: 'card_declined', month_usd: '$0.00' });
    const [mail, ...more] = (await mailsTo(customer)).filter(({ subject }) => subject.startsWith('Automatic'));
    expect(more).toEqual([]);
    expect(mail?.body).toContain('/billing');
    const { rows } = await answerOf<AuditPage>(customer.call('GET', '/audit'));
    expect(rows).toContainEqual(expect.objectContaining({ action: 'money.top_up_paused', detail: 'card_declined' }));
  });

  it('is switched on with a card, consent and a limit that holds a pack, and by its owner alone', async () => {
    const customer = await registered();
    expect((await customer.call('POST', '/top-up', await termsFor(customer))).status).toBe(409);
    await saveCard(customer, 'works');
    for (const wrong of [
      { accepts_terms: false },
      { credits: 41 },
      { monthly_limit_usd: 9 },
      { monthly_limit_usd: 10_001 },
      { level: -1 },
      { level: 1.5 },
      { more: 1 },
    ])
      expect(
        (await customer.call('POST', '/top-up', { ...(await termsFor(customer)), ...wrong })).status,
        JSON.stringify(wrong),
      ).toBe(400);
    const before = await termsFor(customer);
    await saveCard(customer, 'declined');
    expect(await answerOf(customer.call('POST', '/top-up', before))).toMatchObject({ code: 'card_changed' });
    expect((await show(customer)).enabled).toBe(false);
    expect(await show(await registered())).toMatchObject({ card: null });
    expect((await customer.call('POST', '/top-up/card/remove', {})).status).toBe(200);
    expect(await show(customer)).toMatchObject({ card: null, enabled: false });
  });

  it('is changed so often in an hour, the same terms again are no change, and off it goes always', async () => {
    const customer = await registered();
    await saveCard(customer, 'works');
    const terms = { ...(await termsFor(customer)), level: 0 };
    const answers: number[] = [];
    for (let i = 0; i <= edgeLimits.portal.topUpChanges.max; i++)
      answers.push((await customer.call('POST', '/top-up', terms)).status);
    expect(answers).toEqual([...Array.from({ length: edgeLimits.portal.topUpChanges.max }, () => 200), 429]);
    expect((await customer.call('POST', '/top-up', { enabled: false })).status).toBe(200);
    const { rows } = await answerOf<AuditPage>(customer.call('GET', '/audit'));
    const said = rows.map(({ action }) => action).filter((action) => action.startsWith('money.top_up_o'));
    expect(said).toEqual(['money.top_up_off', 'money.top_up_on']);
  });

  it('a card that was saved just before a crash is in the audit log once its event comes again', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const { url } = await answerOf<{ url: string }>(
      customer.call('POST', '/top-up/card', { attempt_id: crypto.randomUUID() }),
    );
    const id = new URL(url, 'https://any.example').searchParams.get('id');
    const card = { customer: `cus_test_${id}`, brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 };
    const saved = { ...card, paymentMethod: `pm_test_works_${id}` };
    expect(await paymentServices.accountOf(accountId).topUps.saveCard(saved, Date.now())).toBe('saved');
    for (let i = 0; i < 2; i++)
      expect((await customer.call('POST', `/local/checkouts/${id}/save-card`, { card: 'works' })).status).toBe(200);
    const { rows } = await answerOf<AuditPage>(customer.call('GET', '/audit'));
    expect(rows.filter(({ action }) => action === 'money.card_saved')).toHaveLength(1);
  });

  it('ends with the account', async () => {
    const customer = await registered();
    await saveCard(customer, 'works');
    const accountId = await accountIdOf(customer);
    const answer = await customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 });
    expect(answer.status).toBe(200);
    const view = await paymentServices.accountOf(accountId).topUps.topUp();
    expect(view).toMatchObject({ card: null, isOn: false });
  });
});

type Asked = { readonly path: string; readonly body: URLSearchParams; readonly key: string | null };
const stripeAnswers = (answers: Readonly<Record<string, unknown>>): Asked[] => {
  const asked: Asked[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const { pathname } = new URL(String(input));
    const key = new Headers(init?.headers as HeadersInit).get('idempotency-key');
    asked.push({ path: pathname, body: new URLSearchParams(String(init?.body ?? '')), key });
    const answer = answers[pathname];
    if (answer instanceof Response) return answer.clone();
    return answer === undefined
      ? Response.json({ error: { type: 'invalid_request_error', code: 'resource_missing' } }, { status: 404 })
      : Response.json(answer);
  });
  return asked;
};

describe('at Stripe', () => {
  it('a card is entered in a checkout that charges nothing, with consent, for later charges', async () => {
    const asked = stripeAnswers({ '/v1/checkout/sessions': { id: 'cs_1', url: 'https://checkout.stripe.com/c/cs_1' } });
    const open = stripeCardCheckout('sk_live_x', 'https://packshot.example', 'acc_1:attempt');
    expect(await open({ accountId: 'acc_1', email: 'ada@example.com' })).toEqual({
      url: 'https://checkout.stripe.com/c/cs_1',
    });
    expect(asked[0]?.key).toBe('acc_1:attempt:card');
    expect(Object.fromEntries(asked[0]?.body ?? [])).toMatchObject({
      mode: 'setup',
      currency: 'usd',
      customer_creation: 'always',
      billing_address_collection: 'required',
      'metadata[service]': 'packshot',
      'metadata[account_id]': 'acc_1',
      success_url: 'https://packshot.example/billing?card=saved',
    });
  });

  it('a card’s address goes to the customer at Stripe, and its last digits to us', async () => {
    const asked = stripeAnswers({
      '/v1/setup_intents/seti_1': {
        status: 'succeeded',
        payment_method: {
          id: 'pm_1',
          card: { brand: 'visa', last4: '4242', exp_month: 5, exp_year: 2031 },
          billing_details: { name: 'Ada', email: null, address: { country: 'DE', city: 'Ulm', line1: null } },
        },
      },
      '/v1/customers/cus_1': { id: 'cus_1' },
    });
    const entered = {
      kind: 'card_entered',
      accountId: 'acc_1',
      setupIntent: 'seti_1',
      customer: 'cus_1',
      atMs: 1,
    } as const;
    expect(await stripeCardReader('sk_live_x')(entered)).toEqual({
      customer: 'cus_1',
      paymentMethod: 'pm_1',
      brand: 'visa',
      last4: '4242',
      expMonth: 5,
      expYear: 2031,
    });
    expect(String(asked[1]?.body)).toBe(
      'name=Ada&address[country]=DE&address[city]=Ulm'.replaceAll('[', '%5B').replaceAll(']', '%5D'),
    );
    expect(await stripeCardReader('sk_live_x')({ ...entered, setupIntent: 'seti_gone' })).toBeUndefined();
  });

  it('the invoice is one that Stripe collects never by itself, with its tax and one key for each step', async () => {
    const asked = stripeAnswers({ '/v1/invoices': { id: 'in_1' } });
    const charge = {
      id: 'topup_1',
      accountId: 'acc_1',
      credits: 40,
      usdCents: 1_000,
      customer: 'cus_1',
      paymentMethod: 'pm_1',
    };
    await stripeCards({ secretKey: 'sk_live_x', automaticTax: true }).open(charge);
    expect(asked[0]?.key).toBe('topup_1:invoice');
    expect(Object.fromEntries(asked[0]?.body ?? [])).toMatchObject({
      auto_advance: 'false',
      'automatic_tax[enabled]': 'true',
      collection_method: 'charge_automatically',
      pending_invoice_items_behavior: 'exclude',
      'metadata[account_id]': 'acc_1',
      'metadata[top_up_id]': 'topup_1',
      'payment_settings[payment_method_types][0]': 'card',
      discounts: '',
    });
  });

  it('a card that Stripe refuses to tell of holds up nobody’s payment, and one whose customer is gone is no card', async () => {
    const logged: string[] = [];
    for (const level of ['error', 'warn'] as const)
      vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)));
    const [refused, paying] = [await registered(), await registered()];
    const ours = { service: 'packshot', account_id: await accountIdOf(refused) };
    const setup = (id: string) =>
      event('checkout.session.completed', {
        id: `cs_${id}`,
        object: 'checkout.session',
        mode: 'setup',
        status: 'complete',
        setup_intent: `seti_${id}`,
        customer: `cus_${id}`,
        metadata: ours,
      });
    const paymentIntent = `pi_${crypto.randomUUID()}`;
    const metadata = { service: 'packshot', account_id: await accountIdOf(paying), pack_credits: '40' };
    const invoice = { object: 'invoice', status: 'paid', subtotal: 1_000, amount_paid: 1_000, currency: 'usd' };
    const paid = event('invoice.paid', {
      id: 'in_1',
      customer_email: null,
      ...invoice,
      metadata: { ...metadata, payment_intent: paymentIntent },
    });
    const events = [setup('refused'), setup('gone'), paid].map((body) => JSON.parse(body) as unknown);
    stripeAnswers({
      '/v1/events': { object: 'list', data: events, has_more: false },
      '/v1/setup_intents/seti_refused': Response.json(
        { error: { type: 'invalid_request_error', message: 'not with this key' } },
        { status: 403 },
      ),
      '/v1/setup_intents/seti_gone': {
        status: 'succeeded',
        payment_method: {
          id: 'pm_gone',
          card: { brand: 'visa', last4: '4242', exp_month: 5, exp_year: 2031 },
          billing_details: { name: 'Ada', email: null, address: null },
        },
      },
    });
    const nowMs = (): number => Date.now() + 16 * 60_000;
    const services = { ...paymentServices, clock: { ...paymentServices.clock, nowMs } };
    await sweepPayments({ ...bindings, STRIPE_SECRET_KEY: 'sk_test_of_stripe' }, services);
    vi.restoreAllMocks();
    expect(await balanceOf(paying)).toBe(40);
    expect((await show(refused)).card).toBeNull();
    expect(logged.filter((line) => line.includes('card_not_saved'))).toHaveLength(1);
  });

  it('the invoice of a receipt is found by its payment, and is nobody else’s', async () => {
    const invoice = { hosted_invoice_url: 'https://invoice.stripe.com/i/1', invoice_pdf: null };
    const paid = (accountId: string) => ({
      '/v1/checkout/sessions': { object: 'list', data: [] },
      '/v1/invoice_payments': {
        object: 'list',
        data: [{ invoice: { ...invoice, metadata: { service: 'packshot', account_id: accountId } } }],
      },
    });
    stripeAnswers(paid('acc_1'));
    const payment = { paymentIntent: 'pi_1', accountId: 'acc_1' };
    expect(await invoiceOf('sk_live_x', payment)).toEqual({ page: 'https://invoice.stripe.com/i/1', pdf: null });
    vi.restoreAllMocks();
    stripeAnswers(paid('acc_2'));
    expect(await invoiceOf('sk_live_x', payment)).toBeUndefined();
  });

  it('a refund whose top-up no delivery brought leads to its invoice, and to its credits once', async () => {
    for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const paymentIntent = `pi_${crypto.randomUUID()}`;
    await deliver(event('refund.created', refundOf(paymentIntent, `re_${paymentIntent}`, 500)));
    const metadata = { service: 'packshot', account_id: accountId, pack_credits: '40', payment_intent: paymentIntent };
    const told = { object: 'invoice', status: 'paid', subtotal: 1_000, amount_paid: 1_000, currency: 'usd', metadata };
    stripeAnswers({
      '/v1/events': { object: 'list', data: [], has_more: false },
      [`/v1/payment_intents/${paymentIntent}`]: { id: paymentIntent, status: 'succeeded', created: 1, metadata: {} },
      '/v1/invoice_payments': { object: 'list', data: [{ invoice: { id: 'in_1', ...told } }] },
    });
    const nowMs = (): number => Date.now() + 16 * 60_000;
    const services = { ...paymentServices, clock: { ...paymentServices.clock, nowMs } };
    await sweepPayments({ ...bindings, STRIPE_SECRET_KEY: 'sk_test_of_stripe' }, services);
    vi.restoreAllMocks();
    expect(await balanceOf(customer)).toBe(20);
    await deliver(event('invoice.paid', { id: 'in_1', customer_email: null, ...told }));
    expect(await balanceOf(customer)).toBe(20);
  });
});
