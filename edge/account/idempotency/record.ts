/**
 * Idempotency-Key records. Pure. A record names the batch that the first request opens, so that a retry after a crash
 * finds that batch instead of charging for a second one. A running request renews its lease; once the lease is over, the
 * next retry takes the record over.
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
  readonly createdAtMs: number;
  readonly leaseUntilMs: number;
  readonly answer: StoredAnswer | null;
};

export type BeginReply =
  | { readonly result: 'fresh' }
  | { readonly result: 'in_flight'; readonly retryAfterMs: number }
  /**
   * The request that held the record died. Go on with its batch, which it may or may not have opened: the record keeps
   * that id however often its requests die.
   */
  | { readonly result: 'taken_over'; readonly batchId: string }
  | { readonly result: 'done'; readonly answer: StoredAnswer };

export const isExpired = (record: IdempotencyRecord, nowMs: number): boolean =>
  nowMs >= record.createdAtMs + limits.idempotency.keptMs;

/** Reply to a request that shows this key, and the record to save if any. */
export const begin = (
  earlier: IdempotencyRecord | undefined,
  batchId: string,
  nowMs: number,
): { readonly reply: BeginReply; readonly record?: IdempotencyRecord } => {
  const record: IdempotencyRecord = {
    batchId,
    createdAtMs: nowMs,
    leaseUntilMs: nowMs + edgeLimits.idempotency.leaseMs,
    answer: null,
  };
  if (!earlier || isExpired(earlier, nowMs)) return { reply: { result: 'fresh' }, record };
  if (earlier.answer) return { reply: { result: 'done', answer: earlier.answer } };
  // The same request, whose first answer was lost.
  if (earlier.batchId === batchId) return { reply: { result: 'fresh' } };
  if (nowMs < earlier.leaseUntilMs)
    return { reply: { result: 'in_flight', retryAfterMs: earlier.leaseUntilMs - nowMs } };
  return {
    reply: { result: 'taken_over', batchId: earlier.batchId },
    record: { ...earlier, leaseUntilMs: record.leaseUntilMs },
  };
};

/** The record with its lease prolonged; undefined where it names another batch or is answered. */
export const renew = (
  record: IdempotencyRecord | undefined,
  batchId: string,
  nowMs: number,
): IdempotencyRecord | undefined =>
  record && record.batchId === batchId && !record.answer
    ? { ...record, leaseUntilMs: nowMs + edgeLimits.idempotency.leaseMs }
    : undefined;

/** The record with its lease over: the next retry goes on with the batch at once. */
export const yieldLease = (
  record: IdempotencyRecord | undefined,
  batchId: string,
  nowMs: number,
): IdempotencyRecord | undefined =>
  record && record.batchId === batchId && !record.answer ? { ...record, leaseUntilMs: nowMs } : undefined;

/** The record with its answer; undefined where it names another batch or is answered. */
export const finish = (
  record: IdempotencyRecord | undefined,
  batchId: string,
  answer: StoredAnswer,
): IdempotencyRecord | undefined =>
  record && record.batchId === batchId && !record.answer ? { ...record, answer } : undefined;
