/**
 * Idempotency-Key records. Pure. A record names the batch that the first request opens, so that a retry after a crash
 * finds that batch instead of charging for a second one. One try owns the record, and only its owner may write it. A
 * running try renews its lease; once the lease is over, the next try takes the record over.
 */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';

/**
 * An answer to be replayed as it was. `fingerprint` tells whether a later request is the same one; `answer` is the
 * flow's own form of it, as JSON.
 */
export type StoredAnswer = { readonly fingerprint: string; readonly requestId: string; readonly answer: string };

export type IdempotencyRecord = {
  readonly batchId: string;
  /** The try that holds the record; null in records from before there were owners, which go by their batch. */
  readonly owner: string | null;
  readonly createdAtMs: number;
  readonly leaseUntilMs: number;
  readonly answer: StoredAnswer | null;
};

/** A try of a request: the id of the batch it would open, and a token of its own. */
export type Try = Pick<IdempotencyRecord, 'batchId' | 'owner'>;

export type BeginReply =
  | { readonly result: 'fresh' }
  | { readonly result: 'in_flight'; readonly retryAfterMs: number }
  /** The try that held the record died, having opened this batch or not. */
  | { readonly result: 'taken_over'; readonly batchId: string }
  | { readonly result: 'done'; readonly answer: StoredAnswer };

const isExpired = (record: IdempotencyRecord, nowMs: number): boolean =>
  nowMs >= record.createdAtMs + limits.idempotency.keptMs;

/** Reply to a try that shows this key, and the record to save if any. Repeated, it answers the same. */
export const begin = (
  earlier: IdempotencyRecord | undefined,
  { batchId, owner }: Try,
  nowMs: number,
): { readonly reply: BeginReply; readonly record?: IdempotencyRecord } => {
  const leaseUntilMs = nowMs + edgeLimits.idempotency.leaseMs;
  if (!earlier || isExpired(earlier, nowMs))
    return { reply: { result: 'fresh' }, record: { batchId, owner, createdAtMs: nowMs, leaseUntilMs, answer: null } };
  if (earlier.answer) return { reply: { result: 'done', answer: earlier.answer } };
  const takenOver = { result: 'taken_over', batchId: earlier.batchId } as const;
  if (isOwner(earlier, { batchId, owner }))
    return { reply: earlier.batchId === batchId ? { result: 'fresh' } : takenOver };
  if (nowMs < earlier.leaseUntilMs)
    return { reply: { result: 'in_flight', retryAfterMs: earlier.leaseUntilMs - nowMs } };
  return { reply: takenOver, record: { ...earlier, owner, leaseUntilMs } };
};

const isOwner = (record: IdempotencyRecord, { batchId, owner }: Try): boolean =>
  record.owner === owner && (owner !== null || record.batchId === batchId);

/** The record, if this try may write it: it is the owner, and there is no answer yet. */
export const owned = (record: IdempotencyRecord | undefined, by: Try): IdempotencyRecord | undefined =>
  record && !record.answer && isOwner(record, by) ? record : undefined;

/** The record with its lease prolonged and the batch that its owner will open now. */
export const renew = (record: IdempotencyRecord | undefined, by: Try, nowMs: number): IdempotencyRecord | undefined => {
  const own = owned(record, by);
  return own && { ...own, batchId: by.batchId, leaseUntilMs: nowMs + edgeLimits.idempotency.leaseMs };
};

/** The record with its lease over: the next try takes it over at once. */
export const yieldLease = (
  record: IdempotencyRecord | undefined,
  by: Try,
  nowMs: number,
): IdempotencyRecord | undefined => {
  const own = owned(record, by);
  return own && { ...own, leaseUntilMs: nowMs };
};

/** The record with its answer. */
export const finish = (
  record: IdempotencyRecord | undefined,
  by: Try,
  answer: StoredAnswer,
): IdempotencyRecord | undefined => {
  const own = owned(record, by);
  return own && { ...own, answer };
};
