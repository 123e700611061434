/**
 * One payment event → the account's ledger. Every step is idempotent by the payment's own id, and rows are written
 * before the ledger is told, so a
 * delivery that breaks off is finished by the next one.
 */
import { limits } from '../../shared/limits.ts';
import type { Adjusted, Paid, PaymentEvent } from './event.ts';
import type { PaymentStore } from './store.ts';

/** How the ledger hears of money: `id` makes a movement happen once, `credits` is signed. */
export type CreditMovement = {
  readonly id: string;
  readonly kind: 'purchase' | 'test_purchase' | Adjusted['adjustment'];
  readonly credits: number;
  readonly reference: string;
};
export type RecordCredits = (accountId: string, movement: CreditMovement) => Promise<void>;

export type Settled = 'recorded' | 'repeated' | 'ignored' | 'payment_unknown';
type Deps = {
  readonly store: PaymentStore;
  readonly recordCredits: RecordCredits;
  readonly newPaymentId: () => string;
  readonly nowMs: number;
};

/** Records the event. `payment_unknown` asks for another delivery later: events may arrive out of order. */
export const settle = async (event: PaymentEvent, deps: Deps): Promise<Settled> => {
  if (event.kind === 'paid') return settlePayment(event, deps);
  if (event.kind === 'adjusted') return settleAdjustment(event, deps);
  return 'ignored';
};

const settlePayment = async (paid: Paid, { store, recordCredits, newPaymentId, nowMs }: Deps): Promise<Settled> => {
  const payment = await store.addPayment({ id: newPaymentId(), ...paid });
  if (payment.creditedAt !== null) return 'repeated';
  await recordCredits(payment.accountId, {
    id: `purchase:${payment.paymentIntent}`,
    kind: payment.mode === 'test' ? 'test_purchase' : 'purchase',
    credits: payment.credits,
    reference: payment.id,
  });
  await store.markCredited(payment.id, nowMs);
  return 'recorded';
};

const settleAdjustment = async (adjusted: Adjusted, { store, recordCredits, nowMs }: Deps): Promise<Settled> => {
  const payment = await store.paymentByIntent(adjusted.paymentIntent);
  if (!payment) return nowMs - adjusted.atMs > limits.payments.orphanRetryMs ? 'ignored' : 'payment_unknown';
  if (
    adjusted.adjustment === 'refund_failed' &&
    !(await store.hasAdjustment(adjusted.id.replace('refund_failed:', 'refund:')))
  )
    return 'ignored';
  const row = await store.addAdjustment(payment, adjusted);
  if (row.recordedAt !== null) return 'repeated';
  await recordCredits(payment.accountId, {
    id: row.id,
    kind: adjusted.adjustment,
    credits: row.credits,
    reference: payment.id,
  });
  await store.markRecorded(row.id, nowMs);
  return 'recorded';
};
