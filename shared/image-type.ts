/**
 * The type of an image file by the structure of its first bytes; file names and declared types are ignored. A file that
 * ends within that structure counts as what it began as, and decoding then finds it cut off. Pure.
 */

/** Enough of a file to read the brand list of an AVIF, and the header of a BMP or a PSD. */
export const SNIFF_BYTES = 64;

/** What libvips has to call a file of each type that it decodes (sharp's `metadata().format`). */
export const decoderFormats = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'image/avif': 'heif',
} as const;
export type VipsImageType = keyof typeof decoderFormats;
export type ImageType = VipsImageType | 'image/bmp' | 'image/vnd.adobe.photoshop' | 'image/jxl';

/** Content type of the nine accepted formats; undefined for everything else, e.g. SVG, PDF, HEIC or text. */
export const sniffImage = (bytes: Uint8Array): ImageType | undefined =>
  types.find(([, matches]) => matches(bytes))?.[0];

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  bytes.length >= signature.length && signature.every((byte, i) => bytes[i] === byte);

/** The first marker after "start of image". Stuffing, TEM, restart, start and end of image cannot stand there. */
const isJpeg = (bytes: Uint8Array): boolean => {
  if (!startsWith(bytes, [0xff, 0xd8, 0xff])) return false;
  const marker = bytes[3];
  return marker === undefined || (marker >= 0xc0 && (marker < 0xd0 || marker > 0xd9));
};

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;
/** The first chunk: 13 bytes of IHDR. */
const PNG_HEADER = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52] as const;
const isPng = (bytes: Uint8Array): boolean =>
  startsWith(bytes, PNG_SIGNATURE) && PNG_HEADER.every((byte, i) => (bytes[8 + i] ?? byte) === byte);

const isWebp = (bytes: Uint8Array): boolean =>
  ascii(bytes, 0, 4) === 'RIFF' &&
  ascii(bytes, 8, 12) === 'WEBP' &&
  ['VP8 ', 'VP8L', 'VP8X'].some((chunk) => chunk.startsWith(ascii(bytes, 12, 16)));

const isGif = (bytes: Uint8Array): boolean => ['GIF87a', 'GIF89a'].includes(ascii(bytes, 0, 6));

/** Byte order, 42, and the offset of the first directory, which lies behind this header of 8 bytes. */
const isTiff = (bytes: Uint8Array): boolean => {
  const littleEndian = startsWith(bytes, [0x49, 0x49, 0x2a, 0x00]);
  if (!littleEndian && !startsWith(bytes, [0x4d, 0x4d, 0x00, 0x2a])) return false;
  return bytes.length < 8 || viewOf(bytes).getUint32(4, littleEndian) >= 8;
};

/** Bounds of a file type box, bytes: a major brand and its version; more than 60 compatible brands are in no real file. */
const FTYP_BYTES_MIN = 16;
const FTYP_BYTES_MAX = 256;
/** Major and compatible brands of an ISO 14496-12 file type box; none where the file does not begin with one. */
const brandsOf = (bytes: Uint8Array): readonly string[] => {
  if (bytes.length < FTYP_BYTES_MIN || ascii(bytes, 4, 8) !== 'ftyp') return [];
  const boxBytes = viewOf(bytes).getUint32(0);
  if (boxBytes < FTYP_BYTES_MIN || boxBytes > FTYP_BYTES_MAX || boxBytes % 4 !== 0) return [];
  const brands: string[] = [];
  // 8: major brand; 12: its version; from 16 on: compatible brands.
  for (let at = 8; at + 4 <= Math.min(boxBytes, bytes.length); at += at === 8 ? 8 : 4)
    brands.push(ascii(bytes, at, at + 4));
  return brands;
};

/** AV1 itself is checked by the decoder. */
const isAvif = (bytes: Uint8Array): boolean => brandsOf(bytes).some((brand) => brand === 'avif' || brand === 'avis');

/** ISO 23008-12: HEVC stills and bursts, and HEIF that leaves its coder open. */
const HEIC_BRANDS = ['heic', 'heix', 'hevc', 'heim', 'heis', 'mif1', 'msf1'];
/** Whether the file is a HEIC or HEIF photo, as phones save them, and no AVIF, which has the same box. */
export const isHeic = (bytes: Uint8Array): boolean =>
  !isAvif(bytes) && brandsOf(bytes).some((brand) => HEIC_BRANDS.includes(brand));

const BMP_HEADER_BYTES = [40, 52, 56, 108, 124];
/** The file header's reserved bytes are 0; then BITMAPINFOHEADER or a longer one, with one plane of a known depth. */
const isBmp = (bytes: Uint8Array): boolean => {
  if (bytes.length < 54 || ascii(bytes, 0, 2) !== 'BM') return false;
  const view = viewOf(bytes);
  return (
    view.getUint32(6) === 0 &&
    BMP_HEADER_BYTES.includes(view.getUint32(14, true)) &&
    view.getUint16(26, true) === 1 &&
    [1, 4, 8, 16, 24, 32].includes(view.getUint16(28, true))
  );
};

/** Version 1, or 2 of a large document (PSB), six bytes of 0, then numbers of channels, depth and mode that there are. */
const isPsd = (bytes: Uint8Array): boolean => {
  if (bytes.length < 26 || ascii(bytes, 0, 4) !== '8BPS') return false;
  const view = viewOf(bytes);
  const channels = view.getUint16(12);
  return (
    [1, 2].includes(view.getUint16(4)) &&
    view.getUint32(6) === 0 &&
    view.getUint16(10) === 0 &&
    channels >= 1 &&
    channels <= 56 &&
    [1, 8, 16, 32].includes(view.getUint16(22)) &&
    view.getUint16(24) <= 9
  );
};

const JXL_CONTAINER = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a];
/** ISO 18181: a naked codestream, or the first box of one in a container. The codestream itself is checked by the decoder. */
const isJxl = (bytes: Uint8Array): boolean => startsWith(bytes, [0xff, 0x0a]) || startsWith(bytes, JXL_CONTAINER);

/** Told to whoever sends one. */
export const HEIC_REFUSAL =
  'The photo is a HEIC/HEIF file, which is not taken: export it as JPEG (iPhone: Settings, Camera, Formats, Most Compatible)';

const types: readonly (readonly [ImageType, (bytes: Uint8Array) => boolean])[] = [
  ['image/jpeg', isJpeg],
  ['image/png', isPng],
  ['image/webp', isWebp],
  ['image/gif', isGif],
  ['image/tiff', isTiff],
  ['image/avif', isAvif],
  ['image/bmp', isBmp],
  ['image/vnd.adobe.photoshop', isPsd],
  ['image/jxl', isJxl],
];
