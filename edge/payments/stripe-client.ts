/** The client of Stripe's API, and what the re-drive asks of it. */
import Stripe from 'stripe';
import { EVENT_TYPES } from './event.ts';
import { paymentLimits } from './limits.ts';

/** Looks `fetch` up at every call, so that tests can stand in for the network. */
export const stripeClient = (secretKey: string, maxNetworkRetries = 2): Stripe =>
  new Stripe(secretKey, {
    httpClient: Stripe.createFetchHttpClient(),
    timeout: paymentLimits.callMsMax,
    maxNetworkRetries,
  });

/** Events made from `fromMs` until before `toMs`; `after` is the id of the last event of the page before. */
export type EventWindow = { readonly fromMs: number; readonly toMs: number; readonly after: string | null };
export type StripeReader = {
  /** Newest first, one page. */
  events(window: EventWindow): Promise<{ readonly events: readonly Stripe.Event[]; readonly more: boolean }>;
  /** Undefined where Stripe does not know it. */
  paymentIntent(id: string): Promise<Stripe.PaymentIntent | undefined>;
  /** Undefined where Stripe does not know it. */
  invoice(id: string): Promise<Stripe.Invoice | undefined>;
  /** The invoice that a payment intent pays; undefined where it pays none. */
  invoiceOf(paymentIntent: string): Promise<Stripe.Invoice | undefined>;
};

export const stripeReader = (secretKey: string): StripeReader => {
  const stripe = stripeClient(secretKey);
  return {
    events: async ({ fromMs, toMs, after }) => {
      const page = await stripe.events.list({
        types: [...EVENT_TYPES],
        created: { gte: Math.floor(fromMs / 1000), lt: Math.floor(toMs / 1000) },
        limit: paymentLimits.pollPageRows,
        ...(after === null ? {} : { starting_after: after }),
      });
      return { events: page.data, more: page.has_more };
    },
    paymentIntent: (id) => unlessMissing(() => stripe.paymentIntents.retrieve(id)),
    invoice: (id) => unlessMissing(() => stripe.invoices.retrieve(id, { expand: ['payments'] })),
    invoiceOf: (paymentIntent) => invoicePaidBy(stripe, paymentIntent),
  };
};

/** Undefined where Stripe does not know what is asked for or changed. */
export const unlessMissing = async <Reply>(ask: () => Promise<Reply>): Promise<Reply | undefined> => {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return undefined;
    throw error;
  }
};

export const invoicePaidBy = async (stripe: Stripe, paymentIntent: string): Promise<Stripe.Invoice | undefined> => {
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    limit: 1,
    expand: ['data.invoice'],
  });
  const invoice = data[0]?.invoice;
  return invoice && typeof invoice !== 'string' && !invoice.deleted ? invoice : undefined;
};
