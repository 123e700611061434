/** The bits of PNG and TIFF that a file of one's own making needs. */
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
