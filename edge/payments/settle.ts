/**
 * One payment event → the account's ledger, in three steps that may each be the last before a crash: record the fact,
 * plan the movements that follow from all facts, tell the ledger of them. Every step can be done again, by another
 * delivery at the same moment too; `redrive.ts` finishes what was left.
 */
import { purchaseId } from '../account/top-up/port.ts';
import type { CardEntered, PaymentEvent } from './event.ts';
import { paymentLimits } from './limits.ts';
import type { PaymentStore, Snapshot } from './store.ts';
import { type MovementKind, nextMovement } from './target.ts';

/** How the ledger hears of money: `id` makes a movement happen once, `credits` is signed. */
type CreditMovement = {
  readonly id: string;
  readonly kind: MovementKind;
  readonly credits: number;
  readonly reference: string;
};
export type RecordCredits = (accountId: string, movement: CreditMovement) => Promise<void>;

/** False where it is not kept, because it is older than what is known. May be told again. */
export type KeepCard = (entered: CardEntered) => Promise<boolean>;

/** `payment_unknown`: a refund or dispute was recorded, and is applied when its payment is. */
export type Recorded = 'recorded' | 'repeated' | 'ignored' | 'payment_unknown';
export type SettleDeps = {
  readonly store: PaymentStore;
  readonly recordCredits: RecordCredits;
  readonly keepCard: KeepCard;
  readonly newPaymentId: () => string;
  readonly nowMs: number;
};

/** Records the event and settles its payment. Throws where the ledger or the database does. */
export const recordEvent = async (event: PaymentEvent, deps: SettleDeps): Promise<Recorded> => {
  if (event.kind === 'ignored') return 'ignored';
  if (event.kind === 'card_entered') return recordCard(event, deps);
  const isNews = await recordFact(event, deps);
  if (!(await settle(intentOf(event), deps))) return 'payment_unknown';
  return isNews ? 'recorded' : 'repeated';
};

/** As `recordEvent`, but what is no news is not settled again: for long lists of events most of which are known. */
export const recordNews = async (event: PaymentEvent, deps: SettleDeps): Promise<Recorded> => {
  if (event.kind === 'ignored') return 'ignored';
  if (event.kind === 'card_entered') return recordCard(event, deps);
  if (!(await recordFact(event, deps))) return 'repeated';
  return (await settle(intentOf(event), deps)) ? 'recorded' : 'payment_unknown';
};

const recordCard = async (entered: CardEntered, { keepCard }: SettleDeps): Promise<Recorded> =>
  (await keepCard(entered)) ? 'recorded' : 'repeated';

type Fact = Exclude<PaymentEvent, { kind: 'ignored' | 'card_entered' }>;
const intentOf = (fact: Fact): string => (fact.kind === 'paid' ? fact.paymentIntent : fact.reversal.paymentIntent);
const recordFact = (fact: Fact, { store, newPaymentId, nowMs }: SettleDeps): Promise<boolean> =>
  fact.kind === 'paid' ? store.addPayment(newPaymentId(), fact, nowMs) : store.addReversal(fact.reversal, nowMs);

type LedgerDeps = Pick<SettleDeps, 'store' | 'recordCredits' | 'nowMs'>;

/** Brings the ledger to what is known of the payment. False while it is not known to be paid. */
export const settle = async (paymentIntent: string, { store, recordCredits, nowMs }: LedgerDeps): Promise<boolean> => {
  const planned = await plan(paymentIntent, store);
  if (!planned) return false;
  const { payment, movements } = planned;
  // What takes credits goes first: no credit of a payment that was refunded before we heard of it is ever there to spend.
  const open = movements.filter(({ appliedAt }) => appliedAt === null).sort((a, b) => a.credits - b.credits);
  for (const { ledgerId, kind, credits } of open) {
    await recordCredits(payment.accountId, { id: ledgerId, kind, credits, reference: payment.id });
    await store.markApplied(ledgerId, nowMs);
  }
  await store.clearPending(planned);
  return true;
};

/** Plans until nothing is missing. A movement is written only if nobody else wrote a fact or movement meanwhile. */
const plan = async (paymentIntent: string, store: PaymentStore): Promise<Snapshot | undefined> => {
  for (let i = 0; i < paymentLimits.plansPerSettleMax; i++) {
    const seen = await store.snapshot(paymentIntent);
    const next = seen && nextMovement(seen, seen.movements);
    if (!seen || !next) return seen;
    const ledgerId =
      next.reversalId === null
        ? purchaseId(paymentIntent)
        : `${next.kind}:${next.reversalId}:${seen.movements.length + 1}`;
    await store.addMovement(seen, ledgerId, next);
  }
  throw new Error(`payment ${paymentIntent} has more movements than one settlement plans; the re-drive goes on`);
};
