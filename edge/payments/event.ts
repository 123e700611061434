/** A Stripe webhook delivery → what it means for an account. Pure but for the signature check; no storage. */
import Stripe from 'stripe';
import { PACK } from '../../shared/credits.ts';
import { limits } from '../../shared/limits.ts';

/** Marks checkouts of this service among others of the same Stripe account. */
export const SERVICE_MARK = 'packshot';

export type Paid = {
  readonly kind: 'paid';
  readonly accountId: string;
  readonly paymentIntent: string;
  readonly checkoutSession: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly credits: number;
  readonly email: string | null;
  readonly mode: 'stripe' | 'test';
  readonly atMs: number;
};

export const adjustmentKinds = ['refund', 'refund_failed', 'dispute', 'dispute_returned'] as const;
export type AdjustmentKind = (typeof adjustmentKinds)[number];
/**
 * Money that went back (refund, dispute) or came again (refund_failed, dispute_returned). `cents` is always positive.
 */
export type Adjusted = {
  readonly kind: 'adjusted';
  /** Unique per movement of money, so that any number of deliveries records it once. */
  readonly id: string;
  readonly paymentIntent: string;
  readonly adjustment: AdjustmentKind;
  readonly cents: number;
  readonly atMs: number;
};

export type PaymentEvent = Paid | Adjusted | { readonly kind: 'ignored'; readonly why: string };

const cryptoProvider = Stripe.createSubtleCryptoProvider();

/** The signed event, or undefined where the signature is missing, wrong or too old. */
export const verifyEvent = async (
  body: string,
  signature: string | undefined,
  secret: string,
  nowMs: number,
): Promise<Stripe.Event | undefined> => {
  if (!signature) return undefined;
  try {
    return await Stripe.webhooks.constructEventAsync(
      body,
      signature,
      secret,
      limits.payments.webhookAgeSecondsMax,
      cryptoProvider,
      nowMs,
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
    throw error;
  }
};

const ignored = (why: string): PaymentEvent => ({ kind: 'ignored', why });
const idOf = (value: string | { id: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.id;

/** What a verified event means. Unknown types and checkouts of other products are ignored. */
export const readEvent = (event: Stripe.Event): PaymentEvent => {
  const atMs = event.created * 1000;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readCheckout(event.data.object, atMs);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(event.data.object, atMs);
    case 'charge.dispute.funds_withdrawn':
      return adjusted(event.data.object, 'dispute', atMs);
    case 'charge.dispute.funds_reinstated':
      return adjusted(event.data.object, 'dispute_returned', atMs);
    default:
      return ignored(`event type ${event.type}`);
  }
};

const readCheckout = (session: Stripe.Checkout.Session, atMs: number): PaymentEvent => {
  if (session.metadata?.['service'] !== SERVICE_MARK) return ignored('a checkout of another product');
  if (session.payment_status !== 'paid') return ignored('not paid yet');
  const accountId = session.metadata['account_id'];
  const paymentIntent = idOf(session.payment_intent);
  if (!accountId || !paymentIntent) return ignored('no account or payment intent');
  // A tax may come on top of the price; the pack is what the subtotal pays for.
  if (session.amount_subtotal !== PACK.usdCents || session.currency !== 'usd')
    return ignored('not the price of the pack');
  return {
    kind: 'paid',
    accountId,
    paymentIntent,
    checkoutSession: session.id,
    amountCents: session.amount_total ?? PACK.usdCents,
    currency: 'usd',
    credits: PACK.credits,
    email: session.customer_details?.email ?? null,
    mode: session.metadata['mode'] === 'test' ? 'test' : 'stripe',
    atMs,
  };
};

const readRefund = (refund: Stripe.Refund, atMs: number): PaymentEvent => {
  if (refund.status === 'succeeded') return adjusted(refund, 'refund', atMs);
  // A refund that failed after it had succeeded brings the money back; one that never succeeded has taken no credits
  // (see `settle.ts`).
  if (refund.status === 'failed' || refund.status === 'canceled') return adjusted(refund, 'refund_failed', atMs);
  return ignored(`refund ${refund.status ?? 'without status'}`);
};

const adjusted = (of: Stripe.Refund | Stripe.Dispute, adjustment: AdjustmentKind, atMs: number): PaymentEvent => {
  const paymentIntent = idOf(of.payment_intent);
  if (!paymentIntent) return ignored('no payment intent');
  return { kind: 'adjusted', id: `${adjustment}:${of.id}`, paymentIntent, adjustment, cents: of.amount, atMs };
};
