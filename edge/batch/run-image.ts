/**
 * One image through origin, once. An image counts as completed only when all its files were seen in the store, so that a
 * charge always has its downloads.
 */
import { errors, type Failure, failure } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import type { CompletedOutcome, JobRequest, Outcome } from '../../shared/job.ts';
import type { OriginReply, Services, StoredObject, Trace } from '../ports.ts';
import { backgroundKey, inputKey, matteKey, outputKeys, previewKey } from '../stores/object-keys.ts';
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
  if (await isStored(services, job, index, outcome)) return { kind: 'decided', outcome: compared(outcome) };
  return { kind: 'decided', outcome: failedOutcome(failure('result_missing')) };
};

const isStored = async (
  services: Services,
  job: ImageJob,
  index: number,
  outcome: CompletedOutcome,
): Promise<boolean> => {
  const { batchId, options } = job;
  const preview = { bytes: outcome.preview_bytes, md5: outcome.preview_md5 };
  const told: readonly ToldFile[] = [outcome, ...(outcome.others ?? []), preview];
  const keys = [...outputKeys(batchId, index, options), previewKey(batchId, index, options)];
  const stored = await Promise.all(keys.map((key) => services.objects.head(key)));
  return told.length === keys.length && told.every((file, i) => isSame(file, stored[i]));
};

type ToldFile = Pick<CompletedOutcome, 'bytes' | 'md5'>;

/** The object is the very file that the node told of. What it says nothing of cannot be told from another's. */
const isSame = ({ bytes, md5 }: ToldFile, object: StoredObject | undefined): boolean =>
  md5 !== undefined && object?.bytes === bytes && object.md5 === md5;

/** The batch keeps outcomes for days, and what they were compared by is of no use then. */
const compared = ({ md5: _own, preview_md5: _preview, others, ...outcome }: CompletedOutcome): CompletedOutcome => ({
  ...outcome,
  ...(others ? { others: others.map(({ md5: _other, ...file }) => file) } : {}),
});

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
    ...(options.matte ? { matte_url: await objects.presign('GET', matteKey(batchId)) } : {}),
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
