/**
 * One queue message: one image of a batch. Messages come at least once and in any order; the saga lets one of them run,
 * and origin computes a job id once. What cannot be done now goes back to the queue, after the other side's Retry-After
 * where it named one.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import { parseImageId } from '../../shared/ids.ts';
import type { Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import type { Services, Trace } from '../ports.ts';
import { inputKey } from '../stores/object-keys.ts';
import type { ImageJob } from './port.ts';
import { type Attempt, attemptImage, failedOutcome } from './run-image.ts';

/** Fetches `url` into the store at `objectKey`. */
export type FetchInput = (url: string, objectKey: string) => Promise<Result<unknown, Failure>>;
export type BatchImageDeps = {
  readonly services: Services;
  readonly fetchInput: FetchInput;
  readonly traceOf: (requestId: string) => Trace;
};

/** `done`: the message is no longer needed. */
export type MessageVerdict = { readonly kind: 'done' } | { readonly kind: 'again'; readonly delaySeconds: number };
const done: MessageVerdict = { kind: 'done' };
const backoff = { baseMs: edgeLimits.queue.backoffBaseMs, capMs: edgeLimits.queue.delayMsMax };

/** `deliveries` counts this one: 1 for the first. */
export const runBatchImage = async (
  deps: BatchImageDeps,
  imageId: string,
  deliveries: number,
): Promise<MessageVerdict> => {
  const image = parseImageId(imageId);
  if (!image) return done;
  const { sagaOf, clock, random } = deps.services;
  const saga = sagaOf(image.batchId);
  const started = await saga.start(image.index);
  if (started.result !== 'run') return done;
  const tried = await attempt(deps, started.job, image.index, deliveries);
  if (tried.kind === 'decided') {
    await saga.record(image.index, tried.outcome);
    return done;
  }
  const delayMs = backoffMs(deliveries - 1, backoff, random(), tried.afterMs);
  await saga.postpone(image.index, clock.nowMs() + delayMs);
  return { kind: 'again', delaySeconds: Math.ceil(delayMs / 1_000) };
};

const attempt = async (deps: BatchImageDeps, job: ImageJob, index: number, deliveries: number): Promise<Attempt> => {
  const { services } = deps;
  const missing = await fetchMissingInput(deps, job, index);
  if (missing) {
    const isLast = deliveries >= edgeLimits.inputUrl.attemptsMax || !errors[missing.code].retryable;
    return isLast
      ? { kind: 'decided', outcome: failedOutcome(missing) }
      : { kind: 'again', afterMs: 0, failure: missing };
  }
  const deadlineAtMs = Math.min(job.deadlineAtMs, services.clock.nowMs() + edgeLimits.origin.callMsMax);
  return attemptImage(services, job, index, deadlineAtMs, deps.traceOf(job.requestId));
};

/** Puts the input into the store, unless an earlier delivery did. Undefined once it is there, else why it is not. */
const fetchMissingInput = async (
  { services, fetchInput }: BatchImageDeps,
  job: ImageJob,
  index: number,
): Promise<Failure | undefined> => {
  const key = inputKey(job.batchId, index);
  if (job.inputUrl === null || (await services.objects.head(key))) return undefined;
  const fetched = await fetchInput(job.inputUrl, key);
  return fetched.ok ? undefined : fetched.failure;
};

/** After the message's last attempt: the image fails, and its credit goes back. */
export const giveUpBatchImage = async (services: Services, imageId: string): Promise<void> => {
  const image = parseImageId(imageId);
  if (!image) return;
  const gaveUp = failure('processing_failed', 'The image could not be processed in any of several attempts');
  await services.sagaOf(image.batchId).record(image.index, failedOutcome(gaveUp));
};
