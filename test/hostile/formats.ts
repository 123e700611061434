/** The bits of PNG, TIFF, BMP and PSD that a file of one's own making needs. */
import { crc32 } from 'node:zlib';

export const pngChunk = (type: string, body: Buffer): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
};

/** A whole file of the given chunks. */
export const pngOf = (chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, pngChunk('IEND', Buffer.alloc(0))]);

/** Tag, type (3: 16 bits, 4: 32 bits), count, value or offset. */
export type TiffTag = readonly [tag: number, type: number, count: number, value: number];

/** A little-endian TIFF of one directory, which names `next` as the place of the one behind it. */
export const tiffOf = (tags: readonly TiffTag[], next = 0): Buffer => {
  const file = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(tags.length, 8);
  for (const [i, [tag, type, count, value]] of tags.entries()) {
    const at = 10 + i * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(count, at + 4);
    file.writeUInt32LE(value >>> 0, at + 8);
  }
  file.writeUInt32LE(next >>> 0, file.length - 4);
  return file;
};

export type BmpKind = { readonly bits: 8 | 24 | 32; readonly isTopDown?: boolean; readonly hasAlpha?: boolean };

/** An RGBA picture as a BMP; of 8 bits with the 216 colours of six levels a channel, of alpha with a V4 header. */
export const bmpOf = (
  rgba: Uint8Array,
  width: number,
  { bits, isTopDown = false, hasAlpha = false }: BmpKind,
): Buffer => {
  const height = rgba.length / 4 / width;
  const headerBytes = hasAlpha ? 108 : 40;
  const palette = bits === 8 ? 256 * 4 : 0;
  const pixelsAt = 14 + headerBytes + palette;
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const file = Buffer.alloc(pixelsAt + rowBytes * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(pixelsAt, 10);
  file.writeUInt32LE(headerBytes, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(isTopDown ? -height : height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(bits, 28);
  if (hasAlpha) {
    file.writeUInt32LE(3, 30);
    for (const [i, mask] of [0xff0000, 0xff00, 0xff, 0xff000000].entries()) file.writeUInt32LE(mask, 54 + 4 * i);
  }
  for (let i = 0; i < palette / 4; i++) {
    const [r, g, b] = [Math.floor(i / 36) % 6, Math.floor(i / 6) % 6, i % 6];
    file.set([b * 51, g * 51, r * 51], 14 + headerBytes + i * 4);
  }
  for (let y = 0; y < height; y++) {
    const row = pixelsAt + (isTopDown ? y : height - 1 - y) * rowBytes;
    for (let x = 0; x < width; x++) {
      const [r = 0, g = 0, b = 0, a = 0] = rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
      const level = (value: number): number => Math.round(value / 51);
      if (bits === 8) file[row + x] = level(r) * 36 + level(g) * 6 + level(b);
      else file.set(bits === 24 ? [b, g, r] : [b, g, r, hasAlpha ? a : 0], row + (x * bits) / 8);
    }
  }
  return file;
};

export type PsdKind = {
  /** 0 bitmap, 1 grey, 2 indexed, 3 RGB, 4 CMYK; others are not read. */
  readonly mode?: number;
  readonly bits?: 1 | 8 | 16 | 32;
  readonly isLarge?: boolean;
  readonly isPacked?: boolean;
  /** Negative: the first channel behind the colours is transparency. `isDeep`: told where 16 bits have it. */
  readonly layers?: number;
  readonly isDeep?: boolean;
  readonly palette?: Uint8Array;
  /** Image resources by number. */
  readonly resources?: Readonly<Record<number, Uint8Array>>;
};

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Samples of 8 bits, interleaved as Photoshop means them, as a PSD without the pixels of its layers. */
export const psdOf = (samples: Uint8Array, width: number, channels: number, kind: PsdKind = {}): Buffer => {
  const { mode = 3, bits = 8, isLarge = false, isPacked = false, palette = new Uint8Array(0) } = kind;
  const height = samples.length / channels / width;
  const long = (value: number): Buffer => (isLarge ? Buffer.concat([u32(0), u32(value)]) : u32(value));
  const sized = (bytes: Buffer, length = u32): Buffer => Buffer.concat([length(bytes.length), bytes]);
  const resources = Object.entries(kind.resources ?? {}).map(([id, bytes]) =>
    Buffer.concat([
      Buffer.from('8BIM'),
      u16(Number(id)),
      u16(0),
      u32(bytes.length),
      bytes,
      Buffer.alloc(bytes.length & 1),
    ]),
  );
  const count = u16((kind.layers ?? 0) & 0xffff);
  const deep = Buffer.concat([long(0), u32(0), Buffer.from('8BIMLr16'), long(2), count, u16(0)]);
  const layers =
    kind.layers === undefined ? Buffer.alloc(0) : kind.isDeep ? deep : Buffer.concat([sized(count, long), u32(0)]);
  const rows: Buffer[] = [];
  for (let channel = 0; channel < channels; channel++)
    for (let y = 0; y < height; y++) {
      const row = Array.from({ length: width }, (_, x) => samples[(y * width + x) * channels + channel]!);
      rows.push(psdRow(row, bits));
    }
  const packed = isPacked ? rows.map(packBits) : rows;
  const lengths = isPacked ? packed.map((row) => (isLarge ? u32(row.length) : u16(row.length))) : [];
  return Buffer.concat([
    Buffer.from('8BPS'),
    u16(isLarge ? 2 : 1),
    Buffer.alloc(6),
    u16(channels),
    u32(height),
    u32(width),
    u16(bits),
    u16(mode),
    sized(Buffer.from(palette)),
    sized(Buffer.concat(resources)),
    sized(layers, long),
    u16(isPacked ? 1 : 0),
    ...lengths,
    ...packed,
  ]);
};

const psdRow = (row: readonly number[], bits: 1 | 8 | 16 | 32): Buffer => {
  if (bits !== 1) return Buffer.from(row.flatMap((level) => Array.from({ length: bits / 8 }, () => level)));
  const bytes = Buffer.alloc(Math.ceil(row.length / 8));
  for (const [x, level] of row.entries()) if (level < 128) bytes[x >> 3]! |= 0x80 >> (x & 7);
  return bytes;
};

/** Runs of equal bytes, and single ones. */
const packBits = (row: Buffer): Buffer => {
  const out: number[] = [];
  for (let at = 0; at < row.length; ) {
    let run = 1;
    while (run < 128 && at + run < row.length && row[at + run] === row[at]) run++;
    out.push(run === 1 ? 0 : 257 - run, row[at]!);
    at += run;
  }
  return Buffer.from(out);
};
