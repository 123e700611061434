/** Stage 3: the product at its final scale, its edge refined by the photo's colours. */
import { type Failure, failure } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { canvasSize } from '../../marketplaces/index.ts';
import type { ResolvedOutput } from '../../options.ts';
import { fail, ok, type Result } from '../../result.ts';
import { boundingBox, longerSide, scaleBox } from '../box.ts';
import {
  canvasFraming,
  centredPosition,
  type Framing,
  filledSide,
  matteBoxToPhoto,
  originalFraming,
  photoBoxToMatte,
  targetSide,
} from '../geometry.ts';
import { type LocalColours, localColours } from '../local-colours.ts';
import type { Box, Gray, Rgb } from '../raster.ts';
import { refineEdges } from '../refine-edges.ts';
import { resampleGray } from '../resample.ts';
import type { Matte, PhotoSource, Refined } from './types.ts';

/**
 * Threshold of the product's box on the coarse matte: 1/10 nearly always predicts the refined box within 0.0015 of the
 * canvas, one half does not.
 */
const BOX_THRESHOLD = 26;
/** The refined box may miss the target side by this share of the canvas; the rules allow 0.005. */
const FILL_ERROR_MAX = 0.0015;
const ATTEMPTS_MAX = 3;
/**
 * A refined box below this share of the target leaves out specks that the coarse one held. The window is then drawn anew
 * around it: at a scale that is raised alone, a window of many megapixels could grow without bound.
 */
const SHRUNK_SHARE = 0.8;
/** Standard deviation of the neighbourhood of an edge pixel, samples of the matte. */
const EDGE_SIGMA_SAMPLES = 6;

export type Refinement = {
  readonly rgb: Rgb;
  readonly alpha: Gray;
  readonly colours: LocalColours | undefined;
  readonly box: Box;
};

/** The product's box in the photo, as the matte has it before refinement. */
export const coarseProductBox = ({ plane, region }: Matte): Box | undefined => {
  const found = boundingBox(plane, BOX_THRESHOLD);
  return found && matteBoxToPhoto(found, region, plane);
};

/** Fails with no_product_found where nothing is left after refinement. */
export const refine = async (
  photo: PhotoSource,
  matte: Matte,
  options: ResolvedOutput,
): Promise<Result<Refined, Failure>> => {
  const product = coarseProductBox(matte);
  if (!product) return fail(failure('no_product_found'));
  if (options.layout === 'original') {
    const framing = originalFraming(product, photo.size);
    const refinement = await refineAt(photo, matte, framing);
    if (!refinement) return fail(failure('no_product_found'));
    const canvas = photo.size;
    return ok({
      cutout: { ...refinement, at: { x: framing.window.x, y: framing.window.y }, canvas },
      colours: refinement.colours,
      upscaled: false,
    });
  }
  return refineForCanvas(photo, matte, product, options);
};

/** The coarse box gives the scale only roughly, so the refined box is measured and the scale corrected until it fits. */
const refineForCanvas = async (
  photo: PhotoSource,
  matte: Matte,
  product: Box,
  options: ResolvedOutput,
): Promise<Result<Refined, Failure>> => {
  const canvas = canvasSize(options.canvas);
  const target = targetSide(canvas, options.fill);
  let aim = target;
  let around = product;
  for (let attempt = 1; ; attempt++) {
    if (longerSide(around) < limits.image.sideMin && around !== product) return fail(failure('no_product_found'));
    const framing = canvasFraming(around, photo.size, canvas, aim);
    const refinement = await refineAt(photo, matte, framing);
    if (!refinement) return fail(failure('no_product_found'));
    const side = filledSide(refinement.box, canvas);
    if (Math.abs(side - target) <= Math.max(0.5, FILL_ERROR_MAX * longerSide(canvas)) || attempt === ATTEMPTS_MAX) {
      const upscaled = framing.size.width > framing.window.width;
      return ok({
        cutout: {
          ...refinement,
          at: centredPosition(refinement.box, canvas),
          canvas,
        },
        colours: refinement.colours,
        upscaled,
      });
    }
    const isShrunk = side < SHRUNK_SHARE * target;
    if (isShrunk) around = inPhoto(refinement.box, framing);
    aim = isShrunk ? target : (aim * target) / side;
  }
};

/** A box of the framed picture in the photo's pixels. */
const inPhoto = (box: Box, { window, size }: Framing): Box => {
  const scaled = scaleBox(box, window.width / size.width, window.height / size.height);
  return { ...scaled, x: scaled.x + window.x, y: scaled.y + window.y };
};

/** One window of the photo at one scale. Undefined where no product is left in it. */
export const refineAt = async (photo: PhotoSource, matte: Matte, framing: Framing): Promise<Refinement | undefined> => {
  const { window, size } = framing;
  if (photo.alpha) {
    const cutout = await photo.cutoutPart(window, size);
    const box = boundingBox(cutout.alpha, 1);
    return box && { ...cutout, colours: undefined, box };
  }
  const rgb = await photo.part(window, size);
  const alpha = resampleGray(matte.plane, photoBoxToMatte(window, matte.region, matte.plane), size);
  const samplePx = ((matte.region.width / matte.plane.width) * size.width) / window.width;
  const colours = localColours(rgb, alpha, EDGE_SIGMA_SAMPLES * samplePx);
  refineEdges(rgb, alpha, colours);
  const box = boundingBox(alpha, 1);
  return box && { rgb, alpha, colours, box };
};
