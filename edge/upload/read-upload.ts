/**
 * The body of an upload, part by part: files go to the store block by block as they come, so that one block at most of
 * an upload is in memory. A fault of the request as a whole ends the reading; a fault of one file is noted beside it.
 */
import { sha256 } from '../../shared/digest.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import type { InputSink } from '../spool/sink.ts';
import { type PartEvent, type PartHead, type TextReader, textReader } from './multipart.ts';
import { type FilePart, filePart } from './read-file.ts';
import { type IncomingBody, type Reading, readParts } from './read-parts.ts';

type UploadedFile = { readonly originalName: string; readonly bytes: number; readonly failure: Failure | null };
export type UploadForm = {
  readonly files: readonly UploadedFile[];
  readonly fields: ReadonlyMap<string, string>;
  /** A matte came with the one file. */
  readonly hasMatte: boolean;
  /** Equal for two requests with the same fields and files, whatever their boundaries. */
  readonly fingerprint: string;
};
/** Where the usable file of that index goes, counted from 0, or the matte. */
export type FileSink = (place: number | 'matte') => InputSink;

const { fileBytesMax, filenameCharsMax } = limits.upload;
const { fieldsMax, fieldBytesMax } = edgeLimits.upload;

/** How much one request may carry. `takesMatte`: a part of that name, too. */
export type UploadBounds = {
  readonly filesMax: number;
  readonly bodyBytesMax: number;
  readonly takesMatte?: boolean;
};

/** Reads to the end. Without `sinkOf` no file is kept: the body is only compared. Throws only what a sink throws. */
export const readUpload = async (
  incoming: IncomingBody,
  reading: Reading,
  sinkOf: FileSink | undefined,
  { filesMax, bodyBytesMax, takesMatte = false }: UploadBounds = { ...limits.upload, takesMatte: true },
): Promise<Result<UploadForm, Failure>> => {
  const form = openForm({ sinkOf, filesMax, takesMatte });
  const wrong = await readParts(incoming, reading, bodyBytesMax, {
    take: (event) => take(form, event),
    abort: async () => form.file?.abort(),
  });
  return wrong ? fail(wrong) : finished(form);
};

type FormBounds = {
  readonly sinkOf: FileSink | undefined;
  readonly filesMax: number;
  readonly takesMatte: boolean;
};
/** What was read so far. */
type OpenForm = FormBounds & {
  readonly files: UploadedFile[];
  readonly fields: Map<string, string>;
  readonly digests: string[];
  /** Files stored so far. */
  usable: number;
  parts: number;
  /** Of the matte that was read. */
  matteDigest: string | undefined;
  /** The part that is being read: a file, which may be the matte, or a field. */
  file: FilePart | undefined;
  isMatte: boolean;
  field: { readonly name: string; readonly reader: TextReader; text: string; bytes: number } | undefined;
};
const openForm = (bounds: FormBounds): OpenForm => ({
  ...bounds,
  files: [],
  fields: new Map(),
  digests: [],
  usable: 0,
  parts: 0,
  matteDigest: undefined,
  file: undefined,
  isMatte: false,
  field: undefined,
});

/** What is wrong with the request because of this; undefined where it was taken. */
const take = async (form: OpenForm, event: PartEvent): Promise<Failure | undefined> => {
  if (event.kind === 'head') return openPart(form, event.head);
  if (event.kind === 'end') return form.file ? endFile(form, form.file) : endField(form);
  if (form.file) {
    const { tooLarge } = await form.file.take(event.bytes);
    return tooLarge ? fileTooLarge(form.isMatte ? 'matte' : `files[${form.files.length}]`) : undefined;
  }
  if (!form.field) return undefined;
  form.field.bytes += event.bytes.length;
  if (form.field.bytes > fieldBytesMax) return invalid(form.field.name, `is longer than ${fieldBytesMax} bytes`);
  form.field.text += form.field.reader.take(event.bytes);
  return undefined;
};

const openPart = (form: OpenForm, { name, filename }: PartHead): Failure | undefined => {
  if (++form.parts > form.filesMax + fieldsMax + 2)
    return failure('malformed_request', 'The request has too many parts');
  if (name === 'files') {
    if (form.files.length === form.filesMax) return tooManyFiles(form.filesMax);
    const originalName = (filename ?? '').slice(0, filenameCharsMax) || `image-${form.files.length + 1}`;
    form.file = filePart(originalName, form.sinkOf?.(form.usable));
    form.isMatte = false;
    return undefined;
  }
  if (name === 'matte' && form.takesMatte) {
    if (form.matteDigest !== undefined) return invalidMatte('is given twice');
    form.file = filePart(name, form.sinkOf?.('matte'));
    form.isMatte = true;
    return undefined;
  }
  if (filename !== undefined) return invalid(name, 'is not expected; files go into parts named "files"');
  if (form.fields.size === fieldsMax) return invalid(name, 'is one field too many');
  if (form.fields.has(name)) return invalid(name, 'is given twice');
  form.field = { name, reader: textReader(), text: '', bytes: 0 };
  return undefined;
};

const endFile = async (form: OpenForm, file: FilePart): Promise<Failure | undefined> => {
  const { originalName, bytes, digest, contentType, failure: wrong } = await file.end();
  form.file = undefined;
  if (form.isMatte) {
    form.matteDigest = digest;
    return contentType === 'image/png' ? undefined : invalidMatte(bytes === 0 ? 'is empty' : 'is not a PNG file');
  }
  form.files.push({ originalName, bytes, failure: wrong });
  form.digests.push(`${originalName}\0${digest}`);
  if (!wrong) form.usable++;
  return undefined;
};

const endField = (form: OpenForm): undefined => {
  if (!form.field) return;
  const { name, reader, text } = form.field;
  form.fields.set(name, text + reader.end());
  form.field = undefined;
};

const finished = async ({ files, fields, digests, matteDigest }: OpenForm): Promise<Result<UploadForm, Failure>> => {
  if (files.length === 0) return fail(failure('no_files'));
  const hasMatte = matteDigest !== undefined;
  if (hasMatte && files.length > 1) return fail(invalidMatte(`goes with one photo; ${files.length} files were sent`));
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  const told = hasMatte ? [sorted, digests, matteDigest] : [sorted, digests];
  return ok({ files, fields, hasMatte, fingerprint: await sha256(JSON.stringify(told)) });
};

const invalidMatte = (detail: string): Failure =>
  failure('invalid_matte', `The matte ${detail}`, { errors: [{ field: 'matte', code: 'invalid_matte', detail }] });

const tooManyFiles = (filesMax: number): Failure =>
  failure('too_many_files', filesMax === 1 ? 'A check takes one file' : `An upload carries at most ${filesMax} files`);

const fileTooLarge = (field: string): Failure =>
  failure('file_too_large', undefined, {
    errors: [{ field, code: 'file_too_large', detail: `is larger than ${fileBytesMax} bytes` }],
  });

const invalid = (field: string, detail: string): Failure =>
  failure('invalid_options', `${field || 'A part without a name'} ${detail}`, {
    errors: [{ field, code: 'invalid_options', detail }],
  });
