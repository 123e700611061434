/** What may be sent as an image: a path, bytes, a Blob, a stream, or a URL that the service fetches itself. */
import { ImageError } from './errors.ts';

export type FileInput =
  /** A path, where there is a file system. */
  | string
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  /** Read to its end before it is sent, so that it can be sent again. */
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A text that starts with http:// or https:// is a URL. `filename` names the result. */
export type ImageInput =
  | FileInput
  | URL
  | { readonly file: FileInput; readonly filename: string }
  | { readonly url: string | URL; readonly filename?: string };

/** The API's bound for one file, bytes. */
const FILE_BYTES_MAX = 25_000_000;

export type UrlImage = { readonly kind: 'url'; readonly url: string; readonly filename: string | undefined };
export type FileImage = { readonly kind: 'file'; readonly blob: Blob; readonly filename: string };

export const imageOf = async (input: ImageInput): Promise<UrlImage | FileImage> => {
  if (isUrl(input)) return { kind: 'url', url: String(input), filename: undefined };
  if (typeof input === 'object' && 'url' in input && !(input instanceof Blob))
    return { kind: 'url', url: String(input.url), filename: input.filename };
  if (typeof input === 'object' && 'file' in input)
    return { kind: 'file', blob: await blobOf(input.file), filename: input.filename };
  return { kind: 'file', blob: await blobOf(input), filename: nameOf(input) };
};

const isUrl = (input: ImageInput): input is string | URL =>
  input instanceof URL || (typeof input === 'string' && /^https?:\/\//i.test(input));

const nameOf = (input: FileInput | URL): string => {
  if (typeof input === 'string') return input.split(/[\\/]/).at(-1) || 'image';
  return input instanceof Blob && 'name' in input && typeof input.name === 'string' ? input.name : 'image';
};

/** What every platform makes a Blob of. */
type Part = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

const blobOf = async (input: FileInput): Promise<Blob> => {
  if (input instanceof Blob) return input;
  if (typeof input === 'string') return new Blob([await readPath(input)]);
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return new Blob([input as Part]);
  return gathered(Symbol.asyncIterator in input ? input : chunksOf(input));
};

/** The name is a variable so that bundlers for the browser leave the import alone. */
const fileSystem = 'node:fs/promises';
const readPath = async (path: string): Promise<Part> => {
  const { readFile } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ fileSystem)) as {
    readFile: (path: string) => Promise<Uint8Array<ArrayBuffer>>;
  };
  return readFile(path);
};

/** Browsers' streams cannot all be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.releaseLock();
  }
}

const gathered = async (chunks: AsyncIterable<Uint8Array>): Promise<Blob> => {
  const parts: Part[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > FILE_BYTES_MAX)
      throw new ImageError(`The stream is larger than ${FILE_BYTES_MAX} bytes`, { code: 'file_too_large' });
    parts.push(chunk as Part);
  }
  return new Blob(parts);
};
