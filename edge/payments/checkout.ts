/** Opening a checkout for the pack. Nothing here adds credits: only the signed webhook does. */
import { PACK } from '../../shared/credits.ts';
import { SERVICE_MARK } from './event.ts';
import { stripeClient } from './stripe-client.ts';

export type Buyer = { readonly accountId: string; readonly email: string };
export type OpenCheckout = (buyer: Buyer) => Promise<{ readonly url: string }>;

/** Stripe Checkout, hosted by Stripe. `attemptId` makes a repeated click open the same session. */
export const stripeCheckout =
  (secretKey: string, publicBaseUrl: string, attemptId: string): OpenCheckout =>
  async (buyer) => {
    const stripe = stripeClient(secretKey);
    const metadata = { service: SERVICE_MARK, account_id: buyer.accountId };
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
              unit_amount: PACK.usdCents,
              product_data: { name: `API pack: ${PACK.credits.toLocaleString('en-US')} credits` },
            },
          },
        ],
        metadata,
        payment_intent_data: { metadata, receipt_email: buyer.email },
        success_url: `${publicBaseUrl}/billing?checkout=done`,
        cancel_url: `${publicBaseUrl}/billing?checkout=cancelled`,
      },
      { idempotencyKey: attemptId },
    );
    if (!session.url) throw new Error('Stripe answered a checkout session without an address');
    return { url: session.url };
  };
