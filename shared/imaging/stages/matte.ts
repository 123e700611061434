/** Stage 2: where the product is, by two looks of the model, and a third where they leave doubt. */
import { type Failure, failure } from '../../errors.ts';
import { fail, ok, type Result } from '../../result.ts';
import { boxOf } from '../box.ts';
import { certainty } from '../certainty.ts';
import { dropIslands } from '../components.ts';
import { agreement, fusePasses, level } from '../fuse.ts';
import { boxInPhoto, cropPass, gridFor } from '../geometry.ts';
import { decideHaze } from '../haze.ts';
import { openHoles } from '../holes.ts';
import { outgrowths, withdraw } from '../outgrowths.ts';
import { type Box, frameOf, type Gray, type Rgb, type Size } from '../raster.ts';
import { resampleGray, resampleOnto } from '../resample.ts';
import type { Infer, Matte, PhotoSource } from './types.ts';

/** The network was trained at this size; half of it sees wholes where the full size sees parts. */
const FINE: Size = { width: 1024, height: 1024 };
const COARSE: Size = { width: 512, height: 512 };
/** A third look at the product alone has about this many pixels, and sides that the network takes. */
const CROP_AREA = 768 * 768;
const SIDE_MULTIPLE = 64;
/** A coarse pass has a small say in how an edge runs. */
const COARSE_TRUST = 0.2;
/**
 * The third look is taken where the first two agree less than this (intersection ÷ union), or where the product is so
 * small a part of the frame.
 */
const AGREEMENT_MIN = 0.9;
const SMALL_SHARE = 0.6;
/**
 * From this agreement on the fine look has found the whole, and what it leaves open inside is a hole, not a part it
 * missed.
 */
const HOLES_AGREEMENT_MIN = 0.8;
/** What any look sees with this certainty (0..255) belongs to the crop. */
const CROP_THRESHOLD = 64;
/** Less product than this share of the frame is none. */
const PRODUCT_SHARE_MIN = 0.0005;
/**
 * A matte of which less than this is decided has found haze, not a product. Looks that disagree are no sign of that:
 * one may see a print only.
 */
const CERTAINTY_MIN = 0.2;

/** Confidence is the looks' agreement times the share of the product that is decided. Fails with no_product_found. */
export const matte = async (photo: PhotoSource, infer: Infer): Promise<Result<Matte, Failure>> => {
  const frame = frameOf(photo.size);
  if (photo.alpha) return ok({ plane: photo.alpha, region: frame, confidence: 1 });
  const whole = await photo.part(frame, FINE);
  const half = mirroredRgb(await photo.resize(whole, COARSE));
  const fine = await look(whole, infer);
  const coarse = mirrored(await look(half, infer));
  const coarseOnFine = resampleGray(coarse, frameOf(coarse), FINE);
  const agreed = agreement(fine, coarseOnFine);
  if (agreed >= HOLES_AGREEMENT_MIN) openHoles(coarseOnFine, fine);
  const seen = boxOf(larger(fine, coarseOnFine), CROP_THRESHOLD);
  if (!seen) return fail(failure('no_product_found'));
  const small = Math.max(seen.width / FINE.width, seen.height / FINE.height) < SMALL_SHARE;
  const found =
    agreed < AGREEMENT_MIN || small
      ? await lookCloser(photo, boxInPhoto(seen, frame, FINE), [fine, coarseOnFine], infer)
      : { ...fused([fine], coarseOnFine), region: frame };
  const decided = certainty(found.plane);
  decideHaze(found.plane);
  const mass =
    dropIslands(found.plane, found.looks) *
    ((found.region.width * found.region.height) / (found.plane.width * found.plane.height));
  if (mass < PRODUCT_SHARE_MIN * frame.width * frame.height || decided < CERTAINTY_MIN)
    return fail(failure('no_product_found'));
  return ok({ plane: found.plane, region: found.region, confidence: agreed * decided });
};

/** A fused matte, and what it was fused from. */
type Fused = { readonly plane: Gray; readonly looks: readonly Gray[] };

/** All of one size; they are overwritten. */
const fused = (fine: readonly Gray[], coarse: Gray): Fused => {
  const looks = [...fine, coarse];
  const passes = looks.map((look) => ({ matte: level(look), trust: look === coarse ? COARSE_TRUST : 1 }));
  const plane = fusePasses(passes);
  const claimed = outgrowths(plane, fine, coarse);
  if (!claimed) return { plane, looks };
  withdraw(claimed, fine, coarse);
  return { plane: fusePasses(passes), looks };
};

/** A third look, at the product and a margin; all three meet on a grid as fine as the finest of them there. */
const lookCloser = async (
  photo: PhotoSource,
  product: Box,
  [fine, coarse]: readonly [Gray, Gray],
  infer: Infer,
): Promise<Fused & { region: Box }> => {
  const frame = frameOf(photo.size);
  const { region, size } = cropPass(product, frame, CROP_AREA, SIDE_MULTIPLE);
  const close = await look(await photo.part(region, size), infer);
  const grid = gridFor(region, frame, FINE, size);
  const seen = fused(
    [resampleOnto(close, region, region, grid), resampleOnto(fine, frame, region, grid)],
    resampleOnto(coarse, frame, region, grid),
  );
  return { ...seen, region };
};

/** One run. */
const look = async (picture: Rgb, infer: Infer): Promise<Gray> => {
  const { width, height } = picture;
  return { data: await infer({ rgb: picture.data, width, height }), width, height };
};

/** Left and right exchanged, in place. A mirrored look errs elsewhere than a straight one. */
const mirrored = (picture: Gray): Gray => {
  for (let y = 0; y < picture.height; y++) picture.data.subarray(y * picture.width, (y + 1) * picture.width).reverse();
  return picture;
};

const mirroredRgb = (picture: Rgb): Rgb => {
  const { data, width, height } = picture;
  for (let y = 0; y < height; y++) {
    for (let left = y * width * 3, right = left + (width - 1) * 3; left < right; left += 3, right -= 3) {
      for (let c = 0; c < 3; c++) {
        const kept = data[left + c]!;
        data[left + c] = data[right + c]!;
        data[right + c] = kept;
      }
    }
  }
  return picture;
};

const larger = (a: Gray, b: Gray): Gray => {
  const data = a.data.slice();
  for (let i = 0; i < data.length; i++) if (b.data[i]! > data[i]!) data[i] = b.data[i]!;
  return { ...a, data };
};
