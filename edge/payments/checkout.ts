/** Opening a checkout for a pack, with an invoice. Nothing here adds credits: only the signed webhook does. */
import type { Pack } from '../../shared/credits.ts';
import { marksOf } from './event.ts';
import { stripeClient } from './stripe-client.ts';

export type Buyer = { readonly accountId: string; readonly email: string };
export type OpenCheckout = (buyer: Buyer, pack: Pack) => Promise<{ readonly url: string }>;

/** `automaticTax`: Stripe computes a tax and adds it to the price; the operator has to switch Stripe Tax on first. */
export type StripeAccount = { readonly secretKey: string; readonly automaticTax: boolean };

/** Stripe Checkout, hosted by Stripe. A repeated click opens the same session; another pack is another attempt. */
export const stripeCheckout =
  ({ secretKey, automaticTax }: StripeAccount, publicBaseUrl: string, attemptId: string): OpenCheckout =>
  async (buyer, pack) => {
    const stripe = stripeClient(secretKey);
    const metadata = marksOf(buyer.accountId, pack);
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        customer_email: buyer.email,
        customer_creation: 'always',
        billing_address_collection: 'required',
        tax_id_collection: { enabled: true },
        automatic_tax: { enabled: automaticTax },
        invoice_creation: { enabled: true, invoice_data: { metadata } },
        client_reference_id: buyer.accountId,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'usd',
              unit_amount: pack.usdCents,
              tax_behavior: 'exclusive',
              product_data: { name: `API pack: ${pack.credits.toLocaleString('en-US')} credits` },
            },
          },
        ],
        metadata,
        payment_intent_data: { metadata, receipt_email: buyer.email },
        success_url: `${publicBaseUrl}/billing?checkout=done`,
        cancel_url: `${publicBaseUrl}/billing?checkout=cancelled`,
      },
      { idempotencyKey: `${attemptId}:${pack.credits}` },
    );
    if (!session.url) throw new Error('Stripe answered a checkout session without an address');
    return { url: session.url };
  };
