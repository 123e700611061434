/** Opening a checkout for a pack. Nothing here adds credits: only the signed webhook does. */
import type { Pack } from '../../shared/credits.ts';
import { marksOf } from './event.ts';
import { stripeClient } from './stripe-client.ts';

export type Buyer = { readonly accountId: string; readonly email: string };
export type OpenCheckout = (buyer: Buyer, pack: Pack) => Promise<{ readonly url: string }>;

/** Stripe Checkout, hosted by Stripe. A repeated click opens the same session; another pack is another attempt. */
export const stripeCheckout =
  (secretKey: string, publicBaseUrl: string, attemptId: string): OpenCheckout =>
  async (buyer, pack) => {
    const stripe = stripeClient(secretKey);
    const metadata = marksOf(buyer.accountId, pack);
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        customer_email: buyer.email,
        client_reference_id: buyer.accountId,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'usd',
              unit_amount: pack.usdCents,
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
