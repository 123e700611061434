/** Saving a card for top-ups: entered on Stripe's own page, charged nothing. The signed event of it is what saves it. */
import type Stripe from 'stripe';
import type { SavedCard } from '../account/top-up/port.ts';
import type { Buyer } from './checkout.ts';
import { type CardEntered, ownerMarks } from './event.ts';
import { stripeClient, unlessMissing } from './stripe-client.ts';

export type OpenCardCheckout = (buyer: Buyer) => Promise<{ readonly url: string }>;

/** Undefined where Stripe does not know it, or its customer, any more. Throws as Stripe's client does. */
export type ReadCard = (entered: CardEntered) => Promise<SavedCard | undefined>;

const CONSENT =
  'We charge this card only for automatic top-up: one pack each time your credits are at or below the level you choose, within your monthly limit. If top-up is on already, the card takes the place of the one before and may be charged at once. You can switch top-up off or remove the card on the billing page at any time.';

/** Checkout in `setup` mode: the bank is asked now for what later charges need, while the owner is there to answer. */
export const stripeCardCheckout =
  (secretKey: string, publicBaseUrl: string, attemptId: string): OpenCardCheckout =>
  async ({ accountId, email }) => {
    const metadata = ownerMarks(accountId);
    const session = await stripeClient(secretKey).checkout.sessions.create(
      {
        mode: 'setup',
        currency: 'usd',
        allowed_payment_method_types: ['card'],
        customer_creation: 'always',
        customer_email: email,
        billing_address_collection: 'required',
        client_reference_id: accountId,
        metadata,
        setup_intent_data: { metadata },
        custom_text: { submit: { message: CONSENT } },
        success_url: `${publicBaseUrl}/billing?card=saved`,
        cancel_url: `${publicBaseUrl}/billing?card=cancelled`,
      },
      { idempotencyKey: `${attemptId}:card` },
    );
    if (!session.url) throw new Error('Stripe answered a checkout session without an address');
    return { url: session.url };
  };

/** Also gives the customer the card's address, of which invoices compute their tax. */
export const stripeCardReader =
  (secretKey: string): ReadCard =>
  async ({ setupIntent, customer }) => {
    const stripe = stripeClient(secretKey);
    const entered = await unlessMissing(() =>
      stripe.setupIntents.retrieve(setupIntent, { expand: ['payment_method'] }),
    );
    const method = entered?.payment_method;
    if (!method || typeof method === 'string' || !method.card || entered.status !== 'succeeded') return undefined;
    const { address, name, email } = method.billing_details;
    const updated = await unlessMissing(() =>
      stripe.customers.update(customer, {
        ...(name ? { name } : {}),
        ...(email ? { email } : {}),
        ...(address ? { address: addressOf(address) } : {}),
      }),
    );
    if (!updated) return undefined;
    const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
    return { customer, paymentMethod: method.id, brand, last4, expMonth, expYear };
  };

const addressOf = (address: Stripe.Address): Stripe.AddressParam =>
  Object.fromEntries(
    Object.entries(address).filter((part): part is [string, string] => typeof part[1] === 'string' && part[1] !== ''),
  );
