/** What a file is, by its first bytes. Neither the name nor the declared content type is asked. Pure. */

/** Enough for the brand list of an AVIF. */
export const SNIFF_BYTES = 64;

const ascii = (head: Uint8Array, from: number, to: number): string => String.fromCharCode(...head.subarray(from, to));
const begins = (head: Uint8Array, ...bytes: number[]): boolean => bytes.every((byte, i) => head[i] === byte);

/** ISO base media file: size (4), "ftyp", major brand, version, compatible brands. HEIC shares the box and is told apart by its brands. */
const isAvif = (head: Uint8Array): boolean => {
  if (ascii(head, 4, 8) !== 'ftyp') return false;
  const end = Math.min(head.length, new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0));
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) if (['avif', 'avis'].includes(ascii(head, at, at + 4))) return true;
  return false;
};

/** Content type of the six formats taken; undefined for anything else. */
export const sniffImage = (head: Uint8Array): string | undefined => {
  if (begins(head, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (begins(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP') return 'image/webp';
  if (ascii(head, 0, 6) === 'GIF87a' || ascii(head, 0, 6) === 'GIF89a') return 'image/gif';
  if (begins(head, 0x49, 0x49, 0x2a, 0) || begins(head, 0x4d, 0x4d, 0, 0x2a)) return 'image/tiff';
  return isAvif(head) ? 'image/avif' : undefined;
};
