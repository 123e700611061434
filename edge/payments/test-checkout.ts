/**
 * Local mode without a Stripe key: a checkout page of our own, plainly labelled, that moves no money. Paying makes the
 * event that Stripe would send, signs it as Stripe would, and hands it to the very webhook handler that Stripe calls.
 */
import Stripe from 'stripe';
import { packOf } from '../../shared/credits.ts';
import type { OpenCardCheckout } from './card.ts';
import type { Buyer, OpenCheckout } from './checkout.ts';
import type { CloseCheckouts } from './close-checkouts.ts';
import { marksOf } from './event.ts';
import { paymentLimits } from './limits.ts';

/** `purpose`: to pay a pack, or only to save a card. */
export type TestCheckout = Buyer & {
  readonly id: string;
  readonly createdAt: number;
  readonly credits: number;
  readonly purpose: 'payment' | 'card';
};
const COLUMNS = 'id, account_id as accountId, email, created_at as createdAt, credits, purpose';

type Open = { readonly db: D1Database; readonly newCheckoutId: () => string; readonly nowMs: number };
const open = async (
  { db, newCheckoutId, nowMs }: Open,
  { accountId, email }: Buyer,
  { credits, purpose }: Pick<TestCheckout, 'credits' | 'purpose'>,
): Promise<{ readonly url: string }> => {
  const id = newCheckoutId();
  await db.batch([
    db.prepare('delete from test_checkouts where created_at < ?').bind(nowMs - paymentLimits.testCheckoutMs),
    db
      .prepare(
        'insert into test_checkouts (id, account_id, email, created_at, credits, purpose) values (?, ?, ?, ?, ?, ?)',
      )
      .bind(id, accountId, email, nowMs, credits, purpose),
  ]);
  return { url: `/test-checkout?id=${id}` };
};

export const openTestCheckout =
  (to: Open): OpenCheckout =>
  (buyer, { credits }) =>
    open(to, buyer, { credits, purpose: 'payment' });
export const openTestCardCheckout =
  (to: Open): OpenCardCheckout =>
  (buyer) =>
    open(to, buyer, { credits: 0, purpose: 'card' });

export const closeTestCheckouts =
  (db: D1Database): CloseCheckouts =>
  async (accountId) => {
    await db.prepare('delete from test_checkouts where account_id = ?').bind(accountId).run();
    return 'closed';
  };

/** The checkout, if it is this account's and still open. */
export const findTestCheckout = (
  db: D1Database,
  id: string,
  accountId: string,
  nowMs: number,
): Promise<TestCheckout | null> =>
  db
    .prepare(`select ${COLUMNS} from test_checkouts where id = ? and account_id = ? and created_at >= ?`)
    .bind(id, accountId, nowMs - paymentLimits.testCheckoutMs)
    .first<TestCheckout>();

export type Delivery = { readonly body: string; readonly signature: string };
/** What Stripe would tell; its id follows from `of`, so what is told twice is one event. */
type Told = { readonly of: string; readonly type: Stripe.Event['type']; readonly object: Record<string, unknown> };

/** Body and signature header of the delivery that Stripe would make. */
export const signedDelivery = async ({ of, type, object }: Told, secret: string, nowMs: number): Promise<Delivery> => {
  const seconds = Math.floor(nowMs / 1000);
  const event = { id: `evt_test_${of}`, object: 'event', type, created: seconds, livemode: false, data: { object } };
  const body = JSON.stringify(event);
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp: seconds,
    scheme: 'v1',
    cryptoProvider: Stripe.createSubtleCryptoProvider(),
  });
  return { body, signature };
};

/** Ids follow from the checkout, so paying twice credits once. */
export const paidCheckout = (checkout: TestCheckout): Told => {
  const pack = packOf(checkout.credits);
  if (!pack) throw new Error(`a test checkout of ${checkout.credits} credits`);
  return {
    of: checkout.id,
    type: 'checkout.session.completed',
    object: {
      id: `cs_test_${checkout.id}`,
      object: 'checkout.session',
      mode: 'payment',
      payment_status: 'paid',
      payment_intent: `pi_test_${checkout.id}`,
      amount_subtotal: pack.usdCents,
      amount_total: pack.usdCents,
      currency: 'usd',
      customer_details: { email: checkout.email },
      metadata: { ...marksOf(checkout.accountId, pack), mode: 'test' },
    },
  };
};
