/**
 * The merged picture of a Photoshop file as an uncompressed TIFF in memory: libvips then does with CMYK, grey and
 * embedded profiles what it does with those of a TIFF. 8 bits a channel. Pure.
 */
import type { Failure } from '../../shared/errors.ts';
import { ok, type Result } from '../../shared/result.ts';
import { damaged, PACKED, type Psd } from './psd.ts';
import { emptyTiff } from './tiff.ts';

/** Fails with unreadable_image. The result holds width × height × (colours + alpha) bytes and little more. */
export const psdToTiff = (psd: Psd): Result<Uint8Array, Failure> => {
  const rows = psd.packing === PACKED ? packedRows(psd) : rawRows(psd);
  if (!rows) return damaged('its picture is cut off');
  const { width, height, profile } = psd;
  const tiff = emptyTiff({ width, height, profile, colours: psd.palette ? 3 : psd.colours, hasAlpha: hasAlpha(psd) });
  const pixels = tiff.bytes.subarray(tiff.pixelsAt);
  if (!(psd.palette ? readIndexed(psd, rows, psd.palette, pixels) : readPlanes(psd, rows, pixels)))
    return damaged('a row of its picture is too short');
  return ok(tiff.bytes);
};

/** The bytes of a row of a channel as they lie in the file. */
type Rows = (channel: number, y: number) => Uint8Array;

const rowBytesOf = ({ width, bits }: Psd): number => Math.ceil((width * bits) / 8);
const planesOf = ({ colours, hasTransparency }: Psd): number => colours + (hasTransparency ? 1 : 0);

const rawRows = (psd: Psd): Rows | undefined => {
  const { height, picture } = psd;
  const rowBytes = rowBytesOf(psd);
  if (planesOf(psd) * height * rowBytes > picture.length) return undefined;
  return (channel, y) => picture.subarray((channel * height + y) * rowBytes, (channel * height + y + 1) * rowBytes);
};

/** The lengths of all rows of all channels, then the rows. */
const packedRows = (psd: Psd): Rows | undefined => {
  const { height, picture, isLarge, channels } = psd;
  const view = new DataView(picture.buffer, picture.byteOffset, picture.byteLength);
  const lengthBytes = isLarge ? 4 : 2;
  const dataAt = channels * height * lengthBytes;
  const count = planesOf(psd) * height;
  if (dataAt > picture.length) return undefined;
  const starts = new Float64Array(count + 1);
  starts[0] = dataAt;
  for (let i = 0; i < count; i++)
    starts[i + 1] = starts[i]! + (isLarge ? view.getUint32(4 * i) : view.getUint16(2 * i));
  if (starts[count]! > picture.length) return undefined;
  return (channel, y) => picture.subarray(starts[channel * height + y]!, starts[channel * height + y + 1]!);
};

/** PackBits. Whether `row` was filled; what is packed beyond it is left out. */
const unpack = (packed: Uint8Array, row: Uint8Array): boolean => {
  let to = 0;
  for (let from = 0; from < packed.length && to < row.length; ) {
    const head = packed[from++]!;
    if (head === 128) continue;
    const count = Math.min(head < 128 ? head + 1 : 257 - head, row.length - to);
    if (head < 128) {
      if (from + count > packed.length) return false;
      row.set(packed.subarray(from, from + count), to);
      from += head + 1;
    } else {
      if (from >= packed.length) return false;
      row.fill(packed[from++]!, to, to + count);
    }
    to += count;
  }
  return to === row.length;
};

/** Calls `take` with every row of a channel, unpacked; false where one is too short. */
const eachRow = (psd: Psd, rows: Rows, channel: number, take: (row: Uint8Array, y: number) => void): boolean => {
  const unpacked = new Uint8Array(rowBytesOf(psd));
  for (let y = 0; y < psd.height; y++) {
    const row = rows(channel, y);
    if (psd.packing === PACKED && !unpack(row, unpacked)) return false;
    take(psd.packing === PACKED ? unpacked : row, y);
  }
  return true;
};

const readPlanes = (psd: Psd, rows: Rows, pixels: Uint8Array): boolean => {
  const { width, bits } = psd;
  const samples = planesOf(psd);
  for (let channel = 0; channel < samples; channel++) {
    const isRead = eachRow(psd, rows, channel, (row, y) => {
      let to = y * width * samples + channel;
      if (bits === 8) for (let x = 0; x < width; x++, to += samples) pixels[to] = row[x]!;
      else for (let x = 0; x < width; x++, to += samples) pixels[to] = level(row, x, bits);
    });
    if (!isRead) return false;
  }
  if (psd.hasTransparency) takeOffWhite(psd, pixels);
  if (psd.mode === 'cmyk') toInks(psd, pixels);
  return true;
};

/** In a bitmap 1 is black. */
const level = (row: Uint8Array, x: number, bits: Psd['bits']): number => {
  if (bits === 16) return Math.round((row[2 * x]! * 256 + row[2 * x + 1]!) / 257);
  return (row[x >> 3]! >> (7 - (x & 7))) & 1 ? 0 : 255;
};

/** Where a picture has transparency, Photoshop lays its colours on white before it saves them. In place. */
const takeOffWhite = ({ colours }: Psd, pixels: Uint8Array): void => {
  for (let at = 0; at < pixels.length; at += colours + 1) {
    const alpha = pixels[at + colours]!;
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = 0; channel < colours; channel++) {
      const bare = 255 + ((pixels[at + channel]! - 255) * 255) / alpha;
      pixels[at + channel] = Math.max(0, Math.min(255, Math.round(bare)));
    }
  }
};

/** Photoshop says how much ink is missing. In place. */
const toInks = ({ colours, hasTransparency }: Psd, pixels: Uint8Array): void => {
  const samples = colours + (hasTransparency ? 1 : 0);
  for (let at = 0; at < pixels.length; at += samples)
    for (let channel = 0; channel < colours; channel++) pixels[at + channel]! ^= 0xff;
};

const readIndexed = (psd: Psd, rows: Rows, palette: Uint8Array, pixels: Uint8Array): boolean => {
  const samples = samplesOf(psd);
  return eachRow(psd, rows, 0, (row, y) => {
    let to = y * psd.width * samples;
    for (let x = 0; x < psd.width; x++, to += samples) {
      const index = row[x]!;
      for (let channel = 0; channel < 3; channel++) pixels[to + channel] = palette[channel * 256 + index]!;
      if (samples === 4) pixels[to + 3] = index === psd.transparentIndex ? 0 : 255;
    }
  });
};

export const hasAlpha = (psd: Psd): boolean =>
  psd.mode === 'indexed' ? psd.transparentIndex !== undefined : psd.hasTransparency;
/** Of a pixel in the TIFF. */
const samplesOf = (psd: Psd): number => (psd.mode === 'indexed' ? 3 : psd.colours) + (hasAlpha(psd) ? 1 : 0);
