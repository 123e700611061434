/** Money: only what Stripe has signed adds credits, once; what goes back is recorded. */
import { describe, expect, it } from 'vitest';
import { paymentLimits } from '../../../edge/payments/limits.ts';
import { PACK } from '../../../shared/credits.ts';
import type { LedgerPage, Receipt } from '../../../shared/portal-api.ts';
import { accountIdOf, answerOf, balanceOf, type Customer, newCustomer, registered } from '../portal/customer.ts';
import {
  checkoutOf,
  deliver,
  disputeOf,
  event,
  paymentIntentOf,
  refundOf,
  sign,
  webhookOfProduction,
} from './stripe-events.ts';

const PAID = 'checkout.session.completed';
const intent = (): string => `pi_${crypto.randomUUID()}`;
const receiptsOf = async (customer: Customer): Promise<readonly Receipt[]> =>
  (await answerOf<{ receipts: Receipt[] }>(customer.call('GET', '/payments'))).receipts;

/** A customer who has bought one pack; the payment intent with them. */
const buyer = async (): Promise<{ customer: Customer; accountId: string; paid: string }> => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  const paid = intent();
  expect((await deliver(event(PAID, checkoutOf(accountId, paid)))).status).toBe(200);
  return { customer, accountId, paid };
};

describe('a payment', () => {
  it('adds the pack once, however often and in however many events it is delivered', async () => {
    const { customer, accountId, paid } = await buyer();
    const same = event(PAID, checkoutOf(accountId, paid));
    const answers = await Promise.all([
      deliver(same),
      deliver(same),
      deliver(event('checkout.session.async_payment_succeeded', checkoutOf(accountId, paid))),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await balanceOf(customer)).toBe(PACK.credits);
    expect(await receiptsOf(customer)).toHaveLength(1);
  });

  it('adds the pack once when its first deliveries come at the same moment', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const body = event(PAID, checkoutOf(accountId, intent()));
    await Promise.all(Array.from({ length: 8 }, () => deliver(body)));
    expect(await balanceOf(customer)).toBe(PACK.credits);
  });

  it('adds the pack once where the payment intent and the checkout both tell of it', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const paid = intent();
    await Promise.all([
      deliver(event('payment_intent.succeeded', paymentIntentOf(accountId, paid))),
      deliver(event(PAID, checkoutOf(accountId, paid))),
    ]);
    expect(await balanceOf(customer)).toBe(PACK.credits);
    const receipts = await receiptsOf(customer);
    expect(receipts).toHaveLength(1);
    expect(receipts[0]?.email).toBe('buyer@example.com');
  });

  it('in Stripe’s test mode adds nothing in production', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const pay = async (livemode: boolean): Promise<unknown> =>
      (await webhookOfProduction(event(PAID, checkoutOf(accountId, intent()), Date.now(), livemode))).json();
    expect(await pay(false)).toEqual({ received: true, outcome: 'ignored' });
    expect(await balanceOf(customer)).toBe(0);
    expect(await pay(true)).toEqual({ received: true, outcome: 'recorded' });
    expect(await balanceOf(customer)).toBe(PACK.credits);
  });

  it('leaves a receipt that only its buyer sees', async () => {
    const { customer } = await buyer();
    const [receipt] = await receiptsOf(customer);
    expect(receipt).toMatchObject({
      amount_usd: '$250.00',
      credits: PACK.credits,
      email: 'buyer@example.com',
      mode: 'stripe',
      adjustments: [],
    });
    expect((await customer.call('GET', `/payments/${receipt?.payment_id}`)).status).toBe(200);
    expect((await (await registered()).call('GET', `/payments/${receipt?.payment_id}`)).status).toBe(404);
  });

  it('adds nothing while it is unpaid, of another product, or not the price of the pack', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    for (const more of [
      { payment_status: 'unpaid' },
      { metadata: { account_id: accountId } },
      { amount_subtotal: 100 },
      { currency: 'jpy' },
    ]) {
      expect((await deliver(event(PAID, checkoutOf(accountId, intent(), more)))).status).toBe(200);
    }
    expect(await balanceOf(customer)).toBe(0);
    expect(await receiptsOf(customer)).toEqual([]);
  });
});

describe('a delivery that Stripe did not sign', () => {
  it('is refused: no signature, another secret, another body, too old', async () => {
    const customer = await registered();
    const body = event(PAID, checkoutOf(await accountIdOf(customer), intent()));
    const old = Date.now() - (paymentLimits.webhookAgeSecondsMax + 60) * 1000;
    for (const signature of [
      null,
      'nonsense',
      await sign(body, 'whsec_of_somebody_else'),
      await sign(`${body} `),
      await sign(body, undefined, old),
    ]) {
      const answer = await deliver(body, signature);
      expect(answer.status, String(signature)).toBe(400);
    }
    expect(await balanceOf(customer)).toBe(0);
  });

  it('is refused from a signed-in customer too', async () => {
    const customer = await registered();
    const answer = await customer.call(
      'POST',
      '/stripe/webhook',
      JSON.parse(event(PAID, checkoutOf(await accountIdOf(customer), intent()))),
    );
    expect(answer.status).toBe(400);
    expect(await balanceOf(customer)).toBe(0);
  });
});

describe('money that goes back', () => {
  it('takes its credits back, once', async () => {
    const { customer, paid } = await buyer();
    const body = event('refund.created', refundOf(paid, 're_full', PACK.usdCents));
    await Promise.all([
      deliver(body),
      deliver(body),
      deliver(event('refund.updated', refundOf(paid, 're_full', PACK.usdCents))),
    ]);
    expect(await balanceOf(customer)).toBe(0);
    expect((await receiptsOf(customer))[0]?.adjustments).toMatchObject([
      { kind: 'refund', credits: -PACK.credits, amount_usd: '-$250.00' },
    ]);
  });

  it('in parts adds up to the whole, without a credit lost to rounding', async () => {
    const { customer, paid } = await buyer();
    for (const [i, cents] of [8_333, 8_333, 8_334].entries())
      await deliver(event('refund.created', refundOf(paid, `re_part_${i}_${paid}`, cents)));
    expect(await balanceOf(customer)).toBe(0);
  });

  it('counts a refund when it succeeds, and gives the credits again where it fails afterwards', async () => {
    const { customer, paid } = await buyer();
    const id = `re_${paid}`;
    await deliver(event('refund.created', refundOf(paid, id, PACK.usdCents, 'pending')));
    expect(await balanceOf(customer)).toBe(PACK.credits);
    await deliver(event('refund.updated', refundOf(paid, id, PACK.usdCents)));
    expect(await balanceOf(customer)).toBe(0);
    await deliver(event('refund.failed', refundOf(paid, id, PACK.usdCents, 'failed')));
    expect(await balanceOf(customer)).toBe(PACK.credits);
  });

  it('a refund that never succeeded gives nothing', async () => {
    const { customer, paid } = await buyer();
    await deliver(event('refund.failed', refundOf(paid, `re_${paid}`, PACK.usdCents, 'failed')));
    expect(await balanceOf(customer)).toBe(PACK.credits);
  });

  it('by a dispute takes the credits, and gives them again when it is won', async () => {
    const { customer, paid } = await buyer();
    const dispute = disputeOf(paid, `dp_${paid}`, PACK.usdCents);
    await deliver(event('charge.dispute.funds_withdrawn', dispute));
    expect(await balanceOf(customer)).toBe(0);
    await deliver(event('charge.dispute.funds_reinstated', dispute));
    expect(await balanceOf(customer)).toBe(PACK.credits);
    const page = await answerOf<LedgerPage>(customer.call('GET', '/ledger'));
    expect(page.rows.map((row) => row.description)).toEqual(['Dispute won', 'Payment disputed', 'API pack bought']);
  });

  it('may leave the balance below zero, which every page is told', async () => {
    const { customer, accountId, paid } = await buyer();
    const { bindings } = await import('../support/service.ts');
    const ledger = bindings.ACCOUNT.get(bindings.ACCOUNT.idFromName(accountId)) as unknown as {
      adjust: (a: object) => Promise<unknown>;
    };
    await ledger.adjust({ id: 'used', credits: -400, reason: 'correction' });
    await deliver(event('refund.created', refundOf(paid, `re_${paid}`, PACK.usdCents)));
    expect(await balanceOf(customer)).toBe(-400);
  });

  it('is kept while its payment is not known yet, and counted when that comes', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const late = intent();
    const refund = event('refund.created', refundOf(late, `re_${late}`, 5_000));
    const answer = await deliver(refund);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ outcome: 'payment_unknown' });
    await deliver(event(PAID, checkoutOf(accountId, late)));
    expect(await balanceOf(customer)).toBe(PACK.credits - 200);
    expect((await deliver(refund)).status).toBe(200);
    expect(await balanceOf(customer)).toBe(PACK.credits - 200);
  });

  it('grants nothing where it was made hours ago and is heard of before its payment', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const late = intent();
    const madeMs = Date.now() - 3 * 3_600_000;
    await deliver(event('refund.created', refundOf(late, `re_${late}`, PACK.usdCents), madeMs));
    await deliver(event(PAID, checkoutOf(accountId, late), madeMs - 3_600_000));
    expect(await balanceOf(customer)).toBe(0);
    const page = await answerOf<LedgerPage>(customer.call('GET', '/ledger'));
    expect(Math.max(...page.rows.map((row) => row.available_after))).toBe(0);
  });

  it('takes nothing where the failure of a refund is heard of before its success', async () => {
    const { customer, paid } = await buyer();
    await deliver(event('refund.failed', refundOf(paid, `re_${paid}`, PACK.usdCents, 'failed')));
    await deliver(event('refund.created', refundOf(paid, `re_${paid}`, PACK.usdCents)));
    expect(await balanceOf(customer)).toBe(PACK.credits);
  });

  it('counts what a dispute lists as withdrawn and reinstated, even in part', async () => {
    const { customer, paid } = await buyer();
    const listed = (...amounts: number[]) => ({
      ...disputeOf(paid, `dp_${paid}`, PACK.usdCents),
      balance_transactions: amounts.map((amount) => ({ amount, currency: 'usd' })),
    });
    await deliver(event('charge.dispute.created', listed()));
    expect(await balanceOf(customer)).toBe(PACK.credits);
    await deliver(event('charge.dispute.closed', listed(-25_000, 20_000)));
    expect(await balanceOf(customer)).toBe(800);
    await deliver(event('charge.dispute.funds_withdrawn', listed(-25_000)));
    expect(await balanceOf(customer)).toBe(800);
  });
});

describe('the test checkout of local mode', () => {
  const open = async (customer: Customer): Promise<string> => {
    const { url } = await answerOf<{ url: string }>(
      customer.call('POST', '/checkout', { attempt_id: crypto.randomUUID() }),
    );
    return new URL(url, 'http://x').searchParams.get('id') ?? '';
  };

  it('adds no credits by being opened; paying adds the pack, once', async () => {
    const customer = await registered();
    const id = await open(customer);
    expect(await balanceOf(customer)).toBe(0);
    for (let i = 0; i < 3; i++)
      expect((await customer.call('POST', `/local/checkouts/${id}/pay`, {})).status).toBe(200);
    expect(await balanceOf(customer)).toBe(PACK.credits);
    expect((await receiptsOf(customer))[0]?.mode).toBe('test');
  });

  it('is paid by nobody but who opened it', async () => {
    const [owner, stranger] = [await registered(), await registered()];
    const id = await open(owner);
    expect((await stranger.call('POST', `/local/checkouts/${id}/pay`, {})).status).toBe(404);
    expect((await newCustomer().call('POST', `/local/checkouts/${id}/pay`, {})).status).toBe(401);
    expect(await balanceOf(owner)).toBe(0);
    expect(await balanceOf(stranger)).toBe(0);
  });
});

describe('the ledger', () => {
  it('exports as CSV whose sums are the balance', async () => {
    const { customer, paid } = await buyer();
    await deliver(event('refund.created', refundOf(paid, `re_${paid}`, 5_000)));
    const response = await customer.call('GET', '/ledger.csv');
    expect(response.headers.get('content-type')).toContain('text/csv');
    const [head = '', ...lines] = (await response.text()).trim().split('\r\n');
    const columns = head.split(',');
    const sum = (name: string): number =>
      lines.reduce((total, line) => total + Number(line.split(',')[columns.indexOf(name)]), 0);
    expect(lines).toHaveLength(2);
    expect(sum('available_change')).toBe(await balanceOf(customer));
    expect(sum('available_change')).toBe(PACK.credits - 200);
    expect(sum('held_change')).toBe(0);
    expect(sum('spent_change')).toBe(0);
  });
});
