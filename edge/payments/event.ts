/** A Stripe webhook delivery → what it means for an account. Pure but for the signature check; no storage. */
import Stripe from 'stripe';
import { PACK, type Pack, packOf } from '../../shared/credits.ts';
import { paymentLimits } from './limits.ts';
import type { Reversal } from './target.ts';

/** Marks checkouts of this service among others of the same Stripe account. */
const SERVICE_MARK = 'packshot';
/** What a checkout that only saves a card says of itself. */
export const ownerMarks = (accountId: string) => ({ service: SERVICE_MARK, account_id: accountId });
/** What a checkout and its payment intent say of themselves, so that either alone tells whose credits were paid. */
export const marksOf = (accountId: string, { credits }: Pack) => ({
  ...ownerMarks(accountId),
  pack_credits: String(credits),
});
/** What was made for this account by this service. */
export const isMarked = (marks: Stripe.Metadata | null, accountId: string): boolean =>
  marks?.['service'] === SERVICE_MARK && marks['account_id'] === accountId;
/** Checkouts of earlier releases name no pack: there was one. Undefined where there is no such pack. */
const packMarked = (marks: Stripe.Metadata): Pack | undefined => {
  const credits = marks['pack_credits'];
  if (credits === undefined) return PACK;
  const pack = packOf(Number(credits));
  return pack && credits === String(pack.credits) ? pack : undefined;
};

export type Paid = {
  readonly kind: 'paid';
  readonly accountId: string;
  readonly paymentIntent: string;
  /** Null where the payment intent tells of it. */
  readonly checkoutSession: string | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly credits: number;
  readonly email: string | null;
  readonly mode: 'stripe' | 'test';
  readonly atMs: number;
};

/** A card was entered for later charges; its event says whose, and Stripe is asked what it is. */
export type CardEntered = {
  readonly kind: 'card_entered';
  readonly accountId: string;
  readonly setupIntent: string;
  readonly customer: string;
  readonly atMs: number;
};

type Reversed = { readonly kind: 'reversed'; readonly reversal: Reversal };
export type PaymentEvent = Paid | Reversed | CardEntered | { readonly kind: 'ignored'; readonly why: string };

/** The types that say something about money; the webhook's endpoint at Stripe is subscribed to these. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'payment_intent.succeeded',
  'invoice.paid',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies readonly Stripe.Event['type'][];

const cryptoProvider = Stripe.createSubtleCryptoProvider();

/** The event, signed with one of `secrets`, or undefined where the signature is missing, wrong or too old. */
export const verifyEvent = async (
  body: string,
  signature: string | undefined,
  secrets: readonly string[],
  nowMs: number,
): Promise<Stripe.Event | undefined> => {
  if (!signature) return undefined;
  for (const secret of secrets) {
    const event = await signedEvent(body, signature, secret, nowMs);
    if (event) return event;
  }
  return undefined;
};

const signedEvent = async (
  body: string,
  signature: string,
  secret: string,
  nowMs: number,
): Promise<Stripe.Event | undefined> => {
  try {
    return await Stripe.webhooks.constructEventAsync(
      body,
      signature,
      secret,
      paymentLimits.webhookAgeSecondsMax,
      cryptoProvider,
      nowMs,
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
    throw error;
  }
};

/** Money that came for our product and bought nothing of it: somebody has to look. */
export const NOT_THE_PRICE = 'not the price of the pack';
const ignored = (why: string): PaymentEvent => ({ kind: 'ignored', why });
const idOf = (value: string | { id: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.id;

/**
 * What a verified event says about a payment. Unknown types and other products are ignored; so is, where `liveOnly`,
 * whatever moved no real money.
 */
export const readEvent = (event: Stripe.Event, { liveOnly }: { readonly liveOnly: boolean }): PaymentEvent => {
  if (liveOnly && !event.livemode) return ignored('test mode');
  const atMs = event.created * 1000;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readCheckout(event.data.object, atMs);
    case 'payment_intent.succeeded':
      return readPaymentIntent(event.data.object, atMs);
    case 'invoice.paid':
      return readInvoice(event.data.object, atMs);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(event.data.object, atMs);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return readDispute(event.data.object, event.type, atMs);
    default:
      return ignored(`event type ${event.type}`);
  }
};

const readCheckout = (session: Stripe.Checkout.Session, atMs: number): PaymentEvent => {
  if (session.metadata?.['service'] !== SERVICE_MARK) return ignored('a checkout of another product');
  if (session.mode === 'setup') return readSetup(session, atMs);
  if (session.payment_status !== 'paid') return ignored('not paid yet');
  const accountId = session.metadata['account_id'];
  const paymentIntent = idOf(session.payment_intent);
  if (!accountId || !paymentIntent) return ignored('no account or payment intent');
  // A tax may come on top of the price; the pack is what the subtotal pays for.
  const pack = packMarked(session.metadata);
  if (!pack || session.amount_subtotal !== pack.usdCents || session.currency !== 'usd') return ignored(NOT_THE_PRICE);
  return {
    kind: 'paid',
    accountId,
    paymentIntent,
    checkoutSession: session.id,
    amountCents: session.amount_total ?? pack.usdCents,
    currency: 'usd',
    credits: pack.credits,
    email: session.customer_details?.email ?? null,
    mode: session.metadata['mode'] === 'test' ? 'test' : 'stripe',
    atMs,
  };
};

const readSetup = (session: Stripe.Checkout.Session, atMs: number): PaymentEvent => {
  const accountId = session.metadata?.['account_id'];
  const [setupIntent, customer] = [idOf(session.setup_intent), idOf(session.customer)];
  if (session.status !== 'complete' || !accountId || !setupIntent || !customer)
    return ignored('no card, or no account');
  return { kind: 'card_entered', accountId, setupIntent, customer, atMs };
};

/**
 * The invoice of a top-up. Before it is charged it names the payment intent that charges it (`top-up.ts`): Stripe's own
 * list of an invoice's payments is not in its events. The invoice of a checkout has the marks without that name: the
 * checkout tells of it.
 */
export const readInvoice = (invoice: Stripe.Invoice, atMs: number): PaymentEvent => {
  const { metadata, status, subtotal, amount_paid: amountCents, currency } = invoice;
  const [accountId, paymentIntent] = [metadata?.['account_id'], metadata?.['payment_intent']];
  if (metadata?.['service'] !== SERVICE_MARK) return ignored('an invoice of another product');
  if (!paymentIntent) return ignored('an invoice that is not a top-up’s');
  if (status !== 'paid' || !accountId) return ignored('not paid, or no account');
  const pack = packMarked(metadata);
  if (!pack || subtotal !== pack.usdCents || amountCents < pack.usdCents || currency !== 'usd')
    return ignored(NOT_THE_PRICE);
  return {
    kind: 'paid',
    accountId,
    paymentIntent,
    checkoutSession: null,
    amountCents,
    currency: 'usd',
    credits: pack.credits,
    email: invoice.customer_email ?? null,
    mode: metadata['mode'] === 'test' ? 'test' : 'stripe',
    atMs,
  };
};

/** The same payment as its checkout tells it: `checkout.ts` marks both. Also what the re-drive asks Stripe for. */
export const readPaymentIntent = (intent: Stripe.PaymentIntent, atMs: number): PaymentEvent => {
  const accountId = intent.metadata?.['account_id'];
  if (intent.metadata?.['service'] !== SERVICE_MARK) return ignored('a payment of another product');
  if (intent.status !== 'succeeded' || !accountId) return ignored('not paid, or no account');
  const pack = packMarked(intent.metadata);
  if (!pack || intent.amount_received < pack.usdCents || intent.currency !== 'usd') return ignored(NOT_THE_PRICE);
  return {
    kind: 'paid',
    accountId,
    paymentIntent: intent.id,
    checkoutSession: null,
    amountCents: intent.amount_received,
    currency: 'usd',
    credits: pack.credits,
    email: intent.receipt_email,
    mode: 'stripe',
    atMs,
  };
};

/**
 * Stripe's refund goes from pending (or requires_action) to succeeded, and from any of these to failed or canceled,
 * which are final: a bank may still refuse what had succeeded. Money is gone from `succeeded` until `failed`.
 */
const readRefund = (refund: Stripe.Refund, atMs: number): PaymentEvent => {
  const { id, amount, status } = refund;
  if (status === 'succeeded') return reversed(refund, { id, source: 'refund', taken: amount, returned: 0, atMs });
  if (status === 'failed' || status === 'canceled')
    return reversed(refund, { id, source: 'refund', taken: amount, returned: amount, atMs });
  return ignored(`refund ${status ?? 'without status'}`);
};

/**
 * A dispute lists its withdrawals (below 0) and reinstatements (above 0) so far; the list only grows, and an inquiry has
 * none. The two events about funds count even where the list lags behind them or is in another currency; funds that
 * were reinstated had been withdrawn.
 */
const readDispute = (dispute: Stripe.Dispute, type: Stripe.Event['type'], atMs: number): PaymentEvent => {
  const listed = (dispute.balance_transactions ?? []).filter(({ currency }) => currency === dispute.currency);
  const total = (sign: 1 | -1): number => listed.reduce((sum, { amount }) => sum + Math.max(0, sign * amount), 0);
  const reinstated = type === 'charge.dispute.funds_reinstated';
  const withdrawn = reinstated || type === 'charge.dispute.funds_withdrawn';
  return reversed(dispute, {
    id: dispute.id,
    source: 'dispute',
    taken: total(-1) || (withdrawn ? dispute.amount : 0),
    returned: total(1) || (reinstated ? dispute.amount : 0),
    atMs,
  });
};

type Sums = { id: string; source: Reversal['source']; taken: number; returned: number; atMs: number };
/** Without a payment intent it is not ours: Stripe Checkout makes one for every payment. */
const reversed = (of: Stripe.Refund | Stripe.Dispute, { id, source, taken, returned, atMs }: Sums): PaymentEvent => {
  const paymentIntent = idOf(of.payment_intent);
  if (!paymentIntent) return ignored('no payment intent');
  if (taken === 0 && returned === 0) return ignored('no money has moved');
  return {
    kind: 'reversed',
    reversal: { id, paymentIntent, source, takenCents: taken, returnedCents: returned, atMs },
  };
};
