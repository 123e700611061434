/**
 * The merged picture of a Photoshop file as an uncompressed TIFF in memory: libvips then does with CMYK, grey and
 * embedded profiles what it does with those of a TIFF. 8 bits a channel. Pure.
 */
import type { Failure } from '../../shared/errors.ts';
import { ok, type Result } from '../../shared/result.ts';
import { damaged, PACKED, type Psd } from './psd.ts';

/** About so much of the picture in one strip, bytes: libtiff reads strips whole. */
const STRIP_BYTES = 1 << 20;
/** Photometric interpretations. */
const PHOTOMETRIC = { bitmap: 1, grey: 1, indexed: 2, rgb: 2, cmyk: 5 } as const;

/** Fails with unreadable_image. The result holds width × height × (colours + alpha) bytes and little more. */
export const psdToTiff = (psd: Psd): Result<Uint8Array, Failure> => {
  const rows = psd.packing === PACKED ? packedRows(psd) : rawRows(psd);
  if (!rows) return damaged('its picture is cut off');
  const tiff = emptyTiff(psd);
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

type Tag = { readonly id: number; readonly type: 3 | 4 | 7; readonly values: ArrayLike<number> };
const typeBytes = { 3: 2, 4: 4, 7: 1 } as const;

/** Little-endian: header, directory, long values, then the pixels, which are left empty. */
const emptyTiff = (psd: Psd): { bytes: Uint8Array; pixelsAt: number } => {
  const { width, height, mode, profile } = psd;
  const samples = samplesOf(psd);
  const colours = mode === 'indexed' ? 3 : psd.colours;
  const rowBytes = width * samples;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  const strips = Math.ceil(height / stripRows);
  const offsets = new Uint32Array(strips);
  const tags: Tag[] = [
    { id: 256, type: 4, values: [width] },
    { id: 257, type: 4, values: [height] },
    { id: 258, type: 3, values: Array.from({ length: samples }, () => 8) },
    { id: 259, type: 3, values: [1] },
    { id: 262, type: 3, values: [PHOTOMETRIC[mode]] },
    { id: 273, type: 4, values: offsets },
    { id: 277, type: 3, values: [samples] },
    { id: 278, type: 4, values: [stripRows] },
    {
      id: 279,
      type: 4,
      values: offsets.map((_, strip) => Math.min(stripRows, height - strip * stripRows) * rowBytes),
    },
    { id: 284, type: 3, values: [1] },
    ...(samples > colours ? [{ id: 338, type: 3, values: [2] } as const] : []),
    ...(profile?.length ? [{ id: 34675, type: 7, values: profile } as const] : []),
  ];
  const directoryBytes = 2 + 12 * tags.length + 4;
  const pixelsAt = tags.reduce((at, tag) => at + longBytes(tag), 8 + directoryBytes);
  for (let strip = 0; strip < strips; strip++) offsets[strip] = pixelsAt + strip * stripRows * rowBytes;
  const bytes = new Uint8Array(pixelsAt + rowBytes * height);
  writeDirectory(new DataView(bytes.buffer), tags, 8 + directoryBytes);
  return { bytes, pixelsAt };
};

/** Of a tag's values behind the directory, even; 0 where they fit into its entry. */
const longBytes = ({ type, values }: Tag): number => {
  const bytes = typeBytes[type] * values.length;
  return bytes <= 4 ? 0 : bytes + (bytes & 1);
};

const writeDirectory = (view: DataView, tags: readonly Tag[], valuesAt: number): void => {
  view.setUint32(0, 0x49492a00);
  view.setUint32(4, 8, true);
  view.setUint16(8, tags.length, true);
  let free = valuesAt;
  for (const [i, tag] of tags.entries()) {
    const at = 10 + 12 * i;
    view.setUint16(at, tag.id, true);
    view.setUint16(at + 2, tag.type, true);
    view.setUint32(at + 4, tag.values.length, true);
    const long = longBytes(tag);
    if (long > 0) view.setUint32(at + 8, free, true);
    writeValues(view, long > 0 ? free : at + 8, tag);
    free += long;
  }
};

const writeValues = (view: DataView, at: number, { type, values }: Tag): void => {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (type === 7) view.setUint8(at + i, value);
    else if (type === 3) view.setUint16(at + 2 * i, value, true);
    else view.setUint32(at + 4 * i, value, true);
  }
};
