/**
 * What the ledger should hold for one payment, as a function of the facts known about it. Pure: no I/O, no clock.
 *
 * Stripe delivers events late, twice and in any order, so no event is acted upon by itself. Each is recorded as a fact;
 * facts only grow (`takenCents` and `returnedCents` are maxima over all events of one refund or dispute), hence the
 * same set of events leads to the same facts in whatever order it came. The ledger is then moved by the difference
 * between what the facts ask for and what was planned before.
 */

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
};

/**
 * A refund or a dispute: money that was taken back from us, and what of it came again (a refund that failed, a dispute
 * that was won). Cents of the payment's currency, never below 0, and never falling from one event to the next.
 */
export type Reversal = {
  readonly id: string;
  readonly paymentIntent: string;
  readonly source: 'refund' | 'dispute';
  readonly takenCents: number;
  readonly returnedCents: number;
  /** Time of the newest event behind it. */
  readonly atMs: number;
};

const movementKinds = ['purchase', 'test_purchase', 'refund', 'refund_failed', 'dispute', 'dispute_returned'] as const;
export type MovementKind = (typeof movementKinds)[number];

/** One step of the ledger. `cents` is money that went back (above 0) or came again (below 0); `credits` is signed. */
export type Movement = {
  readonly kind: MovementKind;
  /** Null for the purchase itself. */
  readonly reversalId: string | null;
  readonly cents: number;
  readonly credits: number;
  readonly madeAt: number;
};

export type Facts = { readonly payment: Payment; readonly reversals: readonly Reversal[] };

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const reversedCents = ({ takenCents, returnedCents }: Reversal): number => Math.max(0, takenCents - returnedCents);

/** Rounded once, over the whole: parts of a refund add up to the credits of the payment. */
const creditsLeft = ({ credits, amountCents }: Payment, cents: number): number =>
  credits - Math.min(credits, Math.max(0, Math.round((credits * cents) / amountCents)));

/** Credits that the payment stands for once every known refund and dispute is counted; 0 ≤ x ≤ `payment.credits`. */
export const targetCredits = ({ payment, reversals }: Facts): number =>
  creditsLeft(payment, sum(reversals.map(reversedCents)));

const kindOf = (source: Reversal['source'], cents: number): MovementKind => {
  if (source === 'refund') return cents > 0 ? 'refund' : 'refund_failed';
  return cents > 0 ? 'dispute' : 'dispute_returned';
};

/**
 * The next movement that is still missing, undefined once the planned credits are `targetCredits`. The purchase comes
 * first; then one movement for each refund or dispute whose money is not what was planned for it.
 */
export const nextMovement = ({ payment, reversals }: Facts, planned: readonly Movement[]): Movement | undefined => {
  if (planned.length === 0)
    return {
      kind: payment.mode === 'test' ? 'test_purchase' : 'purchase',
      reversalId: null,
      cents: 0,
      credits: payment.credits,
      madeAt: payment.paidAt,
    };
  for (const reversal of reversals) {
    const before = sum(planned.filter(({ reversalId }) => reversalId === reversal.id).map(({ cents }) => cents));
    const cents = reversedCents(reversal) - before;
    if (cents === 0) continue;
    const after = creditsLeft(payment, sum(planned.map((movement) => movement.cents)) + cents);
    return {
      kind: kindOf(reversal.source, cents),
      reversalId: reversal.id,
      cents,
      credits: after - sum(planned.map(({ credits }) => credits)),
      madeAt: reversal.atMs,
    };
  }
  return undefined;
};
