/** Smaller packs: what was paid for is what is credited, by either event, and nothing else passes for a pack. */
import { describe, expect, it } from 'vitest';
import { sweepPayments } from '../../../edge/portal/sweep.ts';
import { PACKS } from '../../../shared/credits.ts';
import { newId } from '../../../shared/ids.ts';
import type { Receipt, TestCheckoutInfo } from '../../../shared/portal-api.ts';
import { accountIdOf, answerOf, balanceOf, type Customer, registered, rows } from '../portal/customer.ts';
import { bindings, entriesOf } from '../support/service.ts';
import { checkoutOf, deliver, disputeOf, event, paymentIntentOf, paymentServices, refundOf } from './stripe-events.ts';

const PAID = 'checkout.session.completed';
const intent = (): string => `pi_${crypto.randomUUID()}`;
const marks = (accountId: string, credits: number | string) => ({
  metadata: { service: 'packshot', account_id: accountId, pack_credits: String(credits) },
});
const priced = (usdCents: number) => ({ amount_subtotal: usdCents, amount_total: usdCents });
const receiptsOf = async (customer: Customer): Promise<readonly Receipt[]> =>
  (await answerOf<{ receipts: Receipt[] }>(customer.call('GET', '/payments'))).receipts;
const bought = async (credits: number, usdCents: number) => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  const paid = intent();
  await deliver(event(PAID, checkoutOf(accountId, paid, { ...marks(accountId, credits), ...priced(usdCents) })));
  return { customer, accountId, paid };
};

describe('a pack', () => {
  it.each(PACKS)('of $credits credits is credited once, by its checkout and its payment intent', async (pack) => {
    const { customer, accountId, paid } = await bought(pack.credits, pack.usdCents);
    const told = { ...marks(accountId, pack.credits), amount_received: pack.usdCents };
    await Promise.all([
      deliver(event('payment_intent.succeeded', paymentIntentOf(accountId, paid, told))),
      deliver(event(PAID, checkoutOf(accountId, paid, { ...told, ...priced(pack.usdCents) }))),
    ]);
    expect(await balanceOf(customer)).toBe(pack.credits);
    expect(await receiptsOf(customer)).toMatchObject([
      { credits: pack.credits, amount_usd: `$${(pack.usdCents / 100).toFixed(2)}` },
    ]);
  });

  it('is the one that was marked where tax makes its total the price of no pack, or of another', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const pay = (credits: number, received: number) =>
      deliver(
        event(
          'payment_intent.succeeded',
          paymentIntentOf(accountId, intent(), { ...marks(accountId, credits), amount_received: received }),
        ),
      );
    await pay(40, 1_190);
    expect(await balanceOf(customer)).toBe(40);
    await pay(40, 5_000);
    expect(await balanceOf(customer)).toBe(80);
  });

  it('adds nothing where it does not exist, or its amount or currency is not the pack’s', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const wrong: [number | string, number, string?][] = [
      [1_000, 1_000],
      [200, 1_000],
      [40, 999],
      [40, 1_001],
      [40, 1_000, 'eur'],
      [100, 2_500],
      [0, 0],
      ['40.0', 1_000],
      ['', 25_000],
      ['__proto__', 25_000],
    ];
    for (const [credits, cents, currency = 'usd'] of wrong) {
      const told = { ...marks(accountId, credits), ...priced(cents), currency };
      const answer = await deliver(event(PAID, checkoutOf(accountId, intent(), told)));
      expect(await answer.json(), `${credits} for ${cents} ${currency}`).toMatchObject({ outcome: 'ignored' });
    }
    for (const [credits, cents, currency = 'usd'] of wrong.filter(([, cents]) => cents !== 1_001)) {
      const told = { ...marks(accountId, credits), amount_received: cents, currency };
      const answer = await deliver(event('payment_intent.succeeded', paymentIntentOf(accountId, intent(), told)));
      expect(await answer.json(), `${credits} for ${cents} ${currency}`).toMatchObject({ outcome: 'ignored' });
    }
    expect(await balanceOf(customer)).toBe(0);
    expect(await receiptsOf(customer)).toEqual([]);
  });

  it('that is refunded in parts, or disputed, loses its own credits and no more', async () => {
    const { customer, paid } = await bought(40, 1_000);
    for (const [i, cents] of [333, 333, 334].entries())
      await deliver(event('refund.created', refundOf(paid, `re_${i}_${paid}`, cents)));
    expect(await balanceOf(customer)).toBe(0);
    const other = await bought(200, 5_000);
    const dispute = disputeOf(other.paid, `dp_${other.paid}`, 5_000);
    await deliver(event('charge.dispute.funds_withdrawn', dispute));
    expect(await balanceOf(other.customer)).toBe(0);
    await deliver(event('charge.dispute.funds_reinstated', dispute));
    expect(await balanceOf(other.customer)).toBe(200);
  });

  it('agrees with the ledger where the scheduled run compares the two', async () => {
    const { accountId, paid } = await bought(40, 1_000);
    await deliver(event('refund.created', refundOf(paid, `re_${paid}`, 250)));
    const logged: string[] = [];
    const { vi } = await import('vitest');
    const spy = vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
    const log = vi.spyOn(console, 'log').mockImplementation((line) => void logged.push(String(line)));
    await sweepPayments(bindings, paymentServices as never);
    spy.mockRestore();
    log.mockRestore();
    expect(logged.filter((line) => line.includes(accountId))).toEqual([]);
    const [row] = await rows<{ at: number | null }>(
      'select compared_at as at from payments where payment_intent = ?',
      paid,
    );
    expect(row?.at).toBeGreaterThan(0);
    expect((await entriesOf({ accountId })).reduce((sum, { credits }) => sum + credits, 0)).toBe(30);
  });
});

describe('the test checkout', () => {
  const open = async (customer: Customer, body: object): Promise<string> => {
    const { url } = await answerOf<{ url: string }>(
      customer.call('POST', '/checkout', { attempt_id: crypto.randomUUID(), ...body }),
    );
    return new URL(url, 'http://x').searchParams.get('id') ?? '';
  };

  it('sells the pack that was chosen, and the specified one where none was', async () => {
    const customer = await registered();
    let balance = 0;
    for (const [body, credits, amount] of [
      [{ credits: 40 }, 40, '$10.00'],
      [{ credits: 200 }, 200, '$50.00'],
      [{}, 1_000, '$250.00'],
    ] as const) {
      const id = await open(customer, body);
      const shown = await answerOf<TestCheckoutInfo>(customer.call('GET', `/local/checkouts/${id}`));
      expect(shown).toMatchObject({ credits, amount_usd: amount });
      for (let i = 0; i < 2; i++) await customer.call('POST', `/local/checkouts/${id}/pay`, {});
      balance += credits;
      expect(await balanceOf(customer)).toBe(balance);
    }
    expect((await receiptsOf(customer)).map(({ credits }) => credits).sort((a, b) => a - b)).toEqual([40, 200, 1_000]);
  });

  it('opens none for a pack that does not exist', async () => {
    const customer = await registered();
    for (const credits of [0, 41, 999, -40, '40', null, 1e9]) {
      const answer = await customer.call('POST', '/checkout', { attempt_id: crypto.randomUUID(), credits });
      expect(answer.status, String(credits)).toBe(400);
    }
    expect(await rows('select id from test_checkouts where account_id = ?', await accountIdOf(customer))).toEqual([]);
  });

  it('that the version before opened is for the one pack there was', async () => {
    const customer = await registered();
    const id = newId('payment', Date.now(), paymentServices.randomBytes).slice(4);
    await bindings.DB.prepare('insert into test_checkouts (id, account_id, email, created_at) values (?, ?, ?, ?)')
      .bind(id, await accountIdOf(customer), customer.email, Date.now())
      .run();
    await customer.call('POST', `/local/checkouts/${id}/pay`, {});
    expect(await balanceOf(customer)).toBe(1_000);
  });
});
