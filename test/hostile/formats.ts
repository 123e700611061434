/** The bits of PNG, TIFF and BMP that a file of one's own making needs. */
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
