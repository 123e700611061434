/** The invoice that Stripe made of a checkout. Its links end after a while, so they are asked for each time. */
import { isMarked } from './event.ts';
import { stripeClient } from './stripe-client.ts';
import type { Payment } from './target.ts';

export type InvoiceLinks = { readonly page: string; readonly pdf: string | null };

/** Undefined where Stripe has made none: yet, or because the payment is from before there were invoices. Throws as Stripe's client does. */
export const invoiceOf = async (
  secretKey: string,
  { paymentIntent, accountId }: Pick<Payment, 'paymentIntent' | 'accountId'>,
): Promise<InvoiceLinks | undefined> => {
  const { data } = await stripeClient(secretKey).checkout.sessions.list({
    payment_intent: paymentIntent,
    limit: 1,
    expand: ['data.invoice'],
  });
  const [session] = data;
  if (!session || !isMarked(session.metadata, accountId)) return undefined;
  const { invoice } = session;
  if (!invoice || typeof invoice === 'string' || !invoice.hosted_invoice_url) return undefined;
  return { page: invoice.hosted_invoice_url, pdf: invoice.invoice_pdf ?? null };
};
