/** One top-up is one charge, whatever happens at once or fails on the way; credits come by the signed event alone. */
import { evictDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliver, event } from '../../payments/stripe-events.ts';
import { type StandIn, stripeStandIn } from '../../payments/stripe-stand-in.ts';
import { accountOf, accountStub, audited } from '../../support/service.ts';
import { availableOf, DAY, deliverPaid, fire, hold, newOwner, states, switchOn, takeOver, viewOf } from './owner.ts';

let stripe: StandIn;
let logged: string[];
beforeEach(() => {
  logged = [];
  for (const level of ['error', 'warn', 'log'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)));
  stripe = stripeStandIn();
});
afterEach(() => vi.restoreAllMocks());

const HOUR = 3_600_000;
const THREE = 3;
/** Every alarm of two days that has a reason, with the events that Stripe sends. */
const twoDays = async (of: Parameters<typeof fire>[0]): Promise<void> => {
  for (let laterMs = 0; laterMs < 2 * DAY; laterMs += 2 * HOUR) await fire(of, laterMs);
};

describe('a level', () => {
  it('is reached by 50 movements at once and bought for once, before and after its credits are there', async () => {
    const of = await newOwner(stripe, 80);
    await switchOn(of);
    await Promise.all(Array.from({ length: 50 }, () => hold(of, 1)));
    expect(await states(of)).toEqual(['due']);
    await Promise.all([fire(of), fire(of), fire(of)]);
    await Promise.all(Array.from({ length: 10 }, () => hold(of, 1)));
    expect(await states(of)).toEqual(['paid']);
    expect(await availableOf(of)).toBe(20);
    await deliverPaid(stripe, THREE);
    expect(await states(of)).toEqual(['succeeded']);
    expect(await availableOf(of)).toBe(60);
    expect(stripe.charges).toEqual([{ invoice: expect.any(String), paymentMethod: of.card, cents: 1_000 }]);
    await audited(of);
  });

  it('is not reached by one credit more, is reached at the very credit, and by being set', async () => {
    const of = await newOwner(stripe, 52);
    await switchOn(of);
    await hold(of, 1);
    expect(await states(of)).toEqual([]);
    await hold(of, 1);
    expect(await states(of)).toEqual(['due']);
    const later = await newOwner(stripe, 50);
    expect(await states(later)).toEqual([]);
    await switchOn(later);
    expect(await states(later)).toEqual(['due']);
  });

  it('that one pack does not lift the balance above is bought for again, after the first one’s credits are there', async () => {
    const of = await newOwner(stripe, 60);
    await switchOn(of);
    await hold(of, 60);
    for (let round = 0; round < THREE; round++) {
      await fire(of);
      await deliverPaid(stripe, 2);
    }
    expect(await availableOf(of)).toBe(80);
    expect(await states(of)).toEqual(['succeeded', 'succeeded']);
    expect(stripe.charges).toHaveLength(2);
  });

  it('is nothing to an account that did not switch it on', async () => {
    const of = await newOwner(stripe, 10);
    await hold(of, 10);
    await fire(of);
    expect(stripe.calls).toEqual([]);
    expect(await viewOf(of)).toMatchObject({ isOn: false, last: [] });
  });
});

describe('an answer that never came', () => {
  it.each(['create', 'item', 'finalize', 'mark', 'pay'])('to %s costs one charge all the same', async (call) => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.fail(call, 'lost');
    await fire(of);
    expect(await states(of)).toEqual(['asked']);
    await evictDurableObject(accountStub(of.accountId));
    await takeOver(of);
    await fire(of, 2 * HOUR);
    await deliverPaid(stripe);
    await twoDays(of);
    expect(stripe.charges).toHaveLength(1);
    expect([...stripe.invoices.values()].filter(({ status }) => status === 'open')).toEqual([]);
    expect(await availableOf(of)).toBe(50);
    expect(await states(of)).toEqual(['succeeded']);
  });

  it('to the charge is known from the event alone', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.fail('pay', 'lost');
    await fire(of);
    await deliverPaid(stripe);
    expect(await states(of)).toEqual(['succeeded']);
    await twoDays(of);
    expect(stripe.charges).toHaveLength(1);
  });

  it('for longer than Stripe knows its keys charges nobody twice, and nobody for two packs', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.fail('item', 'lost');
    await fire(of);
    stripe.forgetKeys();
    await fire(of, 30 * HOUR);
    // The line was made twice: the invoice is of twice the price, so it is closed instead of paid.
    expect(stripe.charges).toEqual([]);
    expect([...stripe.invoices.values()].map(({ status }) => status)).toEqual(['void']);
    expect(await viewOf(of)).toMatchObject({ pause: 'not_possible' });

    const other = await newOwner(stripe, 10);
    await switchOn(other, { level: 15 });
    stripe.fail('pay', 'lost');
    await fire(other);
    stripe.forgetKeys();
    await fire(other, 30 * HOUR);
    expect(stripe.charges).toHaveLength(1);
    expect(await states(other)).toEqual(['paid']);
  });

  it('because Stripe fails and says so each time ends as not charged, and is begun anew an hour later', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    // Not done, and its key replays the failure.
    stripe.fail('create', 'broken');
    for (let hour = 0; hour < 8; hour++) await fire(of, hour * HOUR);
    expect((await states(of))[0]).toBe('failed');
    await deliverPaid(stripe);
    expect(await states(of)).toEqual(['failed', 'succeeded']);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ pause: null, isOn: true });
  });

  it('while Stripe is away for a day charges once when it is back', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.fail('pay', ...Array.from({ length: 6 }, () => 'down' as const));
    stripe.fail('void', ...Array.from({ length: 3 }, () => 'down' as const));
    for (let hour = 0; hour < 24; hour++) await fire(of, hour * HOUR);
    await deliverPaid(stripe);
    expect(stripe.charges).toHaveLength(1);
    expect((await states(of)).at(-1)).toBe('succeeded');
    expect(await availableOf(of)).toBe(50);
  });
});

describe('the events of a top-up', () => {
  it('bring its credits once, twice told, before the answer of the charge, and beside its payment intent', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.during(async (call) => {
      // The event overtakes the answer of the call that it is about.
      if (call !== 'pay') return;
      stripe.during(async () => {});
      const [invoice] = stripe.invoices.values();
      if (!invoice) throw new Error('there is an invoice to pay');
      const told = { ...stripe.invoiceObject(invoice.id), status: 'paid', amount_paid: 1_000 };
      await deliver(event('invoice.paid', told));
    });
    await fire(of);
    expect(await states(of)).toEqual(['succeeded']);
    const [invoice] = stripe.invoices.values();
    const intent = {
      id: invoice?.paymentIntent,
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: 1_000,
    };
    await deliver(event('payment_intent.succeeded', { ...intent, currency: 'usd', metadata: {} }));
    await deliverPaid(stripe, THREE);
    expect(await availableOf(of)).toBe(50);
    expect(await viewOf(of)).toMatchObject({ last: [{ payment: expect.stringMatching(/^pay_/) }] });
  });

  it('bring nothing for an invoice that is not paid, of another price, not ours, or of a checkout', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    await fire(of);
    const [paid] = stripe.invoices.values();
    if (!paid) throw new Error('there is an invoice');
    const told = stripe.invoiceObject(paid.id);
    const { payment_intent: _, ...ofCheckout } = paid.metadata;
    for (const more of [
      { status: 'open' },
      { subtotal: 900 },
      { amount_paid: 0 },
      { currency: 'jpy' },
      { metadata: { ...paid.metadata, service: 'another' } },
      { metadata: ofCheckout },
    ])
      expect(await (await deliver(event('invoice.paid', { ...told, ...more }))).json()).toMatchObject({
        outcome: 'ignored',
      });
    expect(await availableOf(of)).toBe(10);
    expect(await states(of)).toEqual(['paid']);
  });

  it('that came before the top-up knew its payment intent end it all the same', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    stripe.fail('mark', 'lost');
    await fire(of);
    // Somebody pays the invoice on its page.
    const [invoice] = stripe.invoices.values();
    Object.assign(invoice ?? {}, { status: 'paid', amountPaid: 1_000 });
    await deliverPaid(stripe);
    await accountOf(of).setTopUp(null);
    await fire(of);
    expect(await states(of)).toEqual(['paid']);
    await twoDays(of);
    expect(await states(of)).toEqual(['succeeded']);
    expect(await availableOf(of)).toBe(50);
    expect(await viewOf(of)).toMatchObject({ last: [{ payment: expect.stringMatching(/^pay_/) }] });
  });

  it('that do not come are reported, and its credits are fetched from its invoice, once', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    await fire(of);
    stripe.fail('read', 'down', 'down', 'down');
    for (let laterMs = 0; laterMs < DAY; laterMs += 2 * HOUR) await fire(of, laterMs);
    expect(await states(of)).toEqual(['paid']);
    await twoDays(of);
    expect(stripe.charges).toHaveLength(1);
    expect(logged.filter((line) => line.includes('top_up_not_credited'))).toHaveLength(2);
    expect(await states(of)).toEqual(['succeeded']);
    expect(await availableOf(of)).toBe(50);
    await deliverPaid(stripe);
    expect(await availableOf(of)).toBe(50);
    await audited(of);
  });
});

describe('what a customer has at Stripe', () => {
  it('as a discount lowers no price', async () => {
    stripe = stripeStandIn({ discountCents: 500 });
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    await fire(of);
    await deliverPaid(stripe);
    expect(stripe.charges).toMatchObject([{ cents: 1_000 }]);
    expect(await availableOf(of)).toBe(50);
  });

  it.each([400, -300, 1_000])(
    'as a balance of %i cents that pays first ends it without a charge, and is told',
    async (balanceCents) => {
      stripe = stripeStandIn({ balanceCents });
      const of = await newOwner(stripe, 10);
      await switchOn(of, { level: 15 });
      await fire(of);
      await deliverPaid(stripe);
      await twoDays(of);
      expect(stripe.charges).toEqual([]);
      expect(await states(of)).toEqual(['declined']);
      expect(await viewOf(of)).toMatchObject({ pause: 'not_possible' });
      expect(await availableOf(of)).toBe(10);
      expect(logged.filter((line) => line.includes('top_up_refused'))).toHaveLength(1);
    },
  );
});

describe('the tax on a top-up', () => {
  it('is charged on the invoice, and buys no credits', async () => {
    stripe = stripeStandIn({ taxCents: 190 });
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 15 });
    await fire(of);
    await deliverPaid(stripe);
    expect(stripe.charges).toMatchObject([{ cents: 1_190 }]);
    expect(await availableOf(of)).toBe(50);
  });
});
