/** The answer to an upload, from its form and its batch: every file in its place, or the failure of all of them. */
import type { UploadFailedResult, UploadResponse, UploadResult } from '../../shared/api.ts';
import { usdNumber } from '../../shared/credits.ts';
import { errors, type Failure, failure, isErrorCode } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import type { Caller } from '../account/authenticate.ts';
import type { DecidedBatch, Snapshot, SnapshotImage } from '../batch/port.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { type Answer, failed } from './answer.ts';
import { imageError, uploadResult } from './image.ts';

/** A file in its place. `index` is its image's, or lies beyond the batch's own images for a file that was not usable. */
type FileResult = {
  readonly originalName: string;
  readonly index: number;
  readonly image: SnapshotImage | undefined;
  /** Null for a file whose image completed. */
  readonly failure: Failure | null;
};

export const uploadAnswer = async (
  services: Services,
  caller: Caller,
  form: UploadForm,
  { batch, available }: DecidedBatch,
): Promise<Answer> => {
  const files = filesOf(form, batch);
  const remaining = available ?? (await caller.account.ledger.summary())?.available ?? 0;
  const facts = {
    account: { charged: batch.credits.posted, remaining },
    images: form.files.length,
    batchId: batch.batchId,
  };
  if (batch.counts.completed === 0) return allFailed(files, facts);
  return { kind: 'ok', body: await uploadBody(services, form, batch, remaining), ...facts };
};

/** `remaining`: credits of the account. */
export const uploadBody = async (
  services: Services,
  form: Form,
  batch: Snapshot,
  remaining: number,
): Promise<UploadResponse> => {
  const files = filesOf(form, batch);
  return {
    success: files.every((file) => file.failure === null),
    processed_count: batch.counts.completed,
    cost_usd: usdNumber(batch.credits.posted),
    remaining_api_credits_usd: usdNumber(remaining),
    results: await Promise.all(files.map((file) => resultOf(services, batch, file))),
    request_id: batch.requestId,
    batch_id: batch.batchId,
  };
};

type Form = { readonly files: readonly Pick<UploadForm['files'][number], 'originalName' | 'failure'>[] };

const filesOf = (form: Form, batch: Snapshot): FileResult[] => {
  let usable = 0;
  let unusable = batch.counts.total;
  return form.files.map(({ originalName, failure: found }) => {
    if (found) return { originalName, index: unusable++, image: undefined, failure: found };
    const index = usable++;
    const image = batch.images[index];
    return { originalName, index, image, failure: failureOf(image) };
  });
};

/** An image without an outcome was not finished in time. */
const failureOf = (image: SnapshotImage | undefined): Failure | null => {
  const outcome = image?.outcome;
  if (outcome?.status === 'completed') return null;
  if (image?.isRemoved) return failure('result_deleted');
  return outcome && isErrorCode(outcome.code) ? failure(outcome.code, outcome.detail) : failure('deadline_exceeded');
};

const resultOf = async (
  services: Services,
  batch: Snapshot,
  { originalName, index, image, failure: found }: FileResult,
): Promise<UploadResult | UploadFailedResult> => {
  if (image?.outcome?.status === 'completed') return uploadResult(services, batch, image, image.outcome);
  return {
    original_name: originalName,
    image_id: imageId(batch.batchId, index),
    batch_id: batch.batchId,
    error: imageError(found ?? failure('deadline_exceeded')),
  };
};

/** For a form without a single usable file. */
export const noneUsableAnswer = (form: UploadForm): Answer => allFailed(form.files, { images: form.files.length });

/** Every file failed: the first one's failure is the request's. */
const allFailed = (
  files: readonly Pick<FileResult, 'originalName' | 'failure'>[],
  facts: Omit<Answer, 'kind'>,
): Answer => {
  const failures = files.map(({ originalName, failure: found }) => ({
    name: originalName,
    failure: found ?? failure('unreadable_image'),
  }));
  const [first] = failures;
  if (!first) throw new Error('a failed upload without files');
  const rows = failures.map(({ name, failure: found }, i) => {
    const { code, detail, ...more } = imageError(found);
    return { field: `files[${i}]`, code, detail: `${name}: ${detail}`, ...more };
  });
  const retry = errors[first.failure.code].retryable ? { retryAfterSeconds: edgeLimits.upload.retrySeconds } : {};
  return failed({ ...first.failure, errors: rows, ...retry }, facts);
};
