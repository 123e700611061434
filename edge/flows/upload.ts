/**
 * Upload style: read the files into the store, hold a credit for each usable one, run them all now, answer with the results.
 *
 *     read parts → store inputs → open batch (holds credits, or 402 with nothing left) → run each image → record, settle → answer
 */
import type { UploadFailedResult, UploadResult } from '../../shared/api.ts';
import { usdNumber } from '../../shared/credits.ts';
import { errors, failure, type Failure, isErrorCode } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { optionsFromFields, resolveOptions, type ResolvedOptions } from '../../shared/options.ts';
import type { OpenReply, Snapshot } from '../batch/port.ts';
import type { Caller } from './authenticate.ts';
import { type Answer, failed } from './answer.ts';
import { resultFilenames } from './filenames.ts';
import { idempotent } from './idempotent.ts';
import { inputKey } from './object-keys.ts';
import { acceptedAgain, acceptedAnswer, refused } from './open-answers.ts';
import { openBatch } from './open-batch.ts';
import type { Services, Trace } from './ports.ts';
import { presentResult } from './present.ts';
import { readUpload, type UploadForm } from './read-upload.ts';
import { decideOpenImages, runUploadImages } from './run-upload-images.ts';

export type UploadRequest = Trace & {
  readonly batchId: string;
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly body: ReadableStream<Uint8Array> | null;
  /** `Prefer: respond-async`: answer as the batch style does. */
  readonly respondAsync: boolean;
};

export const upload = (services: Services, caller: Caller, request: UploadRequest): Promise<Answer> => {
  if (caller.mode === 'live' && caller.available < 1) return Promise.resolve(refused(caller.available, 1));
  return idempotent<UploadForm>(services, caller, request, {
    read: () => readUpload(request.body, request.contentType, undefined),
    run: (batchId, stillOurs) => runUpload(services, caller, { ...request, batchId }, stillOurs),
    resume: async (form, batch) =>
      batch.style === 'batch' || request.respondAsync ? acceptedAgain(caller, batch) : uploadAnswer(services, caller, form, await decideOpenImages(services, batch)),
  });
};

type Done = { readonly answer: Answer; readonly fingerprint?: string };

const runUpload = async (services: Services, caller: Caller, request: UploadRequest, stillOurs: () => Promise<boolean>): Promise<Done> => {
  const { batchId } = request;
  const stored: string[] = [];
  const discard = (): Promise<void> => services.objects.remove(stored);
  const read = await readUpload(request.body, request.contentType, async (place, bytes, contentType) => {
    stored.push(inputKey(batchId, place));
    await services.objects.put(inputKey(batchId, place), bytes, contentType);
  });
  const options = read.ok ? resolveOptions(optionsFromFields(read.value.fields)) : read;
  const ours = options.ok && (await stillOurs());
  if (!read.ok || !options.ok || !ours) {
    await discard();
    const failure_ = !options.ok ? options.failure : failure('idempotency_in_flight');
    return { answer: failed(failure_, { images: stored.length }) };
  }
  const form = read.value;
  const { fingerprint } = form;
  if (stored.length === 0) return { answer: allFailed(form.files.map((file) => ({ name: file.originalName, failure: file.failure ?? failure('unreadable_image') })), { images: form.files.length }), fingerprint };
  const opened = await open(services, caller, request, form, options.value);
  if (opened.result === 'opened') return { answer: await finish(services, caller, request, form, opened.available), fingerprint };
  await discard();
  return { answer: opened.result === 'refused' ? refused(opened.available, opened.required) : failed(failure('not_ready', undefined, { retryAfterSeconds: 2 })) };
};

const open = (services: Services, caller: Caller, request: UploadRequest, form: UploadForm, options: ResolvedOptions): Promise<OpenReply> => {
  const names = usable(form).map(({ originalName }) => originalName);
  const filenames = resultFilenames(names, options.format);
  const waitMs = request.respondAsync ? limits.batch.deadlineMs : limits.upload.waitMsMax + limits.upload.deadlineGraceMs;
  return openBatch(services, {
    batchId: request.batchId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId: request.requestId,
    fingerprint: form.fingerprint,
    mode: caller.mode,
    options,
    webhookUrl: null,
    style: request.respondAsync ? 'batch' : 'upload',
    deadlineAtMs: services.clock.nowMs() + waitMs,
    images: names.map((originalName, i) => ({ originalName, filename: filenames[i] ?? originalName, inputUrl: null })),
  });
};

const usable = (form: UploadForm) => form.files.filter((file) => file.failure === null);

const finish = async (services: Services, caller: Caller, request: UploadRequest, form: UploadForm, available: number | null): Promise<Answer> => {
  const images = usable(form).length;
  if (request.respondAsync) return acceptedAnswer({ batchId: request.batchId, requestId: request.requestId, images, charged: caller.mode === 'live' ? images : 0, available: available ?? caller.available });
  await runUploadImages(services, request.batchId, images, request);
  const batch = await services.sagaOf(request.batchId).snapshot();
  if (!batch) throw new Error('an open batch has no snapshot');
  return uploadAnswer(services, caller, form, await decideOpenImages(services, batch));
};

type FailedFile = { readonly name: string; readonly failure: Failure };

/** Every file in its place. Files that were never usable have ids beyond the batch's own images. */
const uploadAnswer = async (services: Services, caller: Caller, form: UploadForm, batch: Snapshot): Promise<Answer> => {
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
      return { original_name: originalName, image_id: imageId(batch.batchId, index), batch_id: batch.batchId, error: { code: found.code, detail: found.detail } };
    }),
  );
  const remaining = (await caller.ledger.summary())?.available ?? 0;
  const facts = { account: { charged: batch.credits.posted, remaining }, images: form.files.length, batchId: batch.batchId };
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
  outcome?.status === 'failed' && isErrorCode(outcome.code) ? failure(outcome.code, outcome.detail) : failure('deadline_exceeded');

/** No file came through: the first one's failure is the request's. */
const allFailed = (files: readonly FailedFile[], facts: Omit<Answer, 'kind'>): Answer => {
  const [first] = files;
  if (!first) throw new Error('a failed upload without files');
  const rows = files.map(({ name, failure: { code, detail } }, i) => ({ field: `files[${i}]`, code, detail: `${name}: ${detail}` }));
  const retry = errors[first.failure.code].retryable ? { retryAfterSeconds: limits.upload.retrySeconds } : {};
  return failed({ ...first.failure, errors: rows, ...retry }, facts);
};
