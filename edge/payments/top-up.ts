/**
 * Charging a saved card for a pack: an invoice of Stripe's, as a checkout makes one, with its tax and number. It is never
 * collected by itself (`auto_advance`), so it is paid by `pay` or not at all, and once: whatever becomes of an answer, the
 * invoice says whether the card was charged, and once it is void it never will be. The Idempotency-Keys, which Stripe
 * forgets after 24 hours, only keep repeated calls from making invoices that nobody pays.
 */
import Stripe from 'stripe';
import { packOf } from '../../shared/credits.ts';
import type { CardFault, Charge, ChargeCard, Refused, TopUpPause } from '../account/top-up/port.ts';
import type { StripeAccount } from './checkout.ts';
import { marksOf } from './event.ts';
import { stripeClient, unlessMissing } from './stripe-client.ts';

const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;

export const stripeCards = ({ secretKey, automaticTax }: StripeAccount): ChargeCard => {
  // The account's alarm makes a call again.
  const stripe = stripeClient(secretKey, 0);
  return {
    open: (charge) =>
      unlessRefused(async () => {
        const { id } = await stripe.invoices.create(
          {
            customer: charge.customer,
            currency: 'usd',
            collection_method: 'charge_automatically',
            auto_advance: false,
            automatic_tax: { enabled: automaticTax },
            default_payment_method: charge.paymentMethod,
            payment_settings: { payment_method_types: ['card'] },
            // What the customer has at Stripe lowers no price: the pack is what is paid for.
            discounts: '',
            pending_invoice_items_behavior: 'exclude',
            metadata: metadataOf(charge),
          },
          once(charge, 'invoice'),
        );
        return { result: 'opened', invoice: id };
      }),
    ready: (charge, invoice) => unlessRefused(() => readyInvoice(stripe, charge, invoice)),
    pay: (charge, invoice) => payInvoice(stripe, charge, invoice),
    close: (_charge, invoice) => closeInvoice(stripe, invoice),
    detach: async (paymentMethod) => {
      try {
        await stripe.paymentMethods.detach(paymentMethod);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    },
  };
};

type Step = 'invoice' | 'item' | 'finalize' | 'mark' | 'pay';
const once = ({ id }: Charge, step: Step): Stripe.RequestOptions => ({ idempotencyKey: `${id}:${step}` });
const metadataOf = ({ id, accountId, credits, usdCents }: Charge) => ({
  ...marksOf(accountId, { credits, usdCents }),
  top_up_id: id,
});

/** One line at the pack's price, and the name of the payment intent by which it will be paid: readInvoice asks for it. */
const readyInvoice = async (
  stripe: Stripe,
  charge: Charge,
  invoice: string,
): Promise<{ readonly result: 'ready'; readonly paymentIntent: string } | Refused> => {
  const pack = packOf(charge.credits);
  if (pack?.usdCents !== charge.usdCents) return refused('not_possible', `no pack of ${charge.credits} credits`);
  await stripe.invoiceItems.create(
    {
      customer: charge.customer,
      invoice,
      currency: 'usd',
      amount: charge.usdCents,
      tax_behavior: 'exclusive',
      description: `API pack: ${charge.credits.toLocaleString('en-US')} credits (automatic top-up)`,
    },
    once(charge, 'item'),
  );
  const final = await stripe.invoices.finalizeInvoice(
    invoice,
    { auto_advance: false, expand: ['payments'] },
    once(charge, 'finalize'),
  );
  const { status, subtotal, total, total_excluding_tax, amount_due } = final;
  const paymentIntent = intentOf(final);
  const beforeTax = total_excluding_tax ?? total;
  const isThePrice = subtotal === charge.usdCents && beforeTax === charge.usdCents && amount_due === total;
  if (!isThePrice || status !== 'open' || !paymentIntent)
    return refused(
      'not_possible',
      `the invoice ${invoice} is ${status}: ${subtotal}, ${beforeTax} without tax, ${amount_due} due of ${total}`,
    );
  await stripe.invoices.update(
    invoice,
    { metadata: { ...metadataOf(charge), payment_intent: paymentIntent } },
    once(charge, 'mark'),
  );
  return { result: 'ready', paymentIntent };
};

/** By which an invoice is paid; its `payments` have to be asked for. */
export const intentOf = ({ payments }: Stripe.Invoice): string | undefined => {
  const intent = payments?.data.find(({ is_default }) => is_default)?.payment.payment_intent;
  return typeof intent === 'string' ? intent : intent?.id;
};

const payInvoice = async (
  stripe: Stripe,
  charge: Charge,
  invoice: string,
): Promise<{ readonly result: 'paid' } | Refused> => {
  const paid = { result: 'paid' } as const;
  const reply = await unlessRefused(async () => {
    const asked = { payment_method: charge.paymentMethod, off_session: true };
    const { status } = await stripe.invoices.pay(invoice, asked, once(charge, 'pay'));
    return status === 'paid' ? paid : refused('authentication_required', `the invoice is ${status}`);
  });
  if (reply.result === 'paid') return paid;
  // An open invoice could be paid later, by its page; and a refusal may mean that it is paid already.
  return (await closeInvoice(stripe, invoice)) === 'paid' ? paid : reply;
};

const closeInvoice = async (stripe: Stripe, invoice: string): Promise<'paid' | 'closed'> => {
  const before = await statusOf(stripe, invoice);
  if (before === 'paid') return 'paid';
  if (before === 'void' || before === 'gone') return 'closed';
  try {
    await (before === 'draft' ? stripe.invoices.del(invoice) : stripe.invoices.voidInvoice(invoice));
    return 'closed';
  } catch (error) {
    // Paid in between.
    if ((await statusOf(stripe, invoice)) === 'paid') return 'paid';
    throw error;
  }
};

/** One that nothing was paid for (a balance that the customer has at Stripe covered it) charged no card. */
const statusOf = async (stripe: Stripe, invoice: string): Promise<Stripe.Invoice['status'] | 'gone'> => {
  const found = await unlessMissing(() => stripe.invoices.retrieve(invoice));
  return !found || (found.status === 'paid' && found.amount_paid === 0) ? 'gone' : found.status;
};

const refused = (reason: TopUpPause, why: string): Refused => ({ result: 'refused', reason, why });

/** Stripe understood and said no. Whatever else is thrown leaves open what happened. */
type Refusal = InstanceType<typeof StripeCardError> | InstanceType<typeof StripeInvalidRequestError>;
const isRefusal = (error: unknown): error is Refusal =>
  error instanceof StripeCardError ||
  (error instanceof StripeInvalidRequestError && (error.statusCode === 400 || error.statusCode === 404));

const unlessRefused = async <Reply>(ask: () => Promise<Reply>): Promise<Reply | Refused> => {
  try {
    return await ask();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refused(reasonOf(error), error.code ?? error.message);
  }
};

const REASONS: Readonly<Record<string, CardFault>> = {
  authentication_required: 'authentication_required',
  invoice_payment_intent_requires_action: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',
  expired_card: 'card_expired',
  // The customer or the payment method, which this alone names.
  resource_missing: 'card_removed',
};
const reasonOf = (error: Refusal): TopUpPause =>
  REASONS[error.decline_code ?? ''] ??
  REASONS[error.code ?? ''] ??
  (error instanceof StripeCardError ? 'card_declined' : 'not_possible');
