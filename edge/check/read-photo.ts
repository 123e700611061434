/**
 * The photo of a check into the store: the one file of a multipart body, or the one URL of a JSON body, under the guards
 * of uploads and batches.
 */
import { checkBodySchema } from '../../shared/check-api.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { optionsFromFields, type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { bodyFailure, parseJson } from '../batch/body.ts';
import { declaredBytes, readText } from '../http/body.ts';
import type { FetchInput } from '../input-url/fetch-input.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { nameFromUrl } from '../responses/filenames.ts';
import type { Reading } from '../upload/read-parts.ts';
import { readUpload } from '../upload/read-upload.ts';

export type PhotoRequest = Pick<Request, 'headers' | 'body'>;
/** `field`: where the request has it. */
export type Photo = {
  readonly originalName: string;
  readonly options: ResolvedOptions;
  readonly field: 'files[0]' | 'input_url';
};

/** Where the photo goes. `note` is called before the first byte may lie there, also where the read fails later. */
export type PhotoStore = {
  readonly services: Pick<Services, 'objects' | 'inputAuthorizations'>;
  readonly reading: Reading;
  readonly fetchInput: FetchInput;
  readonly key: string;
  readonly note: () => void;
};

const bodyBytesMax = limits.upload.fileBytesMax + edgeLimits.check.fieldsBytesMax;

/** The media type chooses between the two styles, as for main images. */
export const readPhoto = (request: PhotoRequest, store: PhotoStore): Promise<Result<Photo, Failure>> => {
  const contentType = request.headers.get('content-type') ?? '';
  switch (contentType.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'multipart/form-data':
      return readFile(request, contentType, store);
    case 'application/json':
      return readUrl(request, store);
    default:
      return Promise.resolve(fail(failure('unsupported_content_type')));
  }
};

const readFile = async (
  request: PhotoRequest,
  contentType: string,
  { services, reading, key, note }: PhotoStore,
): Promise<Result<Photo, Failure>> => {
  const bytes = declaredBytes(request);
  if (bytes !== undefined && bytes > bodyBytesMax) return fail(failure('body_too_large'));
  const incoming = { body: request.body, contentType, bytes };
  const sinkOf = () => {
    note();
    return services.objects.sink(key);
  };
  const form = await readUpload(incoming, reading, sinkOf, { filesMax: 1, bodyBytesMax });
  if (!form.ok) return form;
  const options = resolveOptions(optionsFromFields(form.value.fields));
  if (!options.ok) return options;
  const [file] = form.value.files;
  if (!file) throw new Error('a form without its file');
  if (file.failure) return fail(ofPhoto(file.failure, 'files[0]'));
  return ok({ originalName: file.originalName, options: options.value, field: 'files[0]' });
};

const readUrl = async (
  request: PhotoRequest,
  { services, fetchInput, reading, key, note }: PhotoStore,
): Promise<Result<Photo, Failure>> => {
  const text = await readText(request, edgeLimits.check.jsonBodyBytesMax, reading.openRoom);
  if (!text.ok) return text;
  const raw = parseJson(text.value);
  if (!raw.ok) return raw;
  const body = checkBodySchema.safeParse(raw.value);
  if (!body.success) return fail(bodyFailure(body.error));
  const { input_url, input_authorization: authorization, filename } = body.data;
  const unfit = authorization === undefined ? undefined : services.inputAuthorizations.checkUrls([input_url]);
  if (unfit) return fail(unfit);
  const options = resolveOptions(body.data.options);
  if (!options.ok) return options;
  note();
  const fetched = await fetchInput({ url: input_url, authorization }, key);
  if (!fetched.ok) return fail(ofPhoto(fetched.failure, 'input_url'));
  return ok({ originalName: filename ?? nameFromUrl(input_url), options: options.value, field: 'input_url' });
};

/** A failure of the photo itself names it in a row, by which clients tell it from a mistake in the request. */
export const ofPhoto = (found: Failure, field: Photo['field']): Failure => ({
  ...found,
  errors: [{ field, code: found.code, detail: found.detail }],
});
