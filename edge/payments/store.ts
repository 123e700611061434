/** Payments and their refunds and disputes, in D1. */
import { limits } from '../../shared/limits.ts';
import type { Adjusted, AdjustmentKind, Paid } from './event.ts';

export type Payment = {
  readonly id: string;
  readonly accountId: string;
  readonly paymentIntent: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly credits: number;
  readonly email: string | null;
  readonly mode: 'stripe' | 'test';
  readonly paidAt: number;
  readonly creditedAt: number | null;
};
export type Adjustment = {
  readonly id: string;
  readonly paymentId: string;
  readonly kind: AdjustmentKind;
  readonly cents: number;
  readonly credits: number;
  readonly madeAt: number;
  readonly recordedAt: number | null;
};

const PAYMENT = `id, account_id as accountId, payment_intent as paymentIntent, amount_cents as amountCents, currency, credits, email, mode,
  paid_at as paidAt, credited_at as creditedAt`;
const ADJUSTMENT = 'id, payment_id as paymentId, kind, cents, credits, made_at as madeAt, recorded_at as recordedAt';

/**
 * The credits of one adjustment follow from the sum of all: money back so far, as a share of the payment, rounded once,
 * less what was taken already. So
 * parts of a refund always add up to the credits of the whole. One statement, hence atomic.
 */
const ADD_ADJUSTMENT = `
  insert into payment_adjustments (id, payment_id, kind, cents, credits, made_at)
  select ?1, p.id, ?2, ?3,
    -max(0, min(p.credits, cast(round(1.0 * p.credits * (before.cents + ?3) / p.amount_cents) as integer))) - before.credits, ?4
  from payments p,
    (select coalesce(sum(cents), 0) as cents, coalesce(sum(credits), 0) as credits from payment_adjustments where payment_id = ?5) before
  where p.id = ?5
  on conflict (id) do nothing`;

const sign: Record<AdjustmentKind, 1 | -1> = { refund: 1, dispute: 1, refund_failed: -1, dispute_returned: -1 };

const required = <T>(row: T | null): T => {
  if (row === null) throw new Error('a row written just now is missing');
  return row;
};

export type PaymentStore = ReturnType<typeof paymentStore>;

export const paymentStore = (db: D1Database) => {
  const paymentByIntent = (intent: string): Promise<Payment | null> =>
    db.prepare(`select ${PAYMENT} from payments where payment_intent = ?`).bind(intent).first<Payment>();
  const adjustment = (id: string): Promise<Adjustment | null> =>
    db.prepare(`select ${ADJUSTMENT} from payment_adjustments where id = ?`).bind(id).first<Adjustment>();

  return {
    paymentByIntent,

    /** Adds the payment unless its intent is known; answers the row that stands. */
    addPayment: async (paid: Paid & { readonly id: string }): Promise<Payment> => {
      await db
        .prepare(
          `insert into payments (id, account_id, payment_intent, checkout_session, amount_cents, currency, credits, email, mode, paid_at)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
        )
        .bind(
          paid.id,
          paid.accountId,
          paid.paymentIntent,
          paid.checkoutSession,
          paid.amountCents,
          paid.currency,
          paid.credits,
          paid.email,
          paid.mode,
          paid.atMs,
        )
        .run();
      return required(await paymentByIntent(paid.paymentIntent));
    },

    markCredited: async (id: string, nowMs: number): Promise<void> =>
      void (await db
        .prepare('update payments set credited_at = ? where id = ? and credited_at is null')
        .bind(nowMs, id)
        .run()),

    hasAdjustment: async (id: string): Promise<boolean> => (await adjustment(id)) !== null,

    /** Adds the movement unless it is known; answers the row that stands. */
    addAdjustment: async (payment: Payment, adjusted: Adjusted): Promise<Adjustment> => {
      const cents = sign[adjusted.adjustment] * adjusted.cents;
      await db.prepare(ADD_ADJUSTMENT).bind(adjusted.id, adjusted.adjustment, cents, adjusted.atMs, payment.id).run();
      return required(await adjustment(adjusted.id));
    },

    markRecorded: async (id: string, nowMs: number): Promise<void> =>
      void (await db
        .prepare('update payment_adjustments set recorded_at = ? where id = ? and recorded_at is null')
        .bind(nowMs, id)
        .run()),

    /** Newest first. */
    payments: async (accountId: string): Promise<Payment[]> =>
      (
        await db
          .prepare(`select ${PAYMENT} from payments where account_id = ? order by paid_at desc limit ?`)
          .bind(accountId, limits.payments.receiptRowsMax)
          .all<Payment>()
      ).results,

    adjustments: async (accountId: string): Promise<Adjustment[]> =>
      (
        await db
          .prepare(
            `select a.id, a.payment_id as paymentId, a.kind, a.cents, a.credits, a.made_at as madeAt, a.recorded_at as recordedAt
             from payment_adjustments a join payments p on p.id = a.payment_id where p.account_id = ? order by a.made_at limit ?`,
          )
          .bind(accountId, limits.payments.receiptRowsMax)
          .all<Adjustment>()
      ).results,
  };
};
