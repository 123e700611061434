/** The session that Stripe is asked for. Stripe itself is the network's other end. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stripeCheckout } from '../../../edge/payments/checkout.ts';
import { PACK, PACKS } from '../../../shared/credits.ts';

afterEach(() => vi.restoreAllMocks());

const STRIPE = { secretKey: 'sk_live_of_stripe', automaticTax: false };

describe('a checkout at Stripe', () => {
  it('is for one pack at its price, marked with the account, and the same for a repeated attempt', async () => {
    const asked: { url: string; headers: Headers; body: URLSearchParams }[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      asked.push({
        url: String(input),
        headers: new Headers(init?.headers as HeadersInit),
        body: new URLSearchParams(String(init?.body)),
      });
      return Response.json({ id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.com/c/pay/cs_1' });
    });
    const open = stripeCheckout(STRIPE, 'https://packshot.example', 'acc_1:attempt-1');
    expect(await open({ accountId: 'acc_1', email: 'ada@example.com' }, PACK)).toEqual({
      url: 'https://checkout.stripe.com/c/pay/cs_1',
    });
    const [call] = asked;
    expect(call?.url).toBe('https://api.stripe.com/v1/checkout/sessions');
    expect(call?.headers.get('idempotency-key')).toBe('acc_1:attempt-1:1000');
    expect(Object.fromEntries(call?.body ?? [])).toMatchObject({
      mode: 'payment',
      customer_email: 'ada@example.com',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][unit_amount]': '25000',
      'line_items[0][price_data][currency]': 'usd',
      'metadata[service]': 'packshot',
      'metadata[account_id]': 'acc_1',
      'metadata[pack_credits]': '1000',
      'payment_intent_data[metadata][pack_credits]': '1000',
      billing_address_collection: 'required',
      'tax_id_collection[enabled]': 'true',
      'invoice_creation[enabled]': 'true',
      'invoice_creation[invoice_data][metadata][account_id]': 'acc_1',
      'automatic_tax[enabled]': 'false',
      customer_creation: 'always',
      success_url: 'https://packshot.example/billing?checkout=done',
    });
  });

  it('has tax added to the price where the operator switched that on', async () => {
    const bodies: URLSearchParams[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_input, init) => {
      bodies.push(new URLSearchParams(String(init?.body)));
      return Response.json({ id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.com/c/pay/cs_1' });
    });
    const open = stripeCheckout({ ...STRIPE, automaticTax: true }, 'https://packshot.example', 'acc_1:attempt-1');
    await open({ accountId: 'acc_1', email: 'ada@example.com' }, PACK);
    expect(Object.fromEntries(bodies[0] ?? [])).toMatchObject({
      'automatic_tax[enabled]': 'true',
      'line_items[0][price_data][tax_behavior]': 'exclusive',
      'line_items[0][price_data][unit_amount]': '25000',
    });
  });

  it('of another pack is another checkout, even in the same attempt', async () => {
    const keys: (string | null)[] = [];
    const prices: (string | null)[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_input, init) => {
      keys.push(new Headers(init?.headers as HeadersInit).get('idempotency-key'));
      prices.push(new URLSearchParams(String(init?.body)).get('line_items[0][price_data][unit_amount]'));
      return Response.json({ id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.com/c/pay/cs_1' });
    });
    const open = stripeCheckout(STRIPE, 'https://packshot.example', 'acc_1:attempt-1');
    for (const pack of [...PACKS, PACK]) await open({ accountId: 'acc_1', email: 'ada@example.com' }, pack);
    expect(keys).toEqual(['40', '200', '1000', '1000'].map((credits) => `acc_1:attempt-1:${credits}`));
    expect(prices).toEqual(['1000', '5000', '25000', '25000']);
  });
});
