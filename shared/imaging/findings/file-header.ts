/** What a photo's file says of its samples, read without decoding it: bytes from outside are opened in decoders only. */
import { type ImageType, sniffImage } from '../../image-type.ts';
import type { FileFacts } from '../compliance.ts';

export type FileHeader = Pick<FileFacts, 'colourSpace' | 'bitsPerSample'> & {
  /** Undefined where results never have it. */
  readonly format: FileFacts['format'] | undefined;
};
type Samples = Pick<FileHeader, 'colourSpace' | 'bitsPerSample'>;

const UNKNOWN: Samples = { colourSpace: 'unknown', bitsPerSample: 0 };
const SRGB: Samples = { colourSpace: 'srgb', bitsPerSample: 8 };

const byComponents: Readonly<Record<number, string>> = { 1: 'b-w', 3: 'srgb', 4: 'cmyk' };

/** From the frame header (SOF), which follows any number of other segments. */
const jpegSamples = (bytes: Uint8Array): Samples => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { colourSpace: byComponents[bytes[at + 9]!] ?? 'unknown', bitsPerSample: bytes[at + 4]! };
    at += marker === 0xff ? 1 : 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
  }
  return UNKNOWN;
};

/** From IHDR, which comes first: depth and colour type (2, 3, 6 have colours). */
const pngSamples = (bytes: Uint8Array): Samples => ({
  colourSpace: [2, 3, 6].includes(bytes[25] ?? 0) ? 'srgb' : 'b-w',
  bitsPerSample: bytes[25] === 3 ? 8 : (bytes[24] ?? 0),
});

const formats: Partial<Record<ImageType, { format: FileFacts['format']; samples: (bytes: Uint8Array) => Samples }>> = {
  'image/jpeg': { format: 'jpg', samples: jpegSamples },
  'image/png': { format: 'png', samples: pngSamples },
  'image/webp': { format: 'webp', samples: () => SRGB },
};

export const readFileHeader = (bytes: Uint8Array): FileHeader => {
  const type = sniffImage(bytes);
  const known = type && formats[type];
  return known ? { format: known.format, ...known.samples(bytes) } : { format: undefined, ...UNKNOWN };
};
