/**
 * What a flow answers, before it has a status code: that is http/respond.ts's. Answers are also stored for
 * idempotent replays, as JSON: renaming a field changes what an older one says.
 */
import { errors, type Failure } from '../../shared/errors.ts';
import type { Quota } from '../account/checks/port.ts';

/** For the headers and the request log. `remaining` is what the account can still spend, credits. */
type AccountCredits = { readonly charged: number; readonly remaining: number };

export type Answer = (
  | { readonly kind: 'ok' | 'created' | 'accepted'; readonly body: Readonly<Record<string, unknown>> }
  /** Done, and nothing to say. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'failed'; readonly failure: Failure }
) & {
  readonly account?: AccountCredits;
  readonly images?: number;
  readonly batchId?: string;
  readonly location?: string;
  readonly retryAfterSeconds?: number;
  /** What the request counted against, beside the account's rate. */
  readonly quotas?: readonly Quota[];
  /** The answer is that of an earlier request, whose id this is. */
  readonly replayOf?: string;
};

export const failed = (failure: Failure, more: Omit<Answer, 'kind'> = {}): Answer => ({
  kind: 'failed',
  failure,
  ...more,
});

/** Whether the same request, sent again, must get this very answer. What may succeed next time is not kept. */
export const isFinal = (answer: Answer): boolean => {
  if (answer.kind !== 'failed') return true;
  const row = errors[answer.failure.code];
  return row.scope === 'image' && !row.retryable;
};

/** Somebody may be charged for a batch that this answer names. */
export const isUnknown = (answer: Answer): boolean =>
  answer.kind === 'failed' && answer.failure.code === 'outcome_unknown';

/**
 * The answer tells what became of a batch; any other one (a mistake in the request's body, or no room for it) tells
 * nothing of it.
 */
export const isAboutBatch = (answer: Answer): boolean => answer.batchId !== undefined && !isUnknown(answer);
