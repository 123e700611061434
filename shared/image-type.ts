/** The type of an image file by its first bytes; file names and declared types are ignored. Pure. */

/** Enough of a file to read the brand list of an AVIF. */
export const SNIFF_BYTES = 64;

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
const startsWith = (bytes: Uint8Array, ...signature: number[]): boolean =>
  signature.every((byte, i) => bytes[i] === byte);

/** Content type of the six accepted formats; undefined for everything else, e.g. SVG, PDF, HEIC, BMP or text. */
export const sniffImage = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'image/webp';
  if (ascii(bytes, 0, 6) === 'GIF87a' || ascii(bytes, 0, 6) === 'GIF89a') return 'image/gif';
  if (startsWith(bytes, 0x49, 0x49, 0x2a, 0x00) || startsWith(bytes, 0x4d, 0x4d, 0x00, 0x2a)) return 'image/tiff';
  return isAvif(bytes) ? 'image/avif' : undefined;
};

/** ISO 14496-12 file type box: AVIF by its major or a compatible brand. HEIC has the same box but other brands. */
const isAvif = (bytes: Uint8Array): boolean => {
  if (bytes.length < 16 || ascii(bytes, 4, 8) !== 'ftyp') return false;
  const boxBytes = Math.min(
    new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0),
    bytes.length,
    256,
  );
  for (let at = 8; at + 4 <= boxBytes; at += at === 8 ? 8 : 4) {
    const brand = ascii(bytes, at, at + 4);
    if (brand === 'avif' || brand === 'avis') return true;
  }
  return false;
};
