/** Ends the open checkouts of an account that is being deleted, so that nobody pays for one that is no more. */
import Stripe from 'stripe';
import type { StripeAccount } from './checkout.ts';
import { isMarked } from './event.ts';
import { paymentLimits } from './limits.ts';
import { stripeClient } from './stripe-client.ts';

/** `paid`: one of them was completed just now; its credits are on their way. Throws where it is not known. */
export type CloseCheckouts = (accountId: string) => Promise<'closed' | 'paid'>;

const SECOND_MS = 1_000;
const { openCheckoutMsMax, openCheckoutsMax } = paymentLimits;

/** Those to pay and those to save a card. Stripe lists open ones of all accounts: there is no asking for one's own. */
export const closeStripeCheckouts =
  ({ secretKey }: Pick<StripeAccount, 'secretKey'>, nowMs: number): CloseCheckouts =>
  async (accountId) => {
    const stripe = stripeClient(secretKey);
    const own: string[] = [];
    const list = stripe.checkout.sessions.list({
      status: 'open',
      created: { gte: Math.floor((nowMs - openCheckoutMsMax) / SECOND_MS) },
      limit: paymentLimits.pollPageRows,
    });
    let seen = 0;
    for await (const { id, metadata } of list) {
      if (++seen > openCheckoutsMax) throw new Error(`more than ${openCheckoutsMax} checkouts are open at Stripe`);
      if (isMarked(metadata, accountId)) own.push(id);
    }
    let result: 'closed' | 'paid' = 'closed';
    for (const id of own) if ((await expire(stripe, id)) === 'paid') result = 'paid';
    return result;
  };

const expire = async (stripe: Stripe, id: string): Promise<'closed' | 'paid'> => {
  try {
    await stripe.checkout.sessions.expire(id);
    return 'closed';
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    // Stripe expires what is open alone.
    const { status, mode } = await stripe.checkout.sessions.retrieve(id);
    if (status === 'open') throw error;
    return status === 'complete' && mode === 'payment' ? 'paid' : 'closed';
  }
};
