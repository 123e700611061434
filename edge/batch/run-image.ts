/**
 * One image through origin, once. An image counts as completed only when all its files were seen in the store, so that a
 * charge always has its downloads.
 */
import { errors, type Failure, failure } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import type { CompletedOutcome, JobRequest, Outcome } from '../../shared/job.ts';
import type { OriginReply, Services, Trace } from '../ports.ts';
import { backgroundKey, inputKey, outputKeys, previewKey } from '../stores/object-keys.ts';
import type { ImageJob } from './port.ts';

export type Attempt =
  | { readonly kind: 'decided'; readonly outcome: Outcome }
  /** It may work later; `failure` is what it fails with if there is no later. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly failure: Failure };

/** The job's id is the image's, so asking twice computes once. `deadlineAtMs` ends this attempt. */
export const attemptImage = async (
  services: Services,
  job: ImageJob,
  index: number,
  deadlineAtMs: number,
  trace: Trace,
): Promise<Attempt> => {
  const reply = await services.runJob(await jobRequest(services, job, index, deadlineAtMs), trace);
  return reply.kind === 'outcome'
    ? judge(services, job, index, reply.outcome)
    : withoutOutcome(reply, services.clock.nowMs() >= deadlineAtMs);
};

/** What a call of the fleet that decided nothing comes to. */
export const withoutOutcome = (
  reply: Exclude<OriginReply<never>, { kind: 'outcome' }>,
  isLate: boolean,
): Extract<Attempt, { kind: 'again' }> => {
  switch (reply.kind) {
    case 'busy': {
      const retryAfterSeconds = Math.ceil(reply.retryAfterMs / 1_000);
      return { ...again('origin_busy', undefined, { retryAfterSeconds }), afterMs: reply.retryAfterMs };
    }
    case 'unreachable':
      return again(isLate ? 'deadline_exceeded' : 'origin_unavailable');
    case 'failed':
      return again('processing_failed');
  }
};

export const again = (...failed: Parameters<typeof failure>): Extract<Attempt, { kind: 'again' }> => ({
  kind: 'again',
  afterMs: 0,
  failure: failure(...failed),
});

const judge = async (services: Services, job: ImageJob, index: number, outcome: Outcome): Promise<Attempt> => {
  if (outcome.status === 'failed') {
    return outcome.retryable ? again(outcome.code, outcome.detail) : { kind: 'decided', outcome };
  }
  if (await isStored(services, job, index, outcome)) return { kind: 'decided', outcome };
  return { kind: 'decided', outcome: failedOutcome(failure('result_missing')) };
};

const isStored = async (
  services: Services,
  job: ImageJob,
  index: number,
  outcome: CompletedOutcome,
): Promise<boolean> => {
  const { batchId, options } = job;
  const told = [outcome.bytes, ...(outcome.others ?? []).map(({ bytes }) => bytes), outcome.preview_bytes];
  const keys = [...outputKeys(batchId, index, options), previewKey(batchId, index, options)];
  const stored = await Promise.all(keys.map((key) => services.objects.head(key)));
  return told.length === keys.length && stored.every((object, i) => object?.bytes === told[i]);
};

const jobRequest = async (
  { objects }: Services,
  job: ImageJob,
  index: number,
  deadlineAtMs: number,
): Promise<JobRequest> => {
  const { batchId, options } = job;
  const [input_url, preview, [clean = '', ...others]] = await Promise.all([
    objects.presign('GET', inputKey(batchId, index)),
    objects.presign('PUT', previewKey(batchId, index, options)),
    Promise.all(outputKeys(batchId, index, options).map((key) => objects.presign('PUT', key))),
  ]);
  return {
    job_id: imageId(batchId, index),
    account_id: job.accountId,
    input_url,
    outputs: { clean, preview, ...(options.others ? { others } : {}) },
    options,
    ...(options.cutout?.background === 'image'
      ? { background_url: await objects.presign('GET', backgroundKey(batchId)) }
      : {}),
    watermark: job.mode === 'test' && !options.cutout?.isPreview,
    priority: job.style === 'upload' ? 'interactive' : 'batch',
    deadline_at: deadlineAtMs,
  };
};

export const failedOutcome = ({ code, detail }: Failure): Outcome => ({
  status: 'failed',
  code,
  detail,
  retryable: errors[code].retryable,
});
