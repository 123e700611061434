/**
 * One image of a queue message. Messages come at least once and in any order; the saga lets one of them run,
 * and origin computes a job id once. What cannot be done now is postponed: the saga hands it over again, after the other
 * side's Retry-After where it named one.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { type ErrorCode, errors, type Failure, failure } from '../../shared/errors.ts';
import type { Outcome } from '../../shared/job.ts';
import type { FetchInput } from '../input-url/fetch-input.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import type { Services, Trace } from '../ports.ts';
import { inputKey } from '../stores/object-keys.ts';
import type { Pace } from './pace.ts';
import type { StartedJob } from './port.ts';
import { type Attempt, attemptImage, failedOutcome } from './run-image.ts';

export type ImageRef = { readonly batchId: string; readonly index: number };

export type BatchImageDeps = {
  readonly services: Services;
  readonly fetchInput: FetchInput;
  readonly pace: Pace;
  /** Runs a call to origin when it is its turn; at once where nobody waits. */
  readonly originSlot?: <T>(call: () => Promise<T>) => Promise<T>;
  readonly traceOf: (requestId: string) => Trace;
};

const backoff = { baseMs: edgeLimits.queue.backoffBaseMs, capMs: edgeLimits.queue.delayMsMax };

/** Throws where the message should come again: a bug, or a saga that could not be reached. */
export const runBatchImage = async (deps: BatchImageDeps, image: ImageRef): Promise<void> => {
  const { sagaOf, clock, random } = deps.services;
  const saga = sagaOf(image.batchId);
  const started = await saga.start(image.index);
  if (started.result !== 'run') return;
  const tried = await attempt(deps, started.job, image.index);
  const outcome = tried.kind === 'decided' ? tried.outcome : lastOutcome(started.job, tried.failure);
  if (outcome || tried.kind === 'decided') {
    if (outcome) await saga.record(image.index, outcome);
    return;
  }
  const { waits, failures } = started.job;
  const delayMs = backoffMs(waits + failures, backoff, random(), tried.afterMs);
  const because = WAITS.has(tried.failure.code) ? 'wait' : 'failure';
  await saga.postpone(image.index, Math.ceil(clock.nowMs() + delayMs), because);
};

/** The fleet has more than it can do. */
const OVERLOADED: ReadonlySet<ErrorCode> = new Set(['origin_busy', 'deadline_exceeded']);

/** The fleet, or this isolate, could not take the image, which says nothing of the image itself. */
const WAITS: ReadonlySet<ErrorCode> = new Set(['origin_busy', 'origin_unavailable', 'deadline_exceeded', 'not_ready']);

/** What an image that was tried too often ends with. */
const lastOutcome = ({ failures }: StartedJob, last: Failure): Outcome | undefined =>
  !WAITS.has(last.code) && failures + 1 >= edgeLimits.batch.attemptsMax ? failedOutcome(last) : undefined;

const attempt = async (deps: BatchImageDeps, job: StartedJob, index: number): Promise<Attempt> => {
  const { services } = deps;
  const missing = await fetchMissingInput(deps, job, index);
  if (missing) {
    const isLastTry = job.failures + 1 >= edgeLimits.inputUrl.attemptsMax || !errors[missing.code].retryable;
    const isLast = isLastTry && !WAITS.has(missing.code);
    return isLast
      ? { kind: 'decided', outcome: failedOutcome(missing) }
      : { kind: 'again', afterMs: 0, failure: missing };
  }
  const { originSlot = (call) => call() } = deps;
  const tried = await originSlot(() => {
    const deadlineAtMs = Math.min(job.deadlineAtMs, services.clock.nowMs() + edgeLimits.origin.callMsMax);
    return attemptImage(services, job, index, deadlineAtMs, deps.traceOf(job.requestId));
  });
  if (tried.kind === 'decided') deps.pace.taken();
  else if (OVERLOADED.has(tried.failure.code)) deps.pace.busy();
  return tried;
};

/** Puts the input into the store, unless an earlier delivery did. Undefined once it is there, else why it is not. */
const fetchMissingInput = async (
  { services, fetchInput }: BatchImageDeps,
  job: StartedJob,
  index: number,
): Promise<Failure | undefined> => {
  const key = inputKey(job.batchId, index);
  if (job.inputUrl === null || (await services.objects.head(key))) return undefined;
  const { sealedAuthorization: sealed } = job;
  const authorization = sealed === undefined ? undefined : await services.inputAuthorizations.open(sealed);
  if (sealed !== undefined && authorization === undefined) {
    // Without its header a store may answer with another picture. An isolate with the right secret may come.
    logEvent('error', 'input_authorization_unreadable', { batch_id: job.batchId });
    return failure('not_ready');
  }
  const fetched = await fetchInput({ url: job.inputUrl, authorization }, key);
  return fetched.ok ? undefined : fetched.failure;
};

/**
 * After the message's last delivery: whoever worked on it broke each time, which says little of the image. It counts as
 * one failed try and the saga hands it over again later; after the last try the image fails and its credit goes back.
 */
export const retryDeadLetter = async ({ sagaOf, clock }: Services, image: ImageRef): Promise<void> => {
  const saga = sagaOf(image.batchId);
  const started = await saga.start(image.index);
  if (started.result !== 'run') return;
  const broke = failure('processing_failed', 'The image could not be processed in any of several attempts');
  const outcome = lastOutcome(started.job, broke);
  if (outcome) await saga.record(image.index, outcome);
  else await saga.postpone(image.index, clock.nowMs() + edgeLimits.queue.delayMsMax, 'failure');
};
