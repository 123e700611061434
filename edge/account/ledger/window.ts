/**
 * How much of the queue an account's batches may fill: `edgeLimits.ledger.dispatchWindowMax` images in the queue or at
 * work at once, shared evenly by all that is open, so that an account with many batches has no more of it than one with
 * one. With more batches than images, the oldest ones have one each and the others wait.
 */
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';

const { dispatchWindowMax } = edgeLimits.ledger;

/** Images of this batch that may be in the queue or at work; 0 where nothing of it is pending, or it has to wait. */
export const windowOf = (sql: SqlStorage, batchId: string): number => {
  const isPending = first(sql, 'select 1 from hold where batchId = ? and pending > 0', batchId) !== undefined;
  if (!isPending) return 0;
  const open = first<{ open: number }>(sql, 'select pendingHolds as open from account')?.open ?? 0;
  if (open <= dispatchWindowMax) return Math.floor(dispatchWindowMax / Math.max(1, open));
  return olderPending(sql, batchId) < dispatchWindowMax ? 1 : 0;
};

/**
 * Batch ids sort by time. The partial index holds what is pending and nothing else; it is named because SQLite would
 * rather search the primary key, through every batch of the last month.
 */
const OLDER_PENDING = 'select 1 from hold indexed by holdDue where checkAtMs is not null and batchId < ? limit ?';
const olderPending = (sql: SqlStorage, batchId: string): number =>
  all(sql, OLDER_PENDING, batchId, dispatchWindowMax).length;
