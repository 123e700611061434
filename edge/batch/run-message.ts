/**
 * One queue message: one image of a batch. Messages come at least once and in any order; the saga lets one of them run,
 * and origin computes a job id once.
 * What cannot be done now goes back to the queue, with the other side's Retry-After where it named one.
 */
import { errors, type Failure, failure } from '../../shared/errors.ts';
import { parseImageId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Result } from '../../shared/result.ts';
import type { Services, Trace } from '../ports.ts';
import { inputKey } from '../stores/object-keys.ts';
import type { ImageJob } from './port.ts';
import { attemptImage, backoffMs, failedOutcome } from './run-image.ts';

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
const backoff = { baseMs: limits.queue.backoffBaseMs, capMs: limits.queue.delayMsMax };

/** `deliveries` counts this one: 1 for the first. */
export const runBatchImage = async (
  deps: BatchImageDeps,
  imageId: string,
  deliveries: number,
): Promise<MessageVerdict> => {
  const place = parseImageId(imageId);
  if (!place) return done;
  const saga = deps.services.sagaOf(place.batchId);
  const started = await saga.start(place.index);
  if (started.result !== 'run') return done;
  const tried = await attempt(deps, started.job, place.index, deliveries);
  if (tried.kind === 'decided') {
    await saga.record(place.index, tried.outcome);
    return done;
  }
  const delayMs = backoffMs(deliveries - 1, tried.afterMs, deps.services.chance(), backoff);
  await saga.postpone(place.index, deps.services.clock.nowMs() + delayMs);
  return { kind: 'again', delaySeconds: Math.ceil(delayMs / 1_000) };
};

const attempt = async (
  deps: BatchImageDeps,
  job: ImageJob,
  index: number,
  deliveries: number,
): ReturnType<typeof attemptImage> => {
  const { services } = deps;
  const fetched = await input(deps, job, index);
  if (fetched) {
    const { code } = fetched;
    const lastTry = deliveries >= limits.inputUrl.attemptsMax || !errors[code].retryable;
    return lastTry
      ? { kind: 'decided', outcome: failedOutcome(fetched) }
      : { kind: 'again', afterMs: 0, failure: fetched };
  }
  const deadlineAtMs = Math.min(job.deadlineAtMs, services.clock.nowMs() + limits.origin.callMsMax);
  return attemptImage(services, job, index, deadlineAtMs, deps.traceOf(job.requestId));
};

/**
 * Why the input is not in the store; undefined when it is. An input fetched by an earlier delivery is not fetched
 * again.
 */
const input = async (
  { services, fetchInput }: BatchImageDeps,
  job: ImageJob,
  index: number,
): Promise<Failure | undefined> => {
  const key = inputKey(job.batchId, index);
  if (job.inputUrl === null || (await services.objects.head(key))) return undefined;
  const fetched = await fetchInput(job.inputUrl, key);
  return fetched.ok ? undefined : fetched.failure;
};

/** The queue gave the image up: it fails, and its credit goes back. */
export const giveUpBatchImage = async (services: Services, imageId: string): Promise<void> => {
  const place = parseImageId(imageId);
  if (place)
    await services
      .sagaOf(place.batchId)
      .record(
        place.index,
        failedOutcome(failure('processing_failed', 'The image could not be processed in any of several attempts')),
      );
};
