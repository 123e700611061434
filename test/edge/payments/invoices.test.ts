/** Invoices: Stripe's own, found by the payment, for nobody but the buyer; receipts say who sold what to whom. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Invoice, PortalConfig, Receipt, ReceiptDetail } from '../../../shared/portal-api.ts';
import { accountIdOf, answerOf, type Customer, newCustomer, registered } from '../portal/customer.ts';
import { buyer } from './buyer.ts';
import { checkoutOf, deliver, event } from './stripe-events.ts';

afterEach(() => vi.restoreAllMocks());

const pay = async (customer: Customer, more: Record<string, unknown> = {}) => {
  const accountId = await accountIdOf(customer);
  const intent = `pi_${crypto.randomUUID()}`;
  await deliver(event('checkout.session.completed', checkoutOf(accountId, intent, more)));
  const { receipts } = await answerOf<{ receipts: Receipt[] }>(customer.call('GET', '/payments'));
  return { accountId, intent, id: receipts[0]?.payment_id ?? '' };
};
const PAGE = 'https://invoice.stripe.com/i/acct_1/live_1';
/** Stripe's list of checkouts; answers what was asked for. */
const stripeLists = (sessions: readonly object[], status = 200): URL[] => {
  const asked: URL[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    asked.push(new URL(String(input)));
    return status === 200
      ? Response.json({ object: 'list', data: sessions, has_more: false })
      : Response.json({ error: { type: 'invalid_request_error', message: 'no' } }, { status });
  });
  return asked;
};
const session = (accountId: string, invoice: unknown) => ({
  id: 'cs_1',
  object: 'checkout.session',
  metadata: { service: 'packshot', account_id: accountId },
  invoice,
});
const made = { id: 'in_1', object: 'invoice', hosted_invoice_url: PAGE, invoice_pdf: `${PAGE}/pdf` };

describe('the invoice of a payment', () => {
  it('is the one that Stripe has for its payment intent, as page and PDF', async () => {
    const customer = await buyer();
    const { accountId, intent, id } = await pay(customer);
    const asked = stripeLists([session(accountId, made)]);
    expect(await answerOf<Invoice>(customer.call('GET', `/payments/${id}/invoice`))).toEqual({
      page: PAGE,
      pdf: `${PAGE}/pdf`,
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.pathname).toBe('/v1/checkout/sessions');
    expect(asked[0]?.searchParams.get('payment_intent')).toBe(intent);
    expect(asked[0]?.searchParams.get('expand[0]')).toBe('data.invoice');
  });

  it('is not there while Stripe has made none, nor where the checkout is another account’s', async () => {
    const customer = await buyer();
    const { accountId, id } = await pay(customer);
    for (const listed of [
      [],
      [session(accountId, null)],
      [session(accountId, 'in_1')],
      [session(accountId, { ...made, hosted_invoice_url: null })],
      [session('acc_other', made)],
      [{ ...session(accountId, made), metadata: { account_id: accountId } }],
    ]) {
      stripeLists(listed);
      const answer = await customer.call('GET', `/payments/${id}/invoice`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'no_invoice' });
      vi.restoreAllMocks();
    }
  });

  it('is asked for by nobody but its buyer', async () => {
    const { id } = await pay(await buyer());
    const stranger = await buyer();
    const asked = stripeLists([]);
    expect((await stranger.call('GET', `/payments/${id}/invoice`)).status).toBe(404);
    expect((await newCustomer().call('GET', `/payments/${id}/invoice`)).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('that Stripe does not answer for is a 503 that says so, and Stripe is not asked without end', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const customer = await buyer();
    const { accountId, id } = await pay(customer);
    stripeLists([], 401);
    expect((await customer.call('GET', `/payments/${id}/invoice`)).status).toBe(503);
    vi.restoreAllMocks();
    const asked = stripeLists([session(accountId, made)]);
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await customer.call('GET', `/payments/${id}/invoice`)).status);
    expect(asked).toHaveLength(59);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});

describe('a receipt', () => {
  it('shows seller, buyer, price and the tax that came on top', async () => {
    const customer = await buyer();
    const taxed = { amount_total: 30_750, customer_details: { email: 'accounts@buyer.example' } };
    const { id } = await pay(customer, taxed);
    expect(await answerOf<ReceiptDetail>(customer.call('GET', `/payments/${id}`))).toMatchObject({
      seller: { name: 'Packshot Ltd', address: '1 Example Street, Dublin', tax_id: 'IE1234567X' },
      email: 'accounts@buyer.example',
      credits: 1_000,
      price_usd: '$250.00',
      tax_usd: '$57.50',
      amount_usd: '$307.50',
      has_invoice: true,
    });
  });

  it('of local mode is the document itself: no invoice, and what is not set of the seller is null', async () => {
    const customer = await registered();
    const { url } = await answerOf<{ url: string }>(
      customer.call('POST', '/checkout', { attempt_id: crypto.randomUUID(), credits: 40 }),
    );
    await customer.call('POST', `/local/checkouts/${new URL(url, 'http://x').searchParams.get('id')}/pay`, {});
    const { receipts } = await answerOf<{ receipts: Receipt[] }>(customer.call('GET', '/payments'));
    const detail = await answerOf<ReceiptDetail>(customer.call('GET', `/payments/${receipts[0]?.payment_id}`));
    expect(detail).toMatchObject({
      seller: { name: null, address: null, tax_id: null },
      price_usd: '$10.00',
      tax_usd: '$0.00',
      amount_usd: '$10.00',
      has_invoice: false,
    });
    const asked = stripeLists([]);
    expect((await customer.call('GET', `/payments/${detail.payment_id}/invoice`)).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is announced with tax only where tax may be added', async () => {
    const config = await answerOf<PortalConfig>(newCustomer().call('GET', '/config'));
    expect(config.automatic_tax).toBe(false);
  });
});
