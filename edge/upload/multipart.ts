/**
 * Splits a multipart/form-data body (RFC 7578, RFC 2046 §5.1) into its parts while it arrives, so that a file can go to
 * the store block by block. Of the libraries that run in a Worker, those that split correctly hold each part whole,
 * 25 MB here, and those that stream lose a part whose boundary is cut between two chunks.
 */
import { ContentDisposition } from '@remix-run/headers/content-disposition';
import { edgeLimits } from '../limits.ts';

export type PartHead = {
  /** Empty where the part has none. */
  readonly name: string;
  /** Undefined for a field. */
  readonly filename: string | undefined;
};
export type PartEvent =
  | { readonly kind: 'head'; readonly head: PartHead }
  /** Never empty; valid until the next `push`. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** The body is no multipart body. The message is public. */
export class MultipartError extends Error {}

export type MultipartSplitter = {
  /** What `chunk` completes, in order. Bytes before the first boundary and after the last are ignored. */
  push(chunk: Uint8Array): Generator<PartEvent, void, void>;
  /** True once the closing boundary was read. */
  readonly closed: boolean;
};

const { partHeaderBytesMax } = edgeLimits.upload;
/** White space that RFC 2046 allows between a boundary and its line end. */
const PADDING_BYTES_MAX = 64;

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const LINE_END = bytesOf('\r\n');
const HEAD_END = bytesOf('\r\n\r\n');

type State = 'preamble' | 'boundary' | 'head' | 'body' | 'closed';

export const multipartSplitter = (boundary: string): MultipartSplitter => {
  const delimiter = bytesOf(`\r\n--${boundary}`);
  // A line end, because the first boundary has none before it where there is no preamble.
  let pending = LINE_END;
  let state: State = 'preamble';

  /** Takes what stands before the next delimiter, and the delimiter; without one, all that cannot begin one. */
  const upToDelimiter = (): { bytes: Uint8Array; found: boolean } => {
    const at = find(pending, delimiter);
    const end = at < 0 ? Math.max(0, pending.length - delimiter.length + 1) : at;
    const bytes = pending.subarray(0, end);
    pending = pending.subarray(at < 0 ? end : end + delimiter.length);
    return { bytes, found: at >= 0 };
  };
  /** Undefined until the line after a boundary is complete. */
  const afterBoundary = (): 'head' | 'closed' | undefined => {
    const end = find(pending, LINE_END);
    const rest = latin1.decode(end < 0 ? pending : pending.subarray(0, end));
    if (rest.startsWith('--')) return 'closed';
    if (rest.length > PADDING_BYTES_MAX || !/^[ \t]*[-\r]?$/.test(rest))
      throw new MultipartError('The multipart body is damaged: a boundary is followed by text');
    if (end < 0) return undefined;
    // The line end stays, so that a head without lines ends as every head does.
    pending = pending.subarray(end);
    return 'head';
  };
  /** Undefined until the head is complete. */
  const head = (): PartHead | undefined => {
    const end = find(pending, HEAD_END);
    if ((end < 0 ? pending.length : end) > partHeaderBytesMax)
      throw new MultipartError(`The headers of a part are longer than ${partHeaderBytesMax} bytes`);
    if (end < 0) return undefined;
    const parsed = parseHead(pending.subarray(0, end));
    pending = pending.subarray(end + HEAD_END.length);
    return parsed;
  };

  return {
    get closed() {
      return state === 'closed';
    },
    *push(chunk) {
      if (state === 'closed') return;
      pending = joined(pending, chunk);
      for (;;) {
        if (state === 'preamble' || state === 'body') {
          const { bytes, found } = upToDelimiter();
          if (state === 'body' && bytes.length > 0) yield { kind: 'bytes', bytes };
          if (!found) return;
          if (state === 'body') yield { kind: 'end' };
          state = 'boundary';
        } else if (state === 'boundary') {
          const next = afterBoundary();
          if (next === undefined) return;
          state = next;
        } else if (state === 'head') {
          const parsed = head();
          if (parsed === undefined) return;
          yield { kind: 'head', head: parsed };
          state = 'body';
        } else return;
      }
    },
  };
};

/** Takes a text in pieces. Throws a MultipartError where it is not UTF-8. */
export type TextReader = { take(bytes: Uint8Array): string; end(): string };
export const textReader = (): TextReader => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new MultipartError('A part of the body is not valid UTF-8 text', { cause });
    }
  };
  return { take: (bytes) => decode(bytes), end: () => decode(undefined) };
};
const latin1 = new TextDecoder('latin1');

const parseHead = (bytes: Uint8Array): PartHead => {
  const text = textReader();
  const lines = (text.take(bytes) + text.end()).split('\r\n');
  const value = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const { name, preferredFilename } = ContentDisposition.from(asQuoted(value('content-disposition')));
  const isBinary = value('content-type')?.toLowerCase().startsWith('application/octet-stream') ?? false;
  return { name: name ?? '', filename: preferredFilename ?? (isBinary ? '' : undefined) };
};

/**
 * Browsers, fetch, curl and Python write a quote in a name as %22 and a backslash as it is (HTML, multipart/form-data
 * encoding algorithm); the parser reads older escapes, in which \\ stands before both. Read as meant by either.
 */
const asQuoted = (disposition: string | undefined): string | null =>
  disposition
    ?.replace(/\\(["\\])|\\/g, (found, escaped) => (escaped === undefined ? '\\\\' : found))
    .replaceAll('%22', '\\"') ?? null;

/** Where `needle` begins in `bytes`, or -1. The search for its first byte is the engine's own. */
const find = (bytes: Uint8Array, needle: Uint8Array): number => {
  const [first = 0] = needle;
  const last = bytes.length - needle.length;
  for (let at = bytes.indexOf(first); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let i = 1;
    while (i < needle.length && bytes[at + i] === needle[i]) i++;
    if (i === needle.length) return at;
  }
  return -1;
};

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
};
