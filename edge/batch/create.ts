/** Batch style: check the body, hold a credit for each URL, answer 202. The saga hands the images to the queue. */

import { type BatchRequest, batchRequestSchema } from '../../shared/api.ts';
import { sha256 } from '../../shared/digest.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { outputsOf, type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Services, Trace } from '../ports.ts';
import { acceptedAnswer, notOpenedAnswer, outcomeUnknownAnswer } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { nameFromUrl, resultFilenames } from '../responses/filenames.ts';
import { bodyFailure, parseJson } from './body.ts';
import { begin, type Claim, earlierBatch, endClaim, renew, replayedAnswer, type Tried } from './claim.ts';
import { openBatch } from './open.ts';
import type { OpenBatch, Snapshot } from './port.ts';

export type BatchCreation = Trace & {
  readonly batchId: string;
  readonly idempotencyKey: string | null;
  readonly text: string;
  readonly checkWebhookUrl: (url: string) => Result<string, Failure>;
};

type Item = { readonly input_url: string; readonly filename?: string | undefined };
type BatchForm = {
  readonly items: readonly Item[];
  readonly options: ResolvedOptions;
  readonly webhookUrl: string | null;
  readonly authorization: string | undefined;
  readonly fingerprint: string;
};

export const createBatch = async (services: Services, caller: Caller, request: BatchCreation): Promise<Answer> => {
  const begun = await begin(services, caller, request);
  switch (begun.kind) {
    case 'refused':
      return begun.answer;
    case 'replay':
      return replayedAnswer(begun.stored, await readForm(services, request));
    case 'resumed':
      return endClaim(caller, begun.claim, request, resume(services, caller, request, begun.batch));
    case 'fresh':
      return endClaim(caller, begun.claim, request, run(services, caller, request, begun.claim));
  }
};

/** Answers from the batch that an earlier try opened. */
const resume = async (
  services: Services,
  caller: Caller,
  request: BatchCreation,
  earlier: Snapshot,
): Promise<Tried> => {
  const form = await readForm(services, request);
  if (!form.ok) return { answer: failed(form.failure) };
  const { fingerprint } = form.value;
  const batch = earlierBatch(earlier, fingerprint);
  if (!batch.ok) return { answer: failed(batch.failure) };
  const { batchId, requestId, counts } = batch.value;
  return {
    answer: acceptedAnswer(caller, { batchId, requestId, images: counts.total }, caller.available),
    fingerprint,
  };
};

const run = async (services: Services, caller: Caller, request: BatchCreation, claim: Claim): Promise<Tried> => {
  const form = await readForm(services, request);
  if (!form.ok) return { answer: failed(form.failure) };
  if (caller.mode === 'test' && form.value.items.length > limits.testImages.perDay)
    return { answer: failed(beyondTestQuota) };
  const renewed = await renew(caller, claim);
  if (!renewed.ok) return { answer: failed(renewed.failure) };
  const batch = await newBatch(services, caller, request, claim.batchId, form.value);
  caller.noteSent?.(
    batch.images.map(({ originalName }) => originalName),
    batch.options,
  );
  const opened = await openBatch(services, batch);
  if (opened.result === 'unknown') return { answer: outcomeUnknownAnswer(claim.batchId, claim.record !== null) };
  if (opened.result !== 'opened') return { answer: notOpenedAnswer(opened) };
  const accepted = { ...batch, images: batch.images.length };
  const { fingerprint } = form.value;
  return { answer: acceptedAnswer(caller, accepted, opened.available ?? caller.available), fingerprint };
};

/** Waiting for another day does not help. */
const beyondTestQuota = failure(
  'too_many_images',
  `A batch of a test key carries at most ${limits.testImages.perDay} images, all that test keys make in a day`,
);

const newBatch = async (
  { clock, inputAuthorizations }: Services,
  caller: Caller,
  { requestId }: BatchCreation,
  batchId: string,
  { items, options, webhookUrl, authorization, fingerprint }: BatchForm,
): Promise<OpenBatch> => {
  const originalNames = items.map((item) => item.filename ?? nameFromUrl(item.input_url));
  const filenames = resultFilenames(originalNames, options);
  return {
    batchId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId,
    fingerprint,
    mode: caller.mode,
    options,
    webhookUrl,
    style: 'batch',
    deadlineAtMs: clock.nowMs() + limits.batch.deadlineMs,
    ...(authorization !== undefined && { sealedAuthorization: await inputAuthorizations.seal(authorization) }),
    images: items.map((item, i) => ({
      originalName: originalNames[i] ?? '',
      filename: filenames[i] ?? '',
      inputUrl: item.input_url,
    })),
  };
};

const readForm = async (
  { inputAuthorizations }: Services,
  { text, checkWebhookUrl }: BatchCreation,
): Promise<Result<BatchForm, Failure>> => {
  const raw = parseJson(text);
  if (!raw.ok) return raw;
  const body = checkBody(raw.value);
  if (!body.ok) return body;
  const items: readonly Item[] = 'images' in body.value ? body.value.images : [body.value];
  const options = resolveOptions(body.value.options);
  if (!options.ok) return options;
  if (items.length * outputsOf(options.value).length > limits.batch.filesMax) return fail(beyondFiles);
  const webhookUrl = body.value.webhook_url === undefined ? ok(null) : checkWebhookUrl(body.value.webhook_url);
  if (!webhookUrl.ok) return webhookUrl;
  const { input_authorization: authorization } = body.value;
  const unfit = authorization && inputAuthorizations.checkUrls(items.map(({ input_url }) => input_url));
  if (unfit) return fail(unfit);
  // Without the authorization: a token that was renewed between two tries makes no other request.
  const fingerprint = await sha256(JSON.stringify([items, options.value, webhookUrl.value]));
  return ok({ items, options: options.value, webhookUrl: webhookUrl.value, authorization, fingerprint });
};

const beyondFiles = failure(
  'too_many_images',
  `A batch makes at most ${limits.batch.filesMax} files: its images times their marketplaces`,
);

const [manySchema, oneSchema] = batchRequestSchema.options;

/** A body with `images` is read as the form of many, any other as the form of one, so that mistakes are named in it. */
const checkBody = (raw: unknown): Result<BatchRequest, Failure> => {
  const many = typeof raw === 'object' && raw !== null && 'images' in raw;
  if (many && Array.isArray(raw.images) && raw.images.length > limits.batch.imagesMax)
    return fail(failure('too_many_images', `A batch carries at most ${limits.batch.imagesMax} images`));
  const parsed = (many ? manySchema : oneSchema).safeParse(raw);
  return parsed.success ? ok(parsed.data) : fail(bodyFailure(parsed.error));
};
