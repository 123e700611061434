/**
 * The three forms of a request's body as one list of names and texts, and its files. Files of a multipart body go to the
 * store as they come; an empty text counts as not given.
 */
import { sha256 } from '../../shared/digest.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { type ParameterName, removebgParameters } from '../../shared/removebg/parameters.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { withText } from '../http/body.ts';
import { edgeLimits } from '../limits.ts';
import type { InputSink } from '../spool/sink.ts';
import { type PartEvent, type PartHead, type TextReader, textReader } from '../upload/multipart.ts';
import { type FilePart, filePart } from '../upload/read-file.ts';
import { type IncomingBody, type Reading, readParts } from '../upload/read-parts.ts';
import { base64Stream } from './base64-stream.ts';
import { jsonPairs, wrongField } from './json-pairs.ts';

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
const BASE64 = 'image_file_b64';
const roles: Readonly<Record<string, FileRole>> = {
  image_file: 'image',
  image_file_b64: 'image',
  bg_image_file: 'background',
};

/** Without `sinkOf` no file is kept: the body is only compared. Throws only what a sink throws. */
export const readBody = async (
  incoming: IncomingBody,
  reading: Reading,
  sinkOf: SinkOf | undefined,
): Promise<Result<Body, Failure>> => {
  const part = { file: undefined, field: undefined, base64: undefined };
  const form: OpenForm = { sinkOf, given: new Map(), digests: new Map(), parts: 0, ...part };
  const wrong = await readForm(form, incoming, reading);
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
  base64: { readonly reader: TextReader; readonly file: Base64File } | undefined;
};

/** What is wrong with the body as a whole or with a file of it; undefined where all of it was taken. */
const readForm = async (form: OpenForm, incoming: IncomingBody, reading: Reading): Promise<Failure | undefined> => {
  switch (incoming.contentType.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'multipart/form-data':
      return readParts(incoming, reading, bodyBytesMax, {
        take: (event) => take(form, event),
        abort: async () => {
          await form.file?.part.abort();
          await form.base64?.file.abort();
        },
      });
    case 'application/x-www-form-urlencoded':
    case 'application/json': {
      const { bodyBytesMax: bytesMax, textFactor: factor } = edgeLimits.removebg;
      const read = await withText(incoming, { ...reading, bytesMax, factor }, async (text) => {
        const pairs = incoming.contentType.includes('json') ? jsonPairs(text) : ok([...new URLSearchParams(text)]);
        return pairs.ok ? ok(await takeTexts(form, pairs.value)) : pairs;
      });
      return read.ok ? read.value : read.failure;
    }
    default:
      return failure(
        'malformed_request',
        'The body must be multipart/form-data, application/x-www-form-urlencoded or application/json',
      );
  }
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
  if (form.base64) return form.base64.file.take(form.base64.reader.take(event.bytes));
  if (!form.field) return undefined;
  const { name, reader } = form.field;
  form.field.text += reader.take(event.bytes);
  return form.field.text.length > fieldBytesMax ? tooLong(name) : undefined;
};

const openPart = (form: OpenForm, { name, filename }: PartHead): Failure | undefined => {
  if (++form.parts > partsMax) return failure('malformed_request', 'The request has too many parts');
  if (filename === undefined && name === BASE64) form.base64 = { reader: textReader(), file: base64File(form) };
  else if (filename === undefined) form.field = { name, reader: textReader(), text: '' };
  // A form whose file was not chosen sends a part with an empty name and no bytes.
  else if (isFileParameter(name) || filename === '') form.file = { name, part: fileOf(form, name, filename), bytes: 0 };
  else return wrongField(name, 'is not a file');
  return filename ? note(form, name, filename.slice(0, filenameCharsMax)) : undefined;
};

const fileOf = ({ sinkOf }: OpenForm, name: string, filename: string): FilePart =>
  filePart(filename || name, sinkOf?.(roleOf(name)));

const endPart = async (form: OpenForm): Promise<Failure | undefined> => {
  const { file, field, base64 } = form;
  form.file = form.field = form.base64 = undefined;
  if (base64) return (await base64.file.take(base64.reader.end())) ?? base64.file.end();
  if (field) return takeText(form, field.name, field.text + field.reader.end());
  if (!file || (file.bytes === 0 && !form.given.has(file.name))) return undefined;
  if (!form.given.has(file.name)) form.given.set(file.name, file.name);
  return endFile(form, file.name, file.part);
};

const endFile = async (form: OpenForm, name: string, part: FilePart): Promise<Failure | undefined> => {
  const { digest, failure: wrong } = await part.end();
  form.digests.set(roleOf(name), digest);
  if (wrong?.code === 'file_empty') return failure('file_empty', `The file of ${name} is empty`);
  if (wrong?.code === 'unsupported_heic') return wrong;
  return wrong === null
    ? undefined
    : failure(
        'unsupported_media_type',
        `The file of ${name} is not a JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF image`,
      );
};

const roleOf = (name: string): FileRole => (isFileOrBase64(name) ? roles[name] : undefined) ?? 'image';
const isFileOrBase64 = (name: string): boolean => Object.hasOwn(roles, name);
const isFileParameter = (name: string): boolean =>
  isFileOrBase64(name) && (removebgParameters[name as ParameterName] as { isFile?: true }).isFile === true;

const takeText = async (form: OpenForm, name: string, text: string): Promise<Failure | undefined> => {
  if (text === '') return undefined;
  if (isFileParameter(name)) return wrongField(name, 'must be a file of a multipart/form-data body');
  if (form.given.size === fieldsMax) return tooMany(name);
  if (name === BASE64) return takeBase64(form, text);
  return text.length > fieldBytesMax ? tooLong(name) : note(form, name, text);
};
const tooMany = (name: string): Failure => wrongField(name, 'is one parameter too many');
const tooLong = (name: string): Failure => wrongField(name, `is longer than ${fieldBytesMax} characters`);

const takeBase64 = async (form: OpenForm, text: string): Promise<Failure | undefined> => {
  const file = base64File(form);
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    const wrong = await file.take(text.slice(at, at + PIECE_CHARS));
    if (!wrong) continue;
    await file.abort().catch(() => {});
    return wrong;
  }
  return file.end();
};
const PIECE_CHARS = 256 * 1024;

/** A file that comes as base64, decoded piece by piece; an empty text counts as not given. */
type Base64File = {
  take(text: string): Promise<Failure | undefined>;
  end(): Promise<Failure | undefined>;
  /** Removes what was written of a file that will not be complete. */
  abort(): Promise<void>;
};
const base64File = (form: OpenForm): Base64File => {
  const stream = base64Stream();
  let part: FilePart | undefined;
  let chars = 0;
  let bytes = 0;
  const begin = (): Failure | undefined => {
    const wrong = form.given.size === fieldsMax ? tooMany(BASE64) : note(form, BASE64, BASE64);
    if (!wrong) part = fileOf(form, BASE64, BASE64);
    return wrong;
  };
  const pass = async (decoded: Result<Uint8Array, Failure>): Promise<Failure | undefined> => {
    if (!decoded.ok) return decoded.failure;
    bytes += decoded.value.length;
    if (bytes > base64BytesMax) return failure('file_too_large', tooLargeText);
    await part?.take(decoded.value);
    return undefined;
  };
  return {
    async take(text) {
      if (text === '') return undefined;
      const wrong = part ? undefined : begin();
      if (wrong) return wrong;
      chars += text.length;
      return chars > base64CharsMax
        ? failure('file_too_large', tooLargeText)
        : pass(decodedBy(() => stream.take(text)));
    },
    async end() {
      return part && ((await pass(decodedBy(stream.end))) ?? endFile(form, BASE64, part));
    },
    abort: async () => part?.abort(),
  };
};

const note = ({ given }: OpenForm, name: string, text: string): Failure | undefined => {
  if (given.has(name)) return wrongField(name, 'is given twice');
  given.set(name, text);
  return undefined;
};

const decodedBy = (decode: () => Uint8Array): Result<Uint8Array, Failure> => {
  try {
    return ok(decode());
  } catch {
    return fail(wrongField(BASE64, 'is not base64'));
  }
};
const tooLargeText = `A file in image_file_b64 has ${base64BytesMax / 1_000_000} MB at most; send a larger one as image_file`;
