/** The answer to an upload, from its form and its batch: every file in its place, or the failure of all of them. */
import type { UploadFailedResult, UploadResult } from '../../shared/api.ts';
import { usdNumber } from '../../shared/credits.ts';
import { errors, type Failure, failure, isErrorCode } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Snapshot } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { type Answer, failed } from './answer.ts';
import { presentResult } from './image.ts';

type FailedFile = { readonly name: string; readonly failure: Failure };

/** Every file in its place. Files that were never usable have ids beyond the batch's own images. */
export const uploadAnswer = async (
  services: Services,
  caller: Caller,
  form: UploadForm,
  batch: Snapshot,
): Promise<Answer> => {
  let place = 0;
  let unusable = batch.counts.total;
  const failures: FailedFile[] = [];
  const results = await Promise.all(
    form.files.map(({ originalName, failure: wrong }): Promise<UploadResult> | UploadFailedResult => {
      const image = wrong ? undefined : batch.images[place++];
      if (image?.outcome?.status === 'completed') return presentResult(services, batch, image, image.outcome);
      const found = wrong ?? failureOf(image?.outcome);
      failures.push({ name: originalName, failure: found });
      const index = image?.index ?? unusable++;
      return {
        original_name: originalName,
        image_id: imageId(batch.batchId, index),
        batch_id: batch.batchId,
        error: { code: found.code, detail: found.detail },
      };
    }),
  );
  const remaining = (await caller.ledger.summary())?.available ?? 0;
  const facts = {
    account: { charged: batch.credits.posted, remaining },
    images: form.files.length,
    batchId: batch.batchId,
  };
  if (batch.counts.completed === 0) return allFailed(failures, facts);
  const body = {
    success: failures.length === 0,
    processed_count: batch.counts.completed,
    cost_usd: usdNumber(batch.credits.posted),
    remaining_api_credits_usd: usdNumber(remaining),
    results,
    request_id: batch.requestId,
    batch_id: batch.batchId,
  };
  return { kind: 'ok', body, ...facts };
};

const failureOf = (outcome: Snapshot['images'][number]['outcome'] | undefined): Failure =>
  outcome?.status === 'failed' && isErrorCode(outcome.code)
    ? failure(outcome.code, outcome.detail)
    : failure('deadline_exceeded');

/** For a form without a single usable file. */
export const noneUsable = (form: UploadForm): Answer =>
  allFailed(
    form.files.map((file) => ({ name: file.originalName, failure: file.failure ?? failure('unreadable_image') })),
    { images: form.files.length },
  );

/** No file came through: the first one's failure is the request's. */
const allFailed = (files: readonly FailedFile[], facts: Omit<Answer, 'kind'>): Answer => {
  const [first] = files;
  if (!first) throw new Error('a failed upload without files');
  const rows = files.map(({ name, failure: { code, detail } }, i) => ({
    field: `files[${i}]`,
    code,
    detail: `${name}: ${detail}`,
  }));
  const retry = errors[first.failure.code].retryable ? { retryAfterSeconds: limits.upload.retrySeconds } : {};
  return failed({ ...first.failure, errors: rows, ...retry }, facts);
};
