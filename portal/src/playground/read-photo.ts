/** What a file is, before anything is computed on it: its first bytes and its size in pixels. */
import { SNIFF_BYTES, sniffImage } from '../../../shared/image-type.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { limits } from '../../../shared/limits.ts';

/** `size` undefined: a TIFF, which browsers do not show and the API takes. */
export type ReadPhoto =
  | { readonly ok: true; readonly file: File; readonly url: string; readonly size: Size | undefined }
  | { readonly ok: false; readonly problem: string };

const ACCEPTED = 'JPEG, PNG, WebP, AVIF, TIFF and GIF';
const HEIC_BRANDS = ['heic', 'heix', 'hevc', 'heim', 'heis', 'mif1', 'msf1'];
const MEGAPIXELS_MAX = Math.floor(limits.image.pixelsMax / 1e6);

const isHeic = (bytes: Uint8Array, name: string): boolean => {
  const text = String.fromCharCode(...bytes.subarray(4, 12));
  return HEIC_BRANDS.some((brand) => text === `ftyp${brand}`) || /\.(heic|heif)$/i.test(name);
};

/** Pixels, upright as the browser turns it; undefined for what it cannot show. */
const sizeOf = (url: string): Promise<Size | undefined> =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve(undefined);
    image.src = url;
  });

const refused = (problem: string): ReadPhoto => ({ ok: false, problem });

export const readPhoto = async (file: File): Promise<ReadPhoto> => {
  const { name } = file;
  if (file.size > limits.upload.fileBytesMax)
    return refused(`${name} is larger than ${limits.upload.fileBytesMax / 1e6} MB.`);
  const bytes = new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer());
  const type = sniffImage(bytes);
  if (!type)
    return refused(
      isHeic(bytes, name)
        ? `${name} is a HEIC photo, which the service does not take. Save it as JPEG; on an iPhone, Settings, Camera, Formats, “Most Compatible” takes new ones as JPEG.`
        : `${name} is not a photo that the service takes: ${ACCEPTED} are.`,
    );
  const url = URL.createObjectURL(file);
  const size = await sizeOf(url);
  const problem = problemOf(name, type, size);
  if (problem === undefined) return { ok: true, file, url, size };
  URL.revokeObjectURL(url);
  return refused(problem);
};

const problemOf = (name: string, type: string, size: Size | undefined): string | undefined => {
  if (!size) return type === 'image/tiff' ? undefined : `${name} cannot be read: it is damaged or cut off.`;
  const pixels = size.width * size.height;
  if (pixels > limits.image.pixelsMax)
    return `${name} has ${Math.round(pixels / 1e6)} megapixels, and ${MEGAPIXELS_MAX} megapixels are the most. Send it smaller.`;
  if (Math.min(size.width, size.height) < limits.image.sideMin) return `${name} is too small to hold a product.`;
  return undefined;
};
