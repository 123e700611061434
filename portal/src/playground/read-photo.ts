/** What a file is, before anything is computed on it: its first bytes and its size in pixels. */
import { HEIC_REFUSAL, isHeic, SNIFF_BYTES, sniffImage } from '../../../shared/image-type.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { limits } from '../../../shared/limits.ts';
import { heicToJpeg } from './heic-to-jpeg.ts';

/**
 * `size` undefined: of a type that the API takes and not every browser shows. `note`: what was done to the file; `file` is
 * what came of it.
 */
export type ReadPhoto =
  | {
      readonly ok: true;
      readonly file: File;
      readonly url: string;
      readonly size: Size | undefined;
      readonly note: string | undefined;
    }
  | { readonly ok: false; readonly problem: string };

const ACCEPTED = 'JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL and GIF';
const MEGAPIXELS_MAX = Math.floor(limits.image.pixelsMax / 1e6);

/** Pixels, upright as the browser turns it; undefined for what it cannot show. */
const sizeOf = (url: string): Promise<Size | undefined> =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve(undefined);
    image.src = url;
  });

/** Types that browsers need not show. */
const UNSHOWN = ['image/tiff', 'image/vnd.adobe.photoshop', 'image/jxl', 'image/heic'];

const refused = (problem: string): ReadPhoto => ({ ok: false, problem });

/** `takesHeic`: one that the browser cannot convert may be sent as it is. */
export const readPhoto = async (file: File, takesHeic: boolean): Promise<ReadPhoto> => {
  const { name } = file;
  if (file.size > limits.upload.fileBytesMax)
    return refused(`${name} is larger than ${limits.upload.fileBytesMax / 1e6} MB.`);
  const bytes = new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer());
  const type = sniffImage(bytes);
  if (type) return readShown(file, type);
  if (isHeic(bytes)) return readHeic(file, takesHeic);
  return refused(`${name} is not a photo that the service takes: ${ACCEPTED} are.`);
};

const readShown = async (file: File, type: string): Promise<ReadPhoto> => {
  const url = URL.createObjectURL(file);
  const size = await sizeOf(url);
  const problem = problemOf(file.name, type, size);
  if (problem === undefined) return { ok: true, file, url, size, note: undefined };
  URL.revokeObjectURL(url);
  return refused(problem);
};

const readHeic = async (file: File, takesHeic: boolean): Promise<ReadPhoto> => {
  const jpeg = await heicToJpeg(file, file.name.replace(/\.hei[cf]$/i, '.jpg'));
  if (!jpeg) return takesHeic ? readShown(file, 'image/heic') : refused(`${file.name}: ${HEIC_REFUSAL}`);
  const read = await readPhoto(jpeg, false);
  return read.ok ? { ...read, note: `${file.name} is a HEIC photo; your browser made a JPEG of it.` } : read;
};

const problemOf = (name: string, type: string, size: Size | undefined): string | undefined => {
  if (!size) return UNSHOWN.includes(type) ? undefined : `${name} cannot be read: it is damaged or cut off.`;
  const pixels = size.width * size.height;
  if (pixels > limits.image.pixelsMax)
    return `${name} has ${Math.round(pixels / 1e6)} megapixels, and ${MEGAPIXELS_MAX} megapixels are the most. Send it smaller.`;
  if (Math.min(size.width, size.height) < limits.image.sideMin) return `${name} is too small to hold a product.`;
  return undefined;
};
