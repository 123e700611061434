/**
 * JPEG XL: its size, read by ourselves, for the decoder tells none before it has decoded, and its pixels.
 * ISO 18181-1 (codestream) and 18181-2 (container).
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { boxesOf } from './boxes.ts';
import { decodeByWasm, type Samples } from './wasm-decode.ts';

type OpenedJxl = Size & {
  /** RGB, or RGBA where a pixel is not opaque; sRGB, upright. Throws what the decoder throws. */
  readonly pixels: () => Promise<Samples>;
};

/** Fails with unreadable_image. Reads the header alone. */
export const openJxl = (bytes: Uint8Array): Result<OpenedJxl, Failure> => {
  const codestream = codestreamOf(bytes);
  const size = codestream && sizeOf(codestream);
  if (!size) return fail(failure('unreadable_image', 'The JPEG XL file is damaged or cut off (its header)'));
  return ok({ ...size, pixels: () => decodeByWasm('jxl', bytes, size) });
};

const CODESTREAM = [0xff, 0x0a];

/** What begins with the codestream's signature; undefined where the container holds none. */
const codestreamOf = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes[0] === CODESTREAM[0]) return bytes;
  for (const { kind, content } of boxesOf(bytes)) {
    if (kind === 'jxlc') return content;
    // A part of it has its number before it.
    if (kind === 'jxlp') return content.subarray(4);
  }
  return undefined;
};

/** The header's size has at most 9 bytes behind the signature. */
const HEADER_BYTES = 2 + 9;
/** Width by height, by number. */
const RATIOS = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const;
const SIDE_BITS = [9, 13, 18, 30] as const;

const sizeOf = (codestream: Uint8Array): Size | undefined => {
  if (!CODESTREAM.every((byte, i) => codestream[i] === byte)) return undefined;
  const header = codestream.subarray(0, HEADER_BYTES);
  let at = 16;
  /** The lowest bit of a byte comes first. What lies behind the end is 0 and found by the check below. */
  const read = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) value += (((header[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const isSmall = read(1) === 1;
  const side = (): number => (isSmall ? 8 * (1 + read(5)) : 1 + read(SIDE_BITS[read(2)]!));
  const height = side();
  const ratio = RATIOS[read(3) - 1];
  const width = ratio ? Math.floor((height * ratio[0]) / ratio[1]) : side();
  return at > header.length * 8 ? undefined : { width, height };
};
