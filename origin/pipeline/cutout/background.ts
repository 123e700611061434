/** The picture behind the product: centred, and as large as it takes to fill the frame. */
import sharp from 'sharp';
import { type Failure, failure } from '../../../shared/errors.ts';
import { sniffImage } from '../../../shared/image-type.ts';
import type { Rgb, Size } from '../../../shared/imaging/raster.ts';
import { limits } from '../../../shared/limits.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';

/** Undefined where there is none. Fails with unreadable_image. */
export const readBackground = async (
  bytes: Uint8Array | undefined,
  { width, height }: Size,
): Promise<Result<Rgb | undefined, Failure>> => {
  if (bytes === undefined) return ok(undefined);
  const unreadable = failure('unreadable_image', 'The background image cannot be read, or has more than 64 megapixels');
  if (sniffImage(bytes) === undefined) return fail(unreadable);
  try {
    const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: limits.image.pixelsMax, pages: 1 })
      .autoOrient()
      .toColourspace('srgb')
      .flatten({ background: '#ffffff' })
      .resize({ width, height, fit: 'cover' })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return info.channels === 3 ? ok({ data, width, height }) : fail(unreadable);
  } catch (cause) {
    return fail({ ...unreadable, cause });
  }
};
