/**
 * First bytes of each image format as their specifications give them, filled up with zeros; no decoder is meant to read
 * them.
 */
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...part].map((c) => c.charCodeAt(0)) : part)));
const padded = (head: Uint8Array, length = 256): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(length);
  all.set(head);
  return all;
};

export const imageHeads = {
  'image/jpeg': padded(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF')),
  'image/png': padded(bytes([0x89], 'PNG', [0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13], 'IHDR')),
  'image/webp': padded(bytes('RIFF', [0, 1, 0, 0], 'WEBPVP8 ')),
  'image/gif': padded(bytes('GIF89a')),
  'image/tiff': padded(bytes('II', [0x2a, 0, 8, 0, 0, 0])),
  'image/avif': padded(bytes([0, 0, 0, 28], 'ftypmif1', [0, 0, 0, 0], 'mif1avifmiaf')),
  'image/bmp': padded(
    bytes('BM', [0, 1, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 24, 0]),
  ),
  'image/vnd.adobe.photoshop': padded(
    bytes('8BPS', [0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 64, 0, 0, 0, 64, 0, 8, 0, 3]),
  ),
  'image/jxl': padded(bytes([0, 0, 0, 12], 'JXL ', [0x0d, 0x0a, 0x87, 0x0a])),
} as const;

export const notImages = {
  'an HTML page': padded(bytes('<!doctype html><html><body><img src="a.jpg"></body></html>')),
  'an SVG': padded(bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  'a PDF': padded(bytes('%PDF-1.7')),
  zeros: new Uint8Array(256),
  'two bytes of a JPEG': bytes([0xff, 0xd8]),
} as const;

/** HEIC and HEIF by the brands that phones and tools write. */
export const heicHeads = {
  'of an iPhone': padded(bytes([0, 0, 0, 36], 'ftypheic', [0, 0, 0, 0], 'mif1MiHBMiHEheicmiaf')),
  'of ten bits': padded(bytes([0, 0, 0, 24], 'ftypheix', [0, 0, 0, 0], 'mif1heix')),
  'burst of pictures': padded(bytes([0, 0, 0, 24], 'ftypmsf1', [0, 0, 0, 0], 'msf1hevc')),
  'of many layers': padded(bytes([0, 0, 0, 24], 'ftypheim', [0, 0, 0, 0], 'heisheim')),
  'that names no coder': padded(bytes([0, 0, 0, 24], 'ftypmif1', [0, 0, 0, 0], 'mif1miaf')),
} as const;

export const jpegOf = (length: number): Uint8Array<ArrayBuffer> =>
  padded(imageHeads['image/jpeg'].subarray(0, length), length);
