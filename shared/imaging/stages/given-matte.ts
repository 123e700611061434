/**
 * Stage 2 where the caller says what is product. The model is not asked, nothing is added and nothing dropped: samples
 * of 0 and 255 stay, and only those between are looked at again, by the photo's colours, when the edge is refined.
 */
import { type Failure, failure } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { fail, ok, type Result } from '../../result.ts';
import { longerSide } from '../box.ts';
import { frameOf, type Gray } from '../raster.ts';
import { resampleGray } from '../resample.ts';
import { coarseProductBox } from './refine.ts';
import type { Matte, PhotoSource } from './types.ts';

/**
 * `plane`: over all of the photo, at any size. Of a photo that carries a cut-out, what is transparent there stays so: its
 * alpha is reduced in place. Confidence is 1: nothing was guessed. Fails with no_product_found.
 */
export const givenMatte = (plane: Gray, photo: PhotoSource): Result<Matte, Failure> => {
  const within = photo.alpha ? reducedTo(photo.alpha, plane) : plane;
  const given: Matte = { plane: within, region: frameOf(photo.size), confidence: 1 };
  const product = coarseProductBox(given);
  if (!product) return fail(failure('no_product_found', 'The matte is empty: it keeps nothing of the photo'));
  return longerSide(product) < limits.image.sideMin
    ? fail(failure('no_product_found', `The matte keeps less than ${limits.image.sideMin} pixels of the photo`))
    : ok(given);
};

/** The lesser of both, in place. */
const reducedTo = (alpha: Gray, plane: Gray): Gray => {
  const kept = resampleGray(plane, frameOf(plane), alpha);
  for (let i = 0; i < alpha.data.length; i++) if (kept.data[i]! < alpha.data[i]!) alpha.data[i] = kept.data[i]!;
  return alpha;
};
