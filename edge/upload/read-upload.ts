/**
 * The body of an upload, part by part: files go to the store as they come, so that one part at most is in memory. A
 * fault of the request as a whole ends the reading; a fault of one file is noted beside it.
 */
import {
  MaxFileSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  type MultipartPart,
  parseMultipartStream,
} from '@remix-run/multipart-parser';
import { sha256 } from '../../shared/digest.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';

type UploadedFile = { readonly originalName: string; readonly bytes: number; readonly failure: Failure | null };
export type UploadForm = {
  readonly files: readonly UploadedFile[];
  readonly fields: ReadonlyMap<string, string>;
  /** Equal for two requests with the same fields and files, whatever their boundaries. */
  readonly fingerprint: string;
};
/** Stores a usable file; `index` counts these from 0. */
export type StoreFile = (index: number, bytes: Uint8Array, contentType: string) => Promise<void>;

const { filesMax, fileBytesMax, filenameCharsMax } = limits.upload;
const { fieldsMax, fieldBytesMax, partHeaderBytesMax } = edgeLimits.upload;
const parserLimits = {
  maxHeaderSize: partHeaderBytesMax,
  maxFileSize: fileBytesMax,
  // One more than allowed, so that the part too many is seen and can be named.
  maxParts: filesMax + fieldsMax + 1,
  maxTotalSize: filesMax * fileBytesMax + fieldsMax * fieldBytesMax,
};

/** Reads to the end. Without `store` no file is kept: the body is only compared. Throws only what `store` throws. */
export const readUpload = async (
  body: ReadableStream<Uint8Array> | null,
  contentType: string,
  store: StoreFile | undefined,
): Promise<Result<UploadForm, Failure>> => {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType);
  if (!body || !boundary) return fail(failure('malformed_request', 'The multipart body or its boundary is missing'));
  const form = newForm();
  const parts = parseMultipartStream(body, { boundary: boundary[1] ?? boundary[2] ?? '', ...parserLimits });
  for (;;) {
    const next = await parts.next().catch((error: unknown) => readFailure(error, form.files.length));
    if ('code' in next) return fail(next);
    if (next.done) return finished(form);
    const wrong = await takePart(form, next.value, store);
    if (wrong) {
      await body.cancel().catch(() => {});
      return fail(wrong);
    }
  }
};

/** What ended the parser. A body that breaks off means that the client hung up, or made a mistake. */
const readFailure = (error: unknown, files: number): Failure => {
  if (error instanceof MaxFileSizeExceededError)
    return failure('file_too_large', undefined, {
      errors: [{ field: `files[${files}]`, code: 'file_too_large', detail: `is larger than ${fileBytesMax} bytes` }],
    });
  if (error instanceof MaxPartsExceededError) return failure('malformed_request', 'The request has too many parts');
  if (error instanceof MaxTotalSizeExceededError) return failure('body_too_large');
  if (error instanceof MultipartParseError)
    return failure('malformed_request', 'The multipart body is damaged or cut off');
  return failure('malformed_request', 'The request body broke off');
};

/** What was read so far. */
type OpenForm = {
  readonly files: UploadedFile[];
  readonly fields: Map<string, string>;
  readonly digests: string[];
  /** Files stored so far. */
  usable: number;
};
const newForm = (): OpenForm => ({ files: [], fields: new Map(), digests: [], usable: 0 });

/** What is wrong with the request because of this part; undefined where it was taken. */
const takePart = async (
  form: OpenForm,
  part: MultipartPart,
  store: StoreFile | undefined,
): Promise<Failure | undefined> => {
  try {
    return part.name === 'files' ? await takeFile(form, part, store) : takeField(form, part);
  } catch (error) {
    if (error instanceof TypeError) return failure('malformed_request', 'A part of the body is not valid UTF-8 text');
    throw error;
  }
};

const takeFile = async (
  form: OpenForm,
  part: MultipartPart,
  store: StoreFile | undefined,
): Promise<Failure | undefined> => {
  const { files, digests } = form;
  if (files.length === filesMax) return failure('too_many_files', `An upload carries at most ${filesMax} files`);
  const { bytes } = part;
  const originalName = (part.filename ?? '').slice(0, filenameCharsMax) || `image-${files.length + 1}`;
  const type = sniffImage(bytes.subarray(0, SNIFF_BYTES));
  const wrong =
    bytes.length === 0 ? failure('file_empty') : type === undefined ? failure('unsupported_media_type') : null;
  files.push({ originalName, bytes: bytes.length, failure: wrong });
  digests.push(`${originalName}\0${await sha256(bytes)}`);
  if (!wrong && type !== undefined) await store?.(form.usable++, bytes, type);
  return undefined;
};

const takeField = ({ fields }: OpenForm, part: MultipartPart): Failure | undefined => {
  const name = part.name ?? '';
  if (part.isFile) return invalid(name, 'is not expected; files go into parts named "files"');
  if (fields.size === fieldsMax) return invalid(name, 'is one field too many');
  if (part.size > fieldBytesMax) return invalid(name, `is longer than ${fieldBytesMax} bytes`);
  if (fields.has(name)) return invalid(name, 'is given twice');
  fields.set(name, part.text);
  return undefined;
};

const finished = async ({ files, fields, digests }: OpenForm): Promise<Result<UploadForm, Failure>> => {
  if (files.length === 0) return fail(failure('no_files'));
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return ok({ files, fields, fingerprint: await sha256(JSON.stringify([sorted, digests])) });
};

const invalid = (field: string, detail: string): Failure =>
  failure('invalid_options', `${field || 'A part without a name'} ${detail}`, {
    errors: [{ field, code: 'invalid_options', detail }],
  });
