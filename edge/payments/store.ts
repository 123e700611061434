/** Payments, what reversed them, and what the ledger was told, in D1. All SQL of payments but the test checkout's. */
import type { Paid } from './event.ts';
import { paymentLimits } from './limits.ts';
import type { Movement, Payment, Reversal } from './target.ts';

type PlannedMovement = Movement & {
  /** 1, 2, 3 … within the payment. */
  readonly sequence: number;
  /** What makes it happen once in the ledger. */
  readonly ledgerId: string;
  readonly appliedAt: number | null;
};
export type Snapshot = {
  readonly payment: Payment;
  readonly reversals: readonly Reversal[];
  readonly movements: readonly PlannedMovement[];
};
/** A movement as a receipt shows it. */
export type Adjustment = Movement & { readonly paymentId: string };

const PAYMENT = `id, account_id as accountId, payment_intent as paymentIntent, amount_cents as amountCents, currency, credits, email, mode,
  paid_at as paidAt`;
const REVERSAL = `id, payment_intent as paymentIntent, source, taken_cents as takenCents, returned_cents as returnedCents, at as atMs`;
const MOVEMENT = `sequence, ledger_id as ledgerId, kind, reversal_id as reversalId, cents, credits, made_at as madeAt, applied_at as appliedAt`;

const ADD_PAYMENT = `
  insert into payments (id, account_id, payment_intent, checkout_session, amount_cents, currency, credits, email, mode, paid_at, pending_since)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;
/** The checkout's own words win over the payment intent's, and the earliest time over later ones, whichever comes first. */
const COMPLETE_PAYMENT = `
  update payments set paid_at = min(paid_at, ?2), checkout_session = coalesce(checkout_session, ?3),
    email = case when checkout_session is null then coalesce(?4, email) else coalesce(email, ?4) end
  where payment_intent = ?1`;

/** Both sums only grow. A reversal whose payment is unknown is a stray until that payment is added. */
const ADD_REVERSAL = `
  insert into payment_reversals (id, payment_intent, source, taken_cents, returned_cents, at, stray_since)
  select ?1, ?2, ?3, ?4, ?5, ?6, case when exists (select 1 from payments where payment_intent = ?2) then null else ?7 end where true
  on conflict (id) do update set taken_cents = max(taken_cents, excluded.taken_cents),
    returned_cents = max(returned_cents, excluded.returned_cents), at = max(at, excluded.at)
  where excluded.taken_cents > taken_cents or excluded.returned_cents > returned_cents`;
/** Before ADD_REVERSAL, in the same transaction: what is no news leaves a settled payment settled. */
const MARK_PENDING = `
  update payments set pending_since = coalesce(pending_since, ?5) where payment_intent = ?2
    and not exists (select 1 from payment_reversals where id = ?1 and taken_cents >= ?3 and returned_cents >= ?4)`;

/** Holds while no fact was added since a snapshot was taken: the sums only grow. */
const UNCHANGED = `(select coalesce(sum(taken_cents + returned_cents), 0) from payment_reversals where payment_intent = ?1) = ?2`;
const ADD_MOVEMENT = `
  insert into payment_movements (payment_intent, sequence, ledger_id, kind, reversal_id, cents, credits, made_at)
  select ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9 where ${UNCHANGED} on conflict do nothing`;
const CLEAR_PENDING = `
  update payments set pending_since = null, compared_at = null
  where payment_intent = ?1 and pending_since is not null and ${UNCHANGED}
    and not exists (select 1 from payment_movements m where m.payment_intent = ?1 and m.applied_at is null)`;

const factSum = ({ reversals }: Snapshot): number =>
  reversals.reduce((sum, { takenCents, returnedCents }) => sum + takenCents + returnedCents, 0);

export type PaymentStore = ReturnType<typeof paymentStore>;

export const paymentStore = (db: D1Database) => ({
  /** Records that it was paid; true when that was news. Reversals that came before it are joined to it. */
  addPayment: async (id: string, paid: Paid, nowMs: number): Promise<boolean> => {
    const { accountId, paymentIntent, checkoutSession, amountCents, currency, credits, email, mode, atMs } = paid;
    const row = [
      id,
      accountId,
      paymentIntent,
      checkoutSession,
      amountCents,
      currency,
      credits,
      email,
      mode,
      atMs,
      nowMs,
    ];
    const [added] = await db.batch([
      db.prepare(ADD_PAYMENT).bind(...row),
      db.prepare(COMPLETE_PAYMENT).bind(paymentIntent, atMs, checkoutSession, email),
      db.prepare('update payment_reversals set stray_since = null where payment_intent = ?').bind(paymentIntent),
    ]);
    return (added?.meta.changes ?? 0) > 0;
  },

  /** Records money that went back or came again; true when that was news. */
  addReversal: async (reversal: Reversal, nowMs: number): Promise<boolean> => {
    const { id, paymentIntent, source, takenCents, returnedCents, atMs } = reversal;
    const [, added] = await db.batch([
      db.prepare(MARK_PENDING).bind(id, paymentIntent, takenCents, returnedCents, nowMs),
      db.prepare(ADD_REVERSAL).bind(id, paymentIntent, source, takenCents, returnedCents, atMs, nowMs),
    ]);
    return (added?.meta.changes ?? 0) > 0;
  },

  /** All that is known of one payment at one moment; undefined while it is not known to be paid. */
  snapshot: async (paymentIntent: string): Promise<Snapshot | undefined> => {
    const of = (columns: string, table: string, order: string): D1PreparedStatement =>
      db.prepare(`select ${columns} from ${table} where payment_intent = ? order by ${order}`).bind(paymentIntent);
    const [payments, reversals, movements] = await db.batch([
      of(PAYMENT, 'payments', 'id'),
      of(REVERSAL, 'payment_reversals', 'id'),
      of(MOVEMENT, 'payment_movements', 'sequence'),
    ]);
    const payment = payments?.results[0] as Payment | undefined;
    return (
      payment && {
        payment,
        reversals: (reversals?.results ?? []) as Reversal[],
        movements: (movements?.results ?? []) as PlannedMovement[],
      }
    );
  },

  /** Adds the movement that follows from the snapshot; nothing where a fact or a movement was added since. */
  addMovement: async (seen: Snapshot, ledgerId: string, movement: Movement): Promise<void> => {
    const { kind, reversalId, cents, credits, madeAt } = movement;
    await db
      .prepare(ADD_MOVEMENT)
      .bind(
        seen.payment.paymentIntent,
        factSum(seen),
        seen.movements.length + 1,
        ledgerId,
        kind,
        reversalId,
        cents,
        credits,
        madeAt,
      )
      .run();
  },

  markApplied: async (ledgerId: string, nowMs: number): Promise<void> =>
    void (await db
      .prepare('update payment_movements set applied_at = ? where ledger_id = ? and applied_at is null')
      .bind(nowMs, ledgerId)
      .run()),

  /** The ledger was told of everything in the snapshot. Stays pending where a fact was added since. */
  clearPending: async (seen: Snapshot): Promise<void> =>
    void (await db.prepare(CLEAR_PENDING).bind(seen.payment.paymentIntent, factSum(seen)).run()),

  /** Newest first. */
  payments: async (accountId: string): Promise<Payment[]> =>
    (
      await db
        .prepare(`select ${PAYMENT} from payments where account_id = ? order by paid_at desc limit ?`)
        .bind(accountId, paymentLimits.receiptRowsMax)
        .all<Payment>()
    ).results,

  /** Refunds and disputes of the account's payments, oldest first. */
  adjustments: async (accountId: string): Promise<Adjustment[]> =>
    (
      await db
        .prepare(
          `select p.id as paymentId, m.kind, m.reversal_id as reversalId, m.cents, m.credits, m.made_at as madeAt
           from payment_movements m join payments p on p.payment_intent = m.payment_intent
           where p.account_id = ? and m.reversal_id is not null order by m.made_at, m.sequence limit ?`,
        )
        .bind(accountId, paymentLimits.receiptRowsMax)
        .all<Adjustment>()
    ).results,
});
