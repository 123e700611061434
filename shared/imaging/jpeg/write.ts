/** The bytes of the file: markers, tables, scan. */
import type { Size } from '../raster.ts';
import type { HuffmanTable } from './huffman.ts';
import { zigzag } from './tables.ts';
import type { Tokens } from './tokens.ts';

/** Headers and tables are far below this. */
const HEADER_BYTES_MAX = 4096;

/** `tables`: DC and AC of luma, DC and AC of chroma. Chroma's quantisation steps are 1. */
export const writeFile = (
  size: Size,
  lumaStep: Uint8Array,
  tokens: Tokens,
  tables: readonly HuffmanTable[],
): Uint8Array => {
  // A token is at most 16 + 11 bits; a byte of 0xff takes a stuffed one more.
  const bytes = new Uint8Array(HEADER_BYTES_MAX + tokens.count * 7);
  let at = 0;
  const put = (...values: number[]): void => {
    for (const value of values) bytes[at++] = value;
  };
  const segment = (marker: number, body: readonly number[]): void =>
    put(0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body);
  put(0xff, 0xd8);
  segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  segment(0xdb, [0, ...Array.from(zigzag, (i) => lumaStep[i]!)]);
  segment(0xdb, [1, ...new Array<number>(64).fill(1)]);
  segment(0xc0, frameHeader(size));
  for (const [i, table] of tables.entries())
    segment(0xc4, [((i & 1) << 4) | (i >> 1), ...table.counts, ...table.symbols]);
  segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]);
  at = writeScan(bytes, at, tokens, tables);
  put(0xff, 0xd9);
  return bytes.slice(0, at);
};

/** Body of the frame header: 8 bits, the size, three components without subsampling; luma uses table 0, chroma 1. */
const frameHeader = ({ width, height }: Size): number[] => [
  ...[8, height >> 8, height & 255, width >> 8, width & 255, 3],
  ...[1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1],
];

/** Entropy-coded bits, most significant first, 0xff followed by 0. Returns where they end. */
const writeScan = (
  bytes: Uint8Array,
  start: number,
  { words, count }: Tokens,
  tables: readonly HuffmanTable[],
): number => {
  const codes = tables.map((table) => table.code);
  const lengths = tables.map((table) => table.length);
  let at = start;
  let held = 0;
  let bits = 0;
  const push = (value: number, length: number): void => {
    held = (held << length) | value;
    bits += length;
    while (bits >= 8) {
      bits -= 8;
      const byte = (held >> bits) & 255;
      bytes[at++] = byte;
      if (byte === 255) bytes[at++] = 0;
    }
    held &= (1 << bits) - 1;
  };
  for (let i = 0; i < count; i++) {
    const word = words[i]!;
    const table = word >>> 24;
    const symbol = (word >> 16) & 255;
    push(codes[table]![symbol]!, lengths[table]![symbol]!);
    const extra = symbol & 15;
    if (extra > 0) push(word & 0xffff, extra);
  }
  if (bits > 0) push((1 << (8 - bits)) - 1, 8 - bits);
  return at;
};
