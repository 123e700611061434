/**
 * Upload style: the files are read into the store, one credit held for each usable one, all of them run now, and the
 * answer carries the results.
 *
 *     read parts → store inputs → open batch (holds credits, or 402 with nothing left behind) → run each image →
 *     record, settle → answer
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { optionsFromFields, type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import { begin, type Claim, earlierBatch, endClaim, renew, replayedAnswer, type Tried } from '../batch/claim.ts';
import { openBatch } from '../batch/open.ts';
import type { DecidedBatch, OpenBatch, Snapshot } from '../batch/port.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services, Trace } from '../ports.ts';
import { acceptedAnswer, notOpenedAnswer, outcomeUnknownAnswer, refusedAnswer } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { resultFilenames } from '../responses/filenames.ts';
import { noneUsableAnswer, uploadAnswer } from '../responses/upload.ts';
import { inputKey, matteKey } from '../stores/object-keys.ts';
import type { IncomingBody, Reading } from './read-parts.ts';
import { readUpload, type UploadForm } from './read-upload.ts';
import { resumeUploadImages, runUploadImages } from './run-images.ts';

export type UploadRequest = Trace &
  IncomingBody & {
    readonly batchId: string;
    readonly idempotencyKey: string | null;
    /** `Prefer: respond-async`: answer as the batch style does. */
    readonly respondAsync: boolean;
  };

export type Read = { readonly form: UploadForm; readonly options: ResolvedOptions };

/** How a body becomes files in the store, and a finished batch an answer: all that two endpoints differ in. */
export type UploadDialect = {
  /** True where nothing of the body is read for an account without credits. */
  readonly isAlwaysCharged: boolean;
  /** The form alone, nothing stored: for a request that is only compared with an earlier one. */
  readonly readOnly: (
    services: Services,
    caller: Caller,
    request: UploadRequest,
  ) => Promise<Result<UploadForm, Failure>>;
  /** Adds the key of each input that may have been stored to `stored`, also when it fails later. */
  readonly readAndStore: (
    services: Services,
    caller: Caller,
    request: UploadRequest,
    batchId: string,
    stored: string[],
  ) => Promise<Result<Read, Failure>>;
  readonly answer: (services: Services, caller: Caller, form: UploadForm, ended: DecidedBatch) => Promise<Answer>;
};

export const upload = async (
  services: Services,
  caller: Caller,
  request: UploadRequest,
  dialect: UploadDialect = mainImages,
): Promise<Answer> => {
  const begun = await begin(services, caller, request);
  switch (begun.kind) {
    case 'refused':
      return begun.answer;
    case 'replay':
      return replayedAnswer(begun.stored, await dialect.readOnly(services, caller, request));
    case 'resumed':
      return endClaim(caller, begun.claim, request, resume(services, caller, request, dialect, begun));
    case 'fresh':
      return endClaim(caller, begun.claim, request, run(services, caller, request, dialect, begun.claim));
  }
};

/** Answers from the batch that an earlier try opened. */
const resume = async (
  services: Services,
  caller: Caller,
  request: UploadRequest,
  dialect: UploadDialect,
  { claim, batch: earlier }: { readonly claim: Claim; readonly batch: Snapshot },
): Promise<Tried> => {
  const form = await dialect.readOnly(services, caller, request);
  if (!form.ok) return { answer: failed(form.failure) };
  const { fingerprint } = form.value;
  const batch = earlierBatch(earlier, fingerprint);
  if (!batch.ok) return { answer: failed(batch.failure) };
  if (batch.value.style === 'batch' || request.respondAsync) {
    const { batchId, requestId, counts } = batch.value;
    return {
      answer: acceptedAnswer(caller, { batchId, requestId, images: counts.total }, caller.available, form.value),
      fingerprint,
    };
  }
  const answer = await answerOrName(request, claim, async () => {
    const decided = await resumeUploadImages(services, batch.value, request);
    return dialect.answer(services, caller, form.value, decided);
  });
  return { answer, fingerprint };
};

const run = async (
  services: Services,
  caller: Caller,
  request: UploadRequest,
  dialect: UploadDialect,
  claim: Claim,
): Promise<Tried> => {
  if (dialect.isAlwaysCharged && caller.mode === 'live' && caller.available < 1)
    return { answer: refusedAnswer(caller.available, 1) };
  const stored: string[] = [];
  const read = await dialect.readAndStore(services, caller, request, claim.batchId, stored);
  if (!read.ok) return discard(services, stored, failed(read.failure));
  caller.noteSent?.(
    read.value.form.files.map(({ originalName }) => originalName),
    read.value.options,
  );
  const renewed = await renew(caller, claim);
  if (!renewed.ok) return discard(services, stored, failed(renewed.failure));
  const { form, options } = read.value;
  const { fingerprint } = form;
  if (form.files.every((file) => file.failure !== null))
    return { ...(await discard(services, form.hasMatte ? stored : [], noneUsableAnswer(form))), fingerprint };
  const batch = newBatch(services, caller, request, claim.batchId, form, options);
  const opened = await openBatch(services, batch);
  if (opened.result === 'unknown') return { answer: outcomeUnknownAnswer(claim.batchId, claim.record !== null) };
  if (opened.result === 'fingerprint_mismatch') return { answer: notOpenedAnswer(opened) };
  if (opened.result !== 'opened') return discard(services, stored, notOpenedAnswer(opened));
  if (request.respondAsync) {
    const accepted = { ...batch, images: batch.images.length };
    return { answer: acceptedAnswer(caller, accepted, opened.available ?? caller.available, form), fingerprint };
  }
  const answer = await answerOrName(request, claim, async () => {
    const decided = await runUploadImages(services, batch, request);
    // The ledger has said what is available, so it has settled all of it.
    if (decided.available !== null) caller.noteSlotFree?.();
    return dialect.answer(services, caller, form, decided);
  });
  return { answer, fingerprint };
};

/** The answer of an open batch; where it fails to come about, the batch is named: its images may be charged. */
const answerOrName = async (
  { requestId }: UploadRequest,
  { batchId, record }: Claim,
  work: () => Promise<Answer>,
): Promise<Answer> => {
  try {
    return await work();
  } catch (error) {
    logEvent('error', 'batch_outcome_unknown', { request_id: requestId, batch_id: batchId, error: errorText(error) });
    return outcomeUnknownAnswer(batchId, record !== null);
  }
};

/** Ends a try that opened no batch: its inputs go. */
const discard = async (services: Services, stored: readonly string[], answer: Answer): Promise<Tried> => {
  await services.objects.remove(stored);
  return { answer };
};

/** With what the body of a request of `caller` is read. */
export const readingFor = ({ clock, bodies }: Pick<Services, 'clock' | 'bodies'>, { accountId }: Caller): Reading => ({
  clock,
  openRoom: bodies.of(accountId),
});

/** The service's own endpoint. */
export const mainImages: UploadDialect = {
  isAlwaysCharged: true,
  readOnly: (services, caller, request) => readUpload(request, readingFor(services, caller), undefined),
  readAndStore: async (services, caller, request, batchId, stored) => {
    const form = await readUpload(request, readingFor(services, caller), (place) => {
      const key = place === 'matte' ? matteKey(batchId) : inputKey(batchId, place);
      if (!stored.includes(key)) stored.push(key);
      return services.objects.sink(key);
    });
    if (!form.ok) return form;
    const options = optionsOf(form.value);
    return options.ok ? ok({ form: form.value, options: options.value }) : fail(options.failure);
  },
  answer: uploadAnswer,
};

const optionsOf = ({ fields, hasMatte }: UploadForm): Result<ResolvedOptions, Failure> => {
  const options = resolveOptions(optionsFromFields(fields));
  if (!options.ok || !hasMatte) return options;
  return options.value.region ? fail(matteOrRegion) : ok({ ...options.value, matte: true });
};

const matteOrRegion = failure('invalid_options', 'region: not with a matte, which says what the product is', {
  errors: [{ field: 'region', code: 'invalid_options', detail: 'not with a matte, which says what the product is' }],
});

const newBatch = (
  { clock }: Services,
  caller: Caller,
  { requestId, respondAsync }: UploadRequest,
  batchId: string,
  form: UploadForm,
  options: ResolvedOptions,
): OpenBatch => {
  const names = form.files.filter((file) => file.failure === null).map(({ originalName }) => originalName);
  const filenames = resultFilenames(names, options);
  const deadlineMs = respondAsync
    ? limits.batch.deadlineMs
    : limits.upload.waitMsMax + edgeLimits.upload.deadlineGraceMs;
  return {
    batchId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId,
    fingerprint: form.fingerprint,
    // A preview costs a live key nothing: it counts among the account's free images of the day, as test images do.
    mode: options.cutout?.isPreview ? 'test' : caller.mode,
    options,
    webhookUrl: null,
    style: respondAsync ? 'batch' : 'upload',
    deadlineAtMs: clock.nowMs() + deadlineMs,
    images: names.map((originalName, i) => ({ originalName, filename: filenames[i] ?? originalName, inputUrl: null })),
  };
};
