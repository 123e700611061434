/**
 * How much of the queue an account's batches may fill: `edgeLimits.ledger.dispatchWindowMax` images in the queue or at
 * work at once over all of them, so that an account with many batches has no more of it than one with one. Each batch is
 * told its even share of that, as far as the others have left it free. What a batch has on its way already cannot be taken
 * back: it keeps that, and its window shrinks as images end. Pure.
 */
import { edgeLimits } from '../../limits.ts';

const { dispatchWindowMax } = edgeLimits.ledger;

export type Demand = {
  /** Sum of the other batches' windows. */
  readonly others: number;
  /** Batches with images that are neither posted nor voided, this one included. */
  readonly queuedHolds: number;
  /** Images of this batch in the queue or at work. */
  readonly inFlight: number;
  /** Its images neither posted nor voided. */
  readonly pending: number;
};

/** Images of the batch that may be in the queue or at work; 0: it waits and asks again. */
export const windowOf = ({ others, queuedHolds, inFlight, pending }: Demand): number => {
  const share = Math.max(1, Math.floor(dispatchWindowMax / queuedHolds));
  const free = Math.max(0, dispatchWindowMax - others);
  return Math.max(Math.min(inFlight, pending), Math.min(share, free, pending));
};
