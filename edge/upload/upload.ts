/**
 * Upload style: read the files into the store, hold a credit for each usable one, run them all now, answer with the
 * results.
 *
 *     read parts → store inputs → open batch (holds credits, or 402 with nothing left) → run each image → record,
 *     settle → answer
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { optionsFromFields, type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import { idempotent } from '../account/idempotency/idempotent.ts';
import { openBatch } from '../batch/open.ts';
import type { OpenBatch } from '../batch/port.ts';
import type { Services, Trace } from '../ports.ts';
import { acceptedAgain, acceptedAnswer, refused } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { resultFilenames } from '../responses/filenames.ts';
import { noneUsable, uploadAnswer } from '../responses/upload.ts';
import { inputKey } from '../stores/object-keys.ts';
import { readUpload, type UploadForm } from './read-upload.ts';
import { decideOpenImages, runUploadImages } from './run-images.ts';

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
      batch.style === 'batch' || request.respondAsync
        ? acceptedAgain(caller, batch)
        : uploadAnswer(services, caller, form, await decideOpenImages(services, batch)),
  });
};

type Done = { readonly answer: Answer; readonly fingerprint?: string };
type Read = { readonly form: UploadForm; readonly options: ResolvedOptions };

const runUpload = async (
  services: Services,
  caller: Caller,
  request: UploadRequest,
  stillOurs: () => Promise<boolean>,
): Promise<Done> => {
  const stored: string[] = [];
  const arrived = await readAndStore(services, request, stored);
  const read = arrived.ok && !(await stillOurs()) ? fail(failure('idempotency_in_flight')) : arrived;
  if (!read.ok) {
    await services.objects.remove(stored);
    return { answer: failed(read.failure) };
  }
  const { form, options } = read.value;
  const { fingerprint } = form;
  if (stored.length === 0) return { answer: noneUsable(form), fingerprint };
  const batch = newBatch(services, caller, request, form, options);
  const opened = await openBatch(services, batch);
  if (opened.result === 'opened')
    return {
      answer: await finish(services, caller, form, batch, request, opened.available ?? caller.available),
      fingerprint,
    };
  await services.objects.remove(stored);
  return {
    answer:
      opened.result === 'refused'
        ? refused(opened.available, opened.required)
        : failed(failure('not_ready', undefined, { retryAfterSeconds: 2 })),
  };
};

/** Adds the key of each stored input to `stored`, also when it fails later. */
const readAndStore = async (
  services: Services,
  request: UploadRequest,
  stored: string[],
): Promise<Result<Read, Failure>> => {
  const form = await readUpload(request.body, request.contentType, async (place, bytes, contentType) => {
    const key = inputKey(request.batchId, place);
    stored.push(key);
    await services.objects.put(key, bytes, contentType);
  });
  if (!form.ok) return form;
  const options = resolveOptions(optionsFromFields(form.value.fields));
  return options.ok ? ok({ form: form.value, options: options.value }) : fail(options.failure);
};

const newBatch = (
  services: Services,
  caller: Caller,
  request: UploadRequest,
  form: UploadForm,
  options: ResolvedOptions,
): OpenBatch => {
  const names = form.files.filter((file) => file.failure === null).map(({ originalName }) => originalName);
  const filenames = resultFilenames(names, options.format);
  const waitMs = request.respondAsync
    ? limits.batch.deadlineMs
    : limits.upload.waitMsMax + limits.upload.deadlineGraceMs;
  return {
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
  };
};

const finish = async (
  services: Services,
  caller: Caller,
  form: UploadForm,
  opened: OpenBatch,
  trace: Trace,
  available: number,
): Promise<Answer> => {
  const { batchId, requestId, style, images } = opened;
  if (style === 'batch')
    return acceptedAnswer({
      batchId,
      requestId,
      images: images.length,
      charged: caller.mode === 'live' ? images.length : 0,
      available,
    });
  await runUploadImages(services, opened, trace);
  const batch = await services.sagaOf(batchId).snapshot();
  if (!batch) throw new Error('an open batch has no snapshot');
  return uploadAnswer(services, caller, form, await decideOpenImages(services, batch));
};
