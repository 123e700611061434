/**
 * The images of one upload, a few at once, each until it is decided or the upload's time is over. Whatever happens,
 * every image gets its one outcome.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import type { ImageJob, OpenBatch, Snapshot } from '../batch/port.ts';
import { attemptImage, backoffMs, failedOutcome } from '../batch/run-image.ts';
import type { Services, Trace } from '../ports.ts';

/**
 * Resolves when all images of the batch just opened have their outcome recorded, at most `limits.upload.waitMsMax` and
 * one call later. They are not
 * started with the saga first: nobody else runs them, and should a retry do so nevertheless, origin computes a job id
 * once and the saga decides once.
 */
export const runUploadImages = async (
  services: Services,
  { images, webhookUrl: _none, ...batch }: OpenBatch,
  trace: Trace,
): Promise<void> => {
  const saga = services.sagaOf(batch.batchId);
  const deadlineAtMs = services.clock.nowMs() + limits.upload.waitMsMax;
  const waiting = [...images.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, image] = next;
      await saga.record(index, await untilDecided(services, { ...batch, ...image }, index, deadlineAtMs, trace));
    }
  };
  await Promise.all(Array.from({ length: Math.min(images.length, limits.upload.concurrencyMax) }, worker));
};

/**
 * The batch with every image decided. One that is still open when the answer is due (another try of the same request
 * may be at it) is failed here: an image
 * that is called failed must not be charged later.
 */
export const decideOpenImages = async (services: Services, batch: Snapshot): Promise<Snapshot> => {
  const saga = services.sagaOf(batch.batchId);
  const open = batch.images.filter(({ outcome }) => outcome === null);
  if (open.length === 0) return batch;
  await Promise.all(open.map(({ index }) => saga.record(index, failedOutcome(failure('deadline_exceeded')))));
  return (await saga.snapshot()) ?? batch;
};

const backoff = { baseMs: limits.origin.retryBaseMs, capMs: limits.origin.retryCapMs };

const untilDecided = async (
  services: Services,
  job: ImageJob,
  index: number,
  deadlineAtMs: number,
  trace: Trace,
): Promise<Outcome> => {
  let last: Failure = failure('deadline_exceeded');
  for (let attempt = 0; attempt < limits.origin.uploadAttemptsMax; attempt++) {
    if (services.clock.nowMs() >= deadlineAtMs) break;
    const tried = await attemptImage(services, job, index, deadlineAtMs, trace);
    if (tried.kind === 'decided') return tried.outcome;
    last = tried.failure;
    const waitMs = backoffMs(attempt, tried.afterMs, services.chance(), backoff);
    if (attempt + 1 === limits.origin.uploadAttemptsMax || services.clock.nowMs() + waitMs >= deadlineAtMs) break;
    await services.clock.sleep(waitMs);
  }
  return failedOutcome(last);
};
