/**
 * The scheduled run that depends on no delivery: reads Stripe's own list of events, looks up the payments of refunds and
 * disputes that have none, and settles what was recorded but not applied. Bounded; what is left is for the next run.
 * Whatever a working webhook would have done already is logged as an error: an operator should hear of it.
 */
import type Stripe from 'stripe';
import { type CompareDeps, comparePayments } from './compare.ts';
import { type PaymentEvent, readEvent, readInvoice, readPaymentIntent } from './event.ts';
import { paymentLimits } from './limits.ts';
import type { RedriveStore } from './redrive-store.ts';
import { recordEvent, recordNews, type SettleDeps, settle } from './settle.ts';
import type { EventWindow, StripeReader } from './stripe-client.ts';

export type RedriveDeps = SettleDeps &
  CompareDeps & {
    readonly redrive: RedriveStore;
    /** Null where no Stripe key is set. */
    readonly stripe: StripeReader | null;
    readonly liveOnly: boolean;
  };

/** Throws nothing: what fails is logged as `payment_redrive_failed` and tried again by the next run. */
export const redrivePayments = async (deps: RedriveDeps): Promise<void> => {
  const { stripe, redrive, log, nowMs } = deps;
  const attempt = async (step: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log('error', 'payment_redrive_failed', { step, error: String(error) });
    }
  };
  if (stripe) {
    await attempt('poll', () => poll(stripe, deps));
    await attempt('strays', () => resolveStrays(stripe, deps));
  }
  await attempt('forget', () => redrive.forgetOldStrays(nowMs - paymentLimits.strayKeptMs));
  await attempt('pending', () => settlePending(deps));
  await attempt('compare', () => comparePayments(deps));
};

/** Young events are left to the webhook. The window and the page reached are kept, so that a run can end anywhere. */
const poll = async (stripe: StripeReader, deps: RedriveDeps): Promise<void> => {
  const { redrive, nowMs } = deps;
  const until = nowMs - paymentLimits.deliveryMsMax;
  const upToNow = (fromMs: number): EventWindow => ({ fromMs, toMs: Math.max(fromMs, until), after: null });
  const kept = await redrive.pollWindow();
  let window = kept?.after ? kept : upToNow(kept?.fromMs ?? nowMs - paymentLimits.pollBackMsMax);
  for (let page = 0; page < paymentLimits.pollPagesPerSweepMax && window.fromMs < window.toMs; page++) {
    const { events, more } = await stripe.events(window);
    for (const event of events) await recordListed(event, deps);
    const last = more ? events.at(-1) : undefined;
    window = last ? { ...window, after: last.id } : upToNow(window.toMs);
    await redrive.savePollWindow(window);
  }
};

/**
 * A refund without a payment is taken for another product's until a look at Stripe says otherwise: no alert yet. A card
 * that Stripe refuses to tell of holds up nobody's money: its delivery comes again, or it is entered again.
 */
const recordListed = async (event: Stripe.Event, deps: RedriveDeps): Promise<void> => {
  const { log } = deps;
  const meaning = readEvent(event, deps);
  const fields = { event_id: event.id, type: event.type };
  try {
    if ((await recordNews(meaning, deps)) === 'recorded') log('error', 'stripe_event_missed', fields);
  } catch (error) {
    if (meaning.kind !== 'card_entered') throw error;
    log('error', 'card_not_saved', { ...fields, account_id: meaning.accountId, error: String(error) });
  }
};

/** A refund or dispute whose payment no event has told of: Stripe says whether it is ours. */
const resolveStrays = async (stripe: StripeReader, deps: RedriveDeps): Promise<void> => {
  const { redrive, nowMs, liveOnly, log } = deps;
  for (const id of await redrive.strays(nowMs - paymentLimits.deliveryMsMax)) {
    const meaning = await paymentOf(id, stripe, liveOnly);
    if (meaning?.kind !== 'paid') {
      await redrive.forgetStray(id);
      continue;
    }
    if ((await recordEvent(meaning, deps)) === 'recorded')
      log('error', 'stripe_event_missed', { payment_intent: id, type: 'payment_intent.succeeded' });
  }
};

/** The intent of a checkout says itself whose it is; that of a top-up, its invoice does. */
const paymentOf = async (id: string, stripe: StripeReader, liveOnly: boolean): Promise<PaymentEvent | undefined> => {
  const intent = await stripe.paymentIntent(id);
  if (!intent || (liveOnly && !intent.livemode)) return undefined;
  const own = readPaymentIntent(intent, intent.created * 1000);
  if (own.kind === 'paid' || intent.status !== 'succeeded') return own;
  const invoice = await stripe.invoiceOf(id);
  return invoice && readInvoice(invoice, intent.created * 1000);
};

/** Each on its own: one account's trouble does not reach another's payment. */
const settlePending = async (deps: RedriveDeps): Promise<void> => {
  const { redrive, nowMs, log } = deps;
  for (const { id, accountId, paymentIntent, pendingSince } of await redrive.pending(
    nowMs - paymentLimits.deliveryMsMax,
  )) {
    const fields = { payment_id: id, account_id: accountId, pending_ms: nowMs - pendingSince };
    try {
      await settle(paymentIntent, deps);
      log('warn', 'payment_credited_late', fields);
    } catch (error) {
      log('error', 'payment_not_credited', { ...fields, error: String(error) });
    }
  }
};
