/**
 * Stage 1: bytes → an upright 8-bit sRGB photo, with the cut-out that the file may already carry. A node runs it in its
 * decoder's processes only (origin/decoder).
 */
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { decoderFormats, type ImageType, isHeic, sniffImage } from '../../shared/image-type.ts';
import { embeddedCutout } from '../../shared/imaging/embedded-alpha.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Photo } from './main-image.ts';

/** Fails with file_empty, unsupported_media_type, unsupported_heic, image_too_large, image_too_small, unreadable_image. */
export const decode = async (bytes: Uint8Array): Promise<Result<Photo, Failure>> => {
  if (bytes.length === 0) return fail(failure('file_empty'));
  const type = sniffImage(bytes);
  if (type === undefined) return fail(failure(isHeic(bytes) ? 'unsupported_heic' : 'unsupported_media_type'));
  const header = await readHeader(bytes, type);
  if (!header.ok) return header;
  try {
    return ok(await readPixels(bytes, header.value));
  } catch (error) {
    return fail(unreadable(error));
  }
};

/** Width and height as they stand in the header; undefined where `decode` refuses the file for its type or header. */
export const sizeOf = async (bytes: Uint8Array): Promise<Size | undefined> => {
  const type = sniffImage(bytes);
  if (type === undefined) return undefined;
  const header = await readHeader(bytes, type);
  return header.ok ? { width: header.value.width, height: header.value.height } : undefined;
};

/** Reads the header only: a claim of 60,000 × 60,000 is refused before anything is allocated for it. */
const readHeader = async (bytes: Uint8Array, type: ImageType): Promise<Result<Metadata, Failure>> => {
  let header: Metadata;
  try {
    header = await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch (error) {
    return fail(unreadable(error));
  }
  const otherFormat = formatFailure(header, type);
  if (otherFormat) return fail(otherFormat);
  const { width, height } = header;
  const { pixelsMax, sideMax, sideMin } = limits.image;
  if (width * height > pixelsMax || Math.max(width, height) > sideMax) {
    return fail(
      failure(
        'image_too_large',
        `The image is ${width} × ${height} pixels; at most ${pixelsMax / 1e6} megapixels and ${sideMax} a side are taken`,
      ),
    );
  }
  if (Math.min(width, height) < sideMin) {
    return fail(
      failure('image_too_small', `The image is ${width} × ${height} pixels; at least ${sideMin} a side are needed`),
    );
  }
  return ok(header);
};

/** The decoder must read the file as what its first bytes say, and an AVIF must hold AV1, not HEVC. */
const formatFailure = ({ format, compression }: Metadata, type: ImageType): Failure | undefined => {
  if (format !== decoderFormats[type])
    return failure('unreadable_image', 'The image begins as one format and goes on as another');
  return format === 'heif' && compression !== 'av1' ? failure('unsupported_heic') : undefined;
};

/**
 * First frame, upright, profile applied, 8-bit sRGB. `failOn: 'error'` refuses damaged and cut-off files but not
 * harmless warnings.
 */
const open = (bytes: Uint8Array): Sharp =>
  sharp(bytes, { failOn: 'error', limitInputPixels: limits.image.pixelsMax, pages: 1 })
    .autoOrient()
    .toColourspace('srgb');

const readPixels = async (bytes: Uint8Array, header: Metadata): Promise<Photo> => {
  if (!header.hasAlpha) return { rgb: await rgbOf(open(bytes)), alpha: undefined };
  const { data, info } = await open(bytes).ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const size = { width: info.width, height: info.height };
  // Not a cut-out: what shows through the few transparent pixels is white paper.
  const photo = embeddedCutout({ data, ...size }) ?? {
    rgb: await rgbOf(sharp(data, { raw: { ...size, channels: 4 } }).flatten({ background: '#ffffff' })),
    alpha: undefined,
  };
  // 256 MB of the largest photo, which the garbage collector would keep until the next one.
  (data.buffer as ArrayBuffer).transfer(0);
  return photo;
};

const rgbOf = async (image: Sharp): Promise<Photo['rgb']> => {
  const { data, info } = await image.removeAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`expected three channels, found ${info.channels}`);
  return { data, width: info.width, height: info.height };
};

const unreadable = (error: unknown): Failure => {
  const reason = error instanceof Error ? error.message.split('\n')[0]!.slice(0, 120) : 'unknown';
  return failure('unreadable_image', `The image is damaged or cut off (${reason})`);
};
