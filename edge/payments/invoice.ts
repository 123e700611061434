/** The invoice that Stripe made of a checkout or a top-up. Its links end after a while, so they are asked for each time. */
import type Stripe from 'stripe';
import { isMarked } from './event.ts';
import { invoicePaidBy, stripeClient } from './stripe-client.ts';
import type { Payment } from './target.ts';

export type InvoiceLinks = { readonly page: string; readonly pdf: string | null };

/** Undefined where Stripe has made none: yet, or because the payment is from before there were invoices. Throws as Stripe's client does. */
export const invoiceOf = async (
  secretKey: string,
  { paymentIntent, accountId }: Pick<Payment, 'paymentIntent' | 'accountId'>,
): Promise<InvoiceLinks | undefined> => {
  const stripe = stripeClient(secretKey);
  const { data } = await stripe.checkout.sessions.list({
    payment_intent: paymentIntent,
    limit: 1,
    expand: ['data.invoice'],
  });
  const [session] = data;
  const invoice = session
    ? isMarked(session.metadata, accountId) && session.invoice
    : await topUpInvoice(stripe, paymentIntent, accountId);
  if (!invoice || typeof invoice === 'string' || !invoice.hosted_invoice_url) return undefined;
  return { page: invoice.hosted_invoice_url, pdf: invoice.invoice_pdf ?? null };
};

const topUpInvoice = async (stripe: Stripe, paymentIntent: string, accountId: string) => {
  const invoice = await invoicePaidBy(stripe, paymentIntent);
  return invoice && isMarked(invoice.metadata, accountId) ? invoice : undefined;
};
