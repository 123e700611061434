/**
 * The three forms of a request's body as one list of names and texts, and its files. Files of a multipart body go to the
 * store as they come; an empty text counts as not given.
 */
import type { Clock } from '../../shared/clock.ts';
import { sha256 } from '../../shared/digest.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { type ParameterName, removebgParameters } from '../../shared/removebg/parameters.ts';
import { invalidParameters } from '../../shared/removebg/read-parameters.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { readText } from '../http/body.ts';
import { edgeLimits } from '../limits.ts';
import type { InputSink } from '../spool/sink.ts';
import { type PartEvent, type PartHead, type TextReader, textReader } from '../upload/multipart.ts';
import { type FilePart, filePart } from '../upload/read-file.ts';
import { readParts } from '../upload/read-parts.ts';

export type FileRole = 'image' | 'background';
export type Body = {
  /** Parameters as given. Of a file, its name. */
  readonly given: ReadonlyMap<string, string>;
  /** Equal for two requests with the same parameters and files, whatever their form. */
  readonly fingerprint: string;
};
/** Where a file goes. */
export type SinkOf = (role: FileRole) => InputSink;

const { fieldsMax, fieldBytesMax, partHeaderBytesMax } = edgeLimits.upload;
const { fileBytesMax, filenameCharsMax } = limits.upload;
const { base64BytesMax } = limits.removebg;
/** Four characters for three bytes; a tenth more for line breaks and the beginning of a data URL. */
const base64CharsMax = (base64BytesMax / 3) * 4 * 1.1;
const FILES_MAX = 2;
const partsMax = FILES_MAX + fieldsMax;
export const bodyBytesMax = FILES_MAX * fileBytesMax + base64CharsMax + partsMax * (fieldBytesMax + partHeaderBytesMax);
const roles: Readonly<Record<string, FileRole>> = {
  image_file: 'image',
  image_file_b64: 'image',
  bg_image_file: 'background',
};

/** Without `sinkOf` no file is kept: the body is only compared. Throws only what a sink throws. */
export const readBody = async (
  body: ReadableStream<Uint8Array> | null,
  contentType: string,
  clock: Clock,
  sinkOf: SinkOf | undefined,
): Promise<Result<Body, Failure>> => {
  const form: OpenForm = { sinkOf, given: new Map(), digests: new Map(), parts: 0, file: undefined, field: undefined };
  const wrong = await readForm(form, body, contentType, clock);
  if (wrong) return fail(wrong);
  const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = [...form.given].filter(([name]) => !isFileOrBase64(name));
  const fingerprint = await sha256(JSON.stringify([sorted(new Map(texts)), sorted(form.digests)]));
  return ok({ given: form.given, fingerprint });
};

type OpenForm = {
  readonly sinkOf: SinkOf | undefined;
  readonly given: Map<string, string>;
  /** Of the files, by their role. */
  readonly digests: Map<string, string>;
  parts: number;
  /** The part of a multipart body that is being read. */
  file: { readonly name: string; readonly part: FilePart; bytes: number } | undefined;
  field: { readonly name: string; readonly reader: TextReader; text: string } | undefined;
};

/** What is wrong with the body as a whole or with a file of it; undefined where all of it was taken. */
const readForm = async (
  form: OpenForm,
  body: ReadableStream<Uint8Array> | null,
  contentType: string,
  clock: Clock,
): Promise<Failure | undefined> => {
  switch (contentType.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'multipart/form-data':
      return readParts(
        body,
        contentType,
        { clock, bytesMax: bodyBytesMax },
        { take: (event) => take(form, event), abort: async () => form.file?.part.abort() },
      );
    case 'application/x-www-form-urlencoded':
    case 'application/json': {
      const text = await readText({ headers: new Headers(), body }, edgeLimits.removebg.bodyBytesMax);
      if (!text.ok) return text.failure;
      const pairs = contentType.includes('json') ? jsonPairs(text.value) : ok([...new URLSearchParams(text.value)]);
      return pairs.ok ? takeTexts(form, pairs.value) : pairs.failure;
    }
    default:
      return failure(
        'malformed_request',
        'The body must be multipart/form-data, application/x-www-form-urlencoded or application/json',
      );
  }
};

const jsonPairs = (text: string): Result<[string, string][], Failure> => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return fail(failure('malformed_request', 'The body is not valid JSON'));
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return fail(failure('malformed_request', 'The body is not a JSON object'));
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    if (typeof value === 'object') return fail(wrongField(name, 'must be a text, a number or a boolean'));
    pairs.push([name, String(value)]);
  }
  return ok(pairs);
};

const takeTexts = async (
  form: OpenForm,
  pairs: readonly (readonly [string, string])[],
): Promise<Failure | undefined> => {
  for (const [name, text] of pairs) {
    const wrong = await takeText(form, name, text);
    if (wrong) return wrong;
  }
  return undefined;
};

const take = async (form: OpenForm, event: PartEvent): Promise<Failure | undefined> => {
  if (event.kind === 'head') return openPart(form, event.head);
  if (event.kind === 'end') return endPart(form);
  if (form.file) {
    form.file.bytes += event.bytes.length;
    const { tooLarge } = await form.file.part.take(event.bytes);
    return tooLarge ? failure('file_too_large') : undefined;
  }
  if (!form.field) return undefined;
  const { name, reader } = form.field;
  form.field.text += reader.take(event.bytes);
  return form.field.text.length > charsMax(name) ? tooLong(name) : undefined;
};

const openPart = (form: OpenForm, { name, filename }: PartHead): Failure | undefined => {
  if (++form.parts > partsMax) return failure('malformed_request', 'The request has too many parts');
  if (filename === undefined) form.field = { name, reader: textReader(), text: '' };
  // A form whose file was not chosen sends a part with an empty name and no bytes.
  else if (isFileParameter(name) || filename === '') form.file = { name, part: fileOf(form, name, filename), bytes: 0 };
  else return wrongField(name, 'is not a file');
  return filename ? note(form, name, filename.slice(0, filenameCharsMax)) : undefined;
};

const fileOf = ({ sinkOf }: OpenForm, name: string, filename: string): FilePart =>
  filePart(filename || name, sinkOf?.(roleOf(name)));

const endPart = async (form: OpenForm): Promise<Failure | undefined> => {
  const { file, field } = form;
  form.file = form.field = undefined;
  if (field) return takeText(form, field.name, field.text + field.reader.end());
  if (!file || (file.bytes === 0 && !form.given.has(file.name))) return undefined;
  if (!form.given.has(file.name)) form.given.set(file.name, file.name);
  return endFile(form, file.name, file.part);
};

const endFile = async (form: OpenForm, name: string, part: FilePart): Promise<Failure | undefined> => {
  const { digest, failure: wrong } = await part.end();
  form.digests.set(roleOf(name), digest);
  if (wrong?.code === 'file_empty') return failure('file_empty', `The file of ${name} is empty`);
  return wrong === null
    ? undefined
    : failure('unsupported_media_type', `The file of ${name} is not a JPEG, PNG, WebP, AVIF, TIFF or GIF image`);
};

const roleOf = (name: string): FileRole => (isFileOrBase64(name) ? roles[name] : undefined) ?? 'image';
const isFileOrBase64 = (name: string): boolean => Object.hasOwn(roles, name);
const isFileParameter = (name: string): boolean =>
  isFileOrBase64(name) && (removebgParameters[name as ParameterName] as { isFile?: true }).isFile === true;

const charsMax = (name: string): number => (name === 'image_file_b64' ? base64CharsMax : fieldBytesMax);
const tooLong = (name: string): Failure =>
  name === 'image_file_b64'
    ? failure('file_too_large', tooLargeText)
    : wrongField(name, `is longer than ${fieldBytesMax} characters`);

const takeText = async (form: OpenForm, name: string, text: string): Promise<Failure | undefined> => {
  if (text === '') return undefined;
  if (isFileParameter(name)) return wrongField(name, 'must be a file of a multipart/form-data body');
  if (form.given.size === fieldsMax) return wrongField(name, 'is one parameter too many');
  if (text.length > charsMax(name)) return tooLong(name);
  return name === 'image_file_b64' ? takeBase64(form, name, text) : note(form, name, text);
};

const takeBase64 = async (form: OpenForm, name: string, text: string): Promise<Failure | undefined> => {
  const bytes = decoded(text);
  if (!bytes.ok) return bytes.failure;
  const wrong = note(form, name, name);
  if (wrong) return wrong;
  const part = fileOf(form, name, name);
  await part.take(bytes.value);
  return endFile(form, name, part);
};

const note = ({ given }: OpenForm, name: string, text: string): Failure | undefined => {
  if (given.has(name)) return wrongField(name, 'is given twice');
  given.set(name, text);
  return undefined;
};

/** With or without the beginning of a data URL, and with line breaks. */
const decoded = (text: string): Result<Uint8Array, Failure> => {
  try {
    const bytes = Uint8Array.fromBase64(text.replace(/^data:[^,]{0,100};base64,/, ''));
    return bytes.length > base64BytesMax ? fail(failure('file_too_large', tooLargeText)) : ok(bytes);
  } catch {
    return fail(wrongField('image_file_b64', 'is not base64'));
  }
};
const tooLargeText = `A file in image_file_b64 has ${base64BytesMax / 1_000_000} MB at most; send a larger one as image_file`;

const wrongField = (name: string, detail: string): Failure => {
  const field = name.slice(0, 40);
  return invalidParameters([
    { field, code: `invalid_${field || 'part'}`, detail: `${field || 'A part without a name'} ${detail}` },
  ]);
};
