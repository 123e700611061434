/**
 * Local mode without a Stripe key: a checkout page of our own, plainly labelled, that moves no money. Paying makes the
 * event that Stripe would send, signs it as Stripe would, and hands it to the very webhook handler that Stripe calls.
 */
import Stripe from 'stripe';
import { packOf } from '../../shared/credits.ts';
import type { Buyer, OpenCheckout } from './checkout.ts';
import { marksOf } from './event.ts';
import { paymentLimits } from './limits.ts';

export type TestCheckout = Buyer & { readonly id: string; readonly createdAt: number; readonly credits: number };
const COLUMNS = 'id, account_id as accountId, email, created_at as createdAt, credits';

export const openTestCheckout =
  (db: D1Database, newCheckoutId: () => string, nowMs: number): OpenCheckout =>
  async (buyer, pack) => {
    const id = newCheckoutId();
    await db.batch([
      db.prepare('delete from test_checkouts where created_at < ?').bind(nowMs - paymentLimits.testCheckoutMs),
      db
        .prepare('insert into test_checkouts (id, account_id, email, created_at, credits) values (?, ?, ?, ?, ?)')
        .bind(id, buyer.accountId, buyer.email, nowMs, pack.credits),
    ]);
    return { url: `/test-checkout?id=${id}` };
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

/**
 * Body and signature header of the delivery that Stripe would make for this checkout. Ids follow from the checkout, so
 * paying twice credits once.
 */
export const signedDelivery = async (
  checkout: TestCheckout,
  secret: string,
  nowMs: number,
): Promise<{ body: string; signature: string }> => {
  const seconds = Math.floor(nowMs / 1000);
  const pack = packOf(checkout.credits);
  if (!pack) throw new Error(`a test checkout of ${checkout.credits} credits`);
  const body = JSON.stringify({
    id: `evt_test_${checkout.id}`,
    object: 'event',
    type: 'checkout.session.completed',
    created: seconds,
    livemode: false,
    data: {
      object: {
        id: `cs_test_${checkout.id}`,
        object: 'checkout.session',
        payment_status: 'paid',
        payment_intent: `pi_test_${checkout.id}`,
        amount_subtotal: pack.usdCents,
        amount_total: pack.usdCents,
        currency: 'usd',
        customer_details: { email: checkout.email },
        metadata: { ...marksOf(checkout.accountId, pack), mode: 'test' },
      },
    },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp: seconds,
    scheme: 'v1',
    cryptoProvider: Stripe.createSubtleCryptoProvider(),
  });
  return { body, signature };
};
