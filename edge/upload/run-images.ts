/**
 * The images of one upload, a few at once, each until it is decided or the upload's time is over. Whatever happens,
 * every image gets its one outcome.
 */
import pMap from 'p-map';
import { backoffMs } from '../../shared/backoff.ts';
import { sleep } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import type { DecidedBatch, ImageJob, OpenBatch, Snapshot } from '../batch/port.ts';
import { attemptImage, failedOutcome } from '../batch/run-image.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services, Trace } from '../ports.ts';

const { uploadAttemptsMax, retryBaseMs, retryCapMs } = edgeLimits.origin;

/**
 * Runs all images of the batch just opened and answers it with every image decided, after `limits.upload.waitMsMax` and
 * one call at most. The images are not started with the saga first: a retry may run them too, but origin computes a job
 * id once and the saga decides once.
 */
export const runUploadImages = (
  services: Services,
  { images, webhookUrl: _none, ...batch }: OpenBatch,
  trace: Trace,
): Promise<DecidedBatch> =>
  runJobs(
    services,
    batch.batchId,
    [...images.entries()].map(([index, image]) => [index, { ...batch, ...image }]),
    trace,
  );

/** The same for an upload whose earlier try died: its inputs lie in the store, and what is decided stays. */
export const resumeUploadImages = (services: Services, batch: Snapshot, trace: Trace): Promise<DecidedBatch> => {
  const { batchId, accountId, keyId, requestId, fingerprint, mode, options, style } = batch;
  const context = { batchId, accountId, keyId, requestId, fingerprint, mode, options, style };
  const deadlineAtMs = services.clock.nowMs() + limits.upload.waitMsMax;
  const open = openImages(batch);
  const jobs = open.map(({ index, originalName, filename }): [number, ImageJob] => [
    index,
    { ...context, originalName, filename, inputUrl: null, deadlineAtMs },
  ]);
  return runJobs(services, batchId, jobs, trace);
};

const openImages = ({ images }: Snapshot) => images.filter(({ outcome, isRemoved }) => outcome === null && !isRemoved);

const runJobs = async (
  services: Services,
  batchId: string,
  jobs: readonly (readonly [number, ImageJob])[],
  trace: Trace,
): Promise<DecidedBatch> => {
  const saga = services.sagaOf(batchId);
  const deadlineAtMs = services.clock.nowMs() + limits.upload.waitMsMax;
  let ended: DecidedBatch | undefined;
  const runOne = async ([index, job]: readonly [number, ImageJob]): Promise<void> => {
    try {
      const reply = await saga.record(index, await untilDecided(services, job, index, deadlineAtMs, trace));
      ended = reply.ended ?? ended;
    } catch (error) {
      // It keeps no other image from being decided; what the saga knows of this one is seen below.
      logEvent('error', 'upload_image_threw', { batch_id: batchId, index, error: errorText(error) });
    }
  };
  await pMap(jobs, runOne, { concurrency: edgeLimits.upload.concurrencyMax });
  if (ended) return ended;
  const batch = await saga.snapshot();
  if (!batch) throw new Error('an open batch has no snapshot');
  return { batch: await decideOpenImages(services, batch), available: null };
};

/**
 * The batch with every image decided. One that is still open when the answer is due (another try of the same request may
 * be at work on it) is failed here: an image that is called failed must not be charged later.
 */
const decideOpenImages = async (services: Services, batch: Snapshot): Promise<Snapshot> => {
  const saga = services.sagaOf(batch.batchId);
  const open = openImages(batch);
  if (open.length === 0) return batch;
  await Promise.all(open.map(({ index }) => saga.record(index, failedOutcome(failure('deadline_exceeded')))));
  const decided = await saga.snapshot();
  if (!decided || openImages(decided).length > 0) throw new Error('an image could not be decided');
  return decided;
};

const untilDecided = async (
  services: Services,
  job: ImageJob,
  index: number,
  deadlineAtMs: number,
  trace: Trace,
): Promise<Outcome> => {
  const { clock, random } = services;
  let last: Failure = failure('deadline_exceeded');
  for (let attempt = 0; attempt < uploadAttemptsMax && clock.nowMs() < deadlineAtMs; attempt++) {
    const tried = await attemptImage(services, job, index, deadlineAtMs, trace);
    if (tried.kind === 'decided') return tried.outcome;
    last = tried.failure;
    const waitMs = backoffMs(attempt, { baseMs: retryBaseMs, capMs: retryCapMs }, random(), tried.afterMs);
    if (attempt + 1 === uploadAttemptsMax || clock.nowMs() + waitMs >= deadlineAtMs) break;
    await sleep(clock, waitMs);
  }
  return failedOutcome(last);
};
