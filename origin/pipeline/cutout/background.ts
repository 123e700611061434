/** The picture behind the product: centred, and as large as it takes to fill the frame. */
import sharp from 'sharp';
import { type Failure, failure } from '../../../shared/errors.ts';
import type { Rgb, Size } from '../../../shared/imaging/raster.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import type { Decode, Photo } from '../main-image.ts';
import { releasePhoto } from '../photo-source.ts';

/** Undefined where there is none. Fails with unreadable_image. */
export const readBackground = async (
  bytes: Uint8Array | undefined,
  size: Size,
  decode: Decode,
): Promise<Result<Rgb | undefined, Failure>> => {
  if (bytes === undefined) return ok(undefined);
  const photo = await decode(bytes);
  if (!photo.ok) {
    const detail = 'The background image cannot be read, or has more than 64 megapixels';
    return fail(failure('unreadable_image', detail, { cause: photo.failure.detail }));
  }
  const opaque = await onWhite(photo.value);
  const data = await sharp(opaque.data, { raw: { width: opaque.width, height: opaque.height, channels: 3 } })
    .resize({ ...size, fit: 'cover' })
    .raw()
    .toBuffer();
  releasePhoto(photo.value);
  return ok({ data, ...size });
};

const onWhite = async ({ rgb, alpha }: Photo): Promise<Rgb> => {
  if (!alpha) return rgb;
  const { width, height } = rgb;
  const rgba = await sharp(rgb.data, { raw: { width, height, channels: 3 } })
    .joinChannel(Buffer.from(alpha.data), { raw: { width, height, channels: 1 } })
    .raw()
    .toBuffer();
  const data = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#ffffff' })
    .raw()
    .toBuffer();
  return { data, width, height };
};
