/**
 * An upload as remove.bg's clients send it, and the answer of its batch. The rest of the way (idempotency, credits, jobs)
 * is every upload's.
 */
import colourNames from 'color-name';
import { errors, type Failure, failure, isErrorCode } from '../../shared/errors.ts';
import type { RemovebgParameters } from '../../shared/removebg/parameters.ts';
import { readParameters, wantedOf } from '../../shared/removebg/read-parameters.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { DecidedBatch } from '../batch/port.ts';
import type { FetchInput } from '../input-url/fetch-input.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { nameFromUrl } from '../responses/filenames.ts';
import { backgroundKey, contentTypeOf, inputKey, resultKey } from '../stores/object-keys.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { type Read, readingFor, type UploadDialect, type UploadRequest } from '../upload/upload.ts';
import { type Body, type FileRole, readBody } from './read-body.ts';
import type { RemovebgResult } from './respond.ts';

export const removebgDialect = (fetchInput: FetchInput): UploadDialect => ({
  // What a request costs is in its body.
  isAlwaysCharged: false,
  readOnly: async (services, caller, request) => {
    const found = await readBody(request, readingFor(services, caller), undefined);
    return found.ok ? ok(formOf(found.value)) : found;
  },
  readAndStore: (services, caller, request, batchId, stored) =>
    readAndStore({ services, fetchInput, batchId, stored }, caller, request),
  answer,
});

/** A request has one image; its background is no image of the batch. */
const formOf = ({ given, fingerprint }: Body): UploadForm => {
  const url = given.get('image_url');
  const originalName = given.get('image_file') ?? (url === undefined ? 'image' : nameFromUrl(url));
  return { files: [{ originalName, bytes: 0, failure: null }], fields: given, hasMatte: false, fingerprint };
};

type Store = {
  readonly services: Services;
  readonly fetchInput: FetchInput;
  readonly batchId: string;
  readonly stored: string[];
};
const keyOf = (role: FileRole, batchId: string): string =>
  role === 'image' ? inputKey(batchId, 0) : backgroundKey(batchId);

const readAndStore = async (store: Store, caller: Caller, request: UploadRequest): Promise<Result<Read, Failure>> => {
  const { services, batchId, stored } = store;
  const read = await readBody(request, readingFor(services, caller), (role) => {
    const key = keyOf(role, batchId);
    stored.push(key);
    return services.objects.sink(key);
  });
  if (!read.ok) return read;
  const parameters = readParameters(read.value.given, colourNames);
  if (!parameters.ok) return parameters;
  const isLive = caller.mode === 'live';
  const { options, isFree } = wantedOf(parameters.value, { isLive, available: caller.available });
  if (isLive && !isFree && caller.available < 1)
    return fail(failure('insufficient_credits', '1 credit is needed and none is available'));
  const missing = await fetchInputs(store, parameters.value);
  return missing ? fail(missing) : ok({ form: formOf(read.value), options });
};

const fetchInputs = async (
  { fetchInput, batchId, stored }: Store,
  { image_url, bg_image_url }: RemovebgParameters,
): Promise<Failure | undefined> => {
  for (const [role, url] of [
    ['image', image_url],
    ['background', bg_image_url],
  ] as const) {
    if (!url) continue;
    const key = keyOf(role, batchId);
    stored.push(key);
    const fetched = await fetchInput({ url }, key);
    if (!fetched.ok) {
      const field = role === 'image' ? 'image_url' : 'bg_image_url';
      return {
        ...fetched.failure,
        errors: [{ field, code: FETCH_CODES[role], detail: textOf(fetched.failure, field) }],
      };
    }
  }
  return undefined;
};
const FETCH_CODES = { image: 'failed_image_download', background: 'failed_bg_download' } as const;
/** The failures of a batch's inputs name the parameter that they have there. */
const textOf = ({ detail }: Failure, field: string): string => detail.replaceAll('input_url', field);

const answer = async (
  _services: Services,
  caller: Caller,
  form: UploadForm,
  { batch, available }: DecidedBatch,
): Promise<Answer> => {
  const remaining = available ?? (await caller.account.ledger.summary())?.available ?? 0;
  const facts = { account: { charged: batch.credits.posted, remaining }, images: 1, batchId: batch.batchId };
  const [image] = batch.images;
  const outcome = image?.outcome;
  if (outcome?.status !== 'completed') {
    const code = outcome && isErrorCode(outcome.code) ? outcome.code : 'deadline_exceeded';
    const retry = errors[code].retryable ? { retryAfterSeconds: edgeLimits.upload.retrySeconds } : {};
    return failed(failure(code, outcome?.detail, retry), facts);
  }
  const objectKey = resultKey(batch.batchId, 0, batch.options);
  const result: RemovebgResult = {
    objectKey,
    contentType: contentTypeOf(objectKey),
    filename: image?.filename ?? '',
    bytes: outcome.bytes,
    width: outcome.width,
    height: outcome.height,
    foreground: outcome.product_box,
    hasType: form.fields.get('type_level') !== 'none',
  };
  return { kind: 'ok', body: result, ...facts };
};
