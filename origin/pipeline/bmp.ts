/**
 * BMP, read by ourselves: libvips as we have it does not, and of the libraries for it one refuses ordinary 32-bit files
 * and those stored top down, another loops over as many palette entries as the header claims. Uncompressed pictures of
 * 1, 4 or 8 bits with a palette and of 24 or 32 bits; compressed ones and those of 16 bits are rare and refused. The
 * pixels are there or the file is refused, so memory is bounded by the file. Pure.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

/** Offsets of the file header (14 bytes) and, behind it, of BITMAPINFOHEADER and its longer successors. */
const AT = {
  pixels: 10,
  header: 14,
  width: 18,
  height: 22,
  bits: 28,
  compression: 30,
  colours: 46,
  masks: 54,
} as const;
const ALPHA_MASK_AT = 66;
/** From here on a header has a mask of alpha. */
const HEADER_BYTES_ALPHA = 56;
const UNCOMPRESSED = 0;
const BIT_FIELDS = 3;

type Palette = { readonly at: number; readonly colours: number };
type Bmp = Size & {
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly pixelsAt: number;
  readonly rowBytes: number;
  readonly palette: Palette | undefined;
  /** Which byte of a pixel is red, green, blue and, where there is one, alpha. */
  readonly places: readonly number[];
};

/** Fails with unreadable_image. Bytes that `sniffImage` calls a BMP hold its whole header. */
export const openBmp = (bytes: Uint8Array): Result<Bmp, Failure> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tall = view.getInt32(AT.height, true);
  const [width, height] = [view.getInt32(AT.width, true), Math.abs(tall)];
  const bits = view.getUint16(AT.bits, true);
  const compression = view.getUint32(AT.compression, true);
  const headerEnd = AT.header + view.getUint32(AT.header, true);
  if (width <= 0 || height === 0) return damaged('it has no pixels');
  const places = placesOf(view, bits, compression, headerEnd);
  if (!places) return damaged('this kind of BMP is not read; save it as PNG');
  const pixelsAt = view.getUint32(AT.pixels, true);
  const colours = bits > 8 ? 0 : Math.min(view.getUint32(AT.colours, true) || 2 ** bits, 2 ** bits);
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  if (pixelsAt < headerEnd + colours * 4 || pixelsAt + rowBytes * height > bytes.length)
    return damaged('it is cut off');
  const palette = colours > 0 ? { at: headerEnd, colours } : undefined;
  return ok({ width, height, isTopDown: tall < 0, bits, pixelsAt, rowBytes, palette, places });
};

const damaged = (why: string): Result<never, Failure> =>
  fail(failure('unreadable_image', `The image is damaged or cut off (${why})`));

/** Undefined for a kind that is not read. */
const placesOf = (
  view: DataView,
  bits: number,
  compression: number,
  headerEnd: number,
): readonly number[] | undefined => {
  if (compression === UNCOMPRESSED && [1, 4, 8, 24, 32].includes(bits)) return [2, 1, 0];
  if (compression !== BIT_FIELDS || bits !== 32 || view.byteLength < ALPHA_MASK_AT + 4) return undefined;
  const masks = [0, 4, 8].map((at) => view.getUint32(AT.masks + at, true));
  const alpha = headerEnd - AT.header >= HEADER_BYTES_ALPHA ? view.getUint32(ALPHA_MASK_AT, true) : 0;
  const places = [...masks, ...(alpha ? [alpha] : [])].map((mask) => BYTE_MASKS.indexOf(mask));
  return places.includes(-1) ? undefined : places;
};
const BYTE_MASKS = [0x0000_00ff, 0x0000_ff00, 0x00ff_0000, 0xff00_0000];

/** Interleaved RGB, or RGBA where the file has an alpha that is not 0 everywhere; the first row is the upper one. */
export const readBmp = (bytes: Uint8Array, bmp: Bmp): { readonly data: Uint8Array; readonly channels: 3 | 4 } => {
  if (bmp.palette) return { data: readPalette(bytes, bmp, bmp.palette), channels: 3 };
  const data = readBytes(bytes, bmp);
  if (bmp.places.length === 3) return { data, channels: 3 };
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return { data, channels: 4 };
  // Written by programs that have no alpha and leave its bytes empty.
  return { data: readBytes(bytes, { ...bmp, places: bmp.places.slice(0, 3) }), channels: 3 };
};

const rowAt = ({ isTopDown, height, pixelsAt, rowBytes }: Bmp, y: number): number =>
  pixelsAt + (isTopDown ? y : height - 1 - y) * rowBytes;

const readBytes = (bytes: Uint8Array, bmp: Bmp): Uint8Array => {
  const { width, height, places } = bmp;
  const [step, channels] = [bmp.bits / 8, places.length];
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = rowAt(bmp, y); x < width; x++, from += step)
      for (let channel = 0; channel < channels; channel++) data[to++] = bytes[from + places[channel]!]!;
  }
  return data;
};

/** An index beyond the palette is black. */
const readPalette = (bytes: Uint8Array, bmp: Bmp, { at, colours }: Palette): Uint8Array => {
  const { width, height, bits, places } = bmp;
  const entries = new Uint8Array(2 ** bits * 4);
  entries.set(bytes.subarray(at, at + colours * 4));
  const data = new Uint8Array(width * height * 3);
  const mask = 2 ** bits - 1;
  for (let y = 0, to = 0; y < height; y++) {
    const row = rowAt(bmp, y);
    for (let x = 0; x < width; x++) {
      const bit = x * bits;
      const index = (bytes[row + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask;
      for (const place of places) data[to++] = entries[index * 4 + place]!;
    }
  }
  return data;
};
