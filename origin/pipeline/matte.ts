/** Stage 2: where the product is, by one or more looks of the model. */
import sharp from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { dropIslands } from '../../shared/imaging/components.ts';
import { fusePasses } from '../../shared/imaging/fuse.ts';
import { type Box, type Gray, type Size, frameOf } from '../../shared/imaging/raster.ts';
import { resampleGray } from '../../shared/imaging/resample.ts';
import { type Result, fail, ok } from '../../shared/result.ts';
import type { Infer, Matte, Photo } from './hero.ts';

/** The network was trained at this size; half of it sees wholes where the full size sees parts. */
const FINE = 1024;
const COARSE = 512;
/** A coarse pass has a small say in how an edge runs. */
const COARSE_TRUST = 0.2;
/** Less product than this share of the frame is none. */
const PRODUCT_SHARE_MIN = 0.0005;

/** Fails with no_product_found. */
export const matte = async (photo: Photo, infer: Infer): Promise<Result<Matte, Failure>> => {
  const frame = frameOf(photo.rgb);
  if (photo.alpha) return ok({ plane: photo.alpha, region: frame, confidence: 1 });
  const fine = await look(photo, frame, { width: FINE, height: FINE }, infer);
  const coarse = await look(photo, frame, { width: COARSE, height: COARSE }, infer);
  const plane = fusePasses([{ matte: fine, trust: 1 }, { matte: resampleGray(coarse, frameOf(coarse), fine), trust: COARSE_TRUST }]);
  const mass = dropIslands(plane);
  if (mass < PRODUCT_SHARE_MIN * plane.data.length) return fail(failure('no_product_found'));
  return ok({ plane, region: frame, confidence: 1 });
};

/** One run on `region` of the photo, stretched to `size`. */
const look = async ({ rgb }: Photo, region: Box, size: Size, infer: Infer): Promise<Gray> => {
  const pixels = await sharp(rgb.data, { raw: { width: rgb.width, height: rgb.height, channels: 3 } })
    .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer();
  return { data: await infer({ rgb: pixels, ...size }), ...size };
};
