/** Stage 3: the product at its final scale, its edge drawn by the photo's own colours. */
import { type Failure, failure } from '../../errors.ts';
import type { ResolvedOptions } from '../../options.ts';
import { fail, ok, type Result } from '../../result.ts';
import { boxOf, longerSide } from '../box.ts';
import { refineEdges } from '../edges.ts';
import {
  boxInPhoto,
  centredAt,
  type Framing,
  heroFraming,
  originalFraming,
  targetSide,
  windowInMatte,
} from '../geometry.ts';
import { type LocalColours, localColours } from '../local-colours.ts';
import type { Box, Gray, Rgb } from '../raster.ts';
import { resampleGray } from '../resample.ts';
import type { Matte, PhotoSource, Refined } from './types.ts';

/**
 * Where the product begins, to find its box on the coarse matte: 1/10 foretells the refined box within 0.0015 of the
 * canvas nearly always, one half does not.
 */
const BOX_THRESHOLD = 26;
/** The box of the refined product may miss the wanted side by this share of the canvas; the rules allow 0.005. */
const FILL_MISS_MAX = 0.0015;
const ATTEMPTS_MAX = 3;
/** Neighbourhood of an edge: 6 samples of a matte of 1024. */
const EDGE_SIGMA_SAMPLES = 6;

type Worked = {
  readonly rgb: Rgb;
  readonly alpha: Gray;
  readonly colours: LocalColours | undefined;
  readonly box: Box;
};

/** Fails with no_product_found where nothing is left after refinement. */
export const refine = async (
  photo: PhotoSource,
  matte: Matte,
  options: ResolvedOptions,
): Promise<Result<Refined, Failure>> => {
  const found = boxOf(matte.plane, BOX_THRESHOLD);
  if (!found) return fail(failure('no_product_found'));
  const product = boxInPhoto(found, matte.region, matte.plane);
  if (options.layout === 'original') {
    const framing = originalFraming(product, photo.size);
    const worked = await workOn(photo, matte, framing);
    if (!worked) return fail(failure('no_product_found'));
    const canvas = photo.size;
    return ok({
      cutout: { ...worked, at: { x: framing.window.x, y: framing.window.y }, canvas },
      colours: worked.colours,
      upscaled: false,
    });
  }
  return refineForCanvas(photo, matte, product, options);
};

/** The coarse box tells the scale only nearly, so the refined box is measured and the scale corrected until it fits. */
const refineForCanvas = async (
  photo: PhotoSource,
  matte: Matte,
  product: Box,
  { canvas, fill }: ResolvedOptions,
): Promise<Result<Refined, Failure>> => {
  const target = targetSide(canvas, fill);
  let aim = target;
  for (let attempt = 1; ; attempt++) {
    const framing = heroFraming(product, photo.size, aim);
    const worked = await workOn(photo, matte, framing);
    if (!worked) return fail(failure('no_product_found'));
    const side = longerSide(worked.box);
    if (Math.abs(side - target) <= Math.max(0.5, FILL_MISS_MAX * canvas) || attempt === ATTEMPTS_MAX) {
      const upscaled = framing.size.width > framing.window.width;
      return ok({
        cutout: { ...worked, at: centredAt(worked.box, canvas), canvas: { width: canvas, height: canvas } },
        colours: worked.colours,
        upscaled,
      });
    }
    aim *= target / side;
  }
};

/** One part of the photo at one scale. Undefined where no product is left in it. */
const workOn = async (photo: PhotoSource, matte: Matte, framing: Framing): Promise<Worked | undefined> => {
  const { window, size } = framing;
  if (photo.alpha) {
    const cutout = await photo.cutoutPart(window, size);
    const box = boxOf(cutout.alpha, 1);
    return box && { ...cutout, colours: undefined, box };
  }
  const rgb = await photo.part(window, size);
  const alpha = resampleGray(matte.plane, windowInMatte(window, matte.region, matte.plane), size);
  const samplePx = ((matte.region.width / matte.plane.width) * size.width) / window.width;
  const colours = localColours(rgb, alpha, EDGE_SIGMA_SAMPLES * samplePx);
  refineEdges(rgb, alpha, colours);
  const box = boxOf(alpha, 1);
  return box && { rgb, alpha, colours, box };
};
