/** Stage 2: where the product is. Passes are taken, regions of the photo decided, and the passes that agree fused. */
import { type Failure, failure } from '../../errors.ts';
import { fail, ok, type Result } from '../../result.ts';
import { removeSpuriousComponents } from '../components.ts';
import { certainty } from '../confidence.ts';
import { decideRegions } from '../decide-regions.ts';
import { fusePasses, type Pass } from '../fuse-passes.ts';
import { photoBoxToMatte } from '../geometry.ts';
import { keepWithin } from '../keep-within.ts';
import { type Box, frameOf, type Gray, type Size } from '../raster.ts';
import type { Cells } from '../regions.ts';
import { resolveSoftRegions } from '../soft-regions.ts';
import type { Infer, Matte, PhotoSource } from './types.ts';
import { cellsOf, takeQuickView, takeView, type View } from './view.ts';

/** A coarse pass has little say in where edges run. */
const COARSE_EDGE_WEIGHT = 0.2;
/** Less product than this share of the frame is none. */
const PRODUCT_SHARE_MIN = 0.0005;
/**
 * A matte less certain than this has found a soft region, not a product. Disagreement of the passes is no sign of that:
 * one may find a print only.
 */
const CERTAINTY_MIN = 0.2;

/**
 * Agreement, certainty and expected value multiply to too little. With this exponent 0.9 and more is right (IoU of at
 * least 0.95 after refinement) in 97 of 100; docs/model-card.md says on what.
 */
const CONFIDENCE_EXPONENT = 0.65;

/** `within`: the region in which the product is; undefined: all of the photo. Fails with no_product_found. */
export const matte = async (photo: PhotoSource, infer: Infer, within?: Box): Promise<Result<Matte, Failure>> => {
  if (photo.alpha) return ok(carriedMatte(photo.alpha, within));
  const view = await takeView(photo, infer);
  return view ? matteOf(view, photo.size, within) : fail(failure('no_product_found'));
};

/**
 * By one pass over the frame: enough to say where the product is, not where its edge runs. Nothing disagrees with one
 * pass, so its confidence is higher than the matte's would be. Fails with no_product_found.
 */
export const quickMatte = async (photo: PhotoSource, infer: Infer, within?: Box): Promise<Result<Matte, Failure>> => {
  if (photo.alpha) return ok(carriedMatte(photo.alpha, within));
  const view = await takeQuickView(photo, infer);
  return view ? matteOf(view, photo.size, within) : fail(failure('no_product_found'));
};

/** The cut-out that the file already carries; what is outside of `within` goes from it, in place. */
const carriedMatte = (plane: Gray, within: Box | undefined): Matte => {
  const isCut = within !== undefined && keepWithin(plane, within);
  return { plane, region: frameOf(plane), confidence: 1, cutBy: isCut ? within : undefined };
};

/**
 * Confidence is the frame passes' agreement times the matte's certainty times what the decisions are worth by their own
 * probabilities, brought to a scale. `photo`: its size. Fails with no_product_found.
 */
const matteOf = (view: View, photo: Size, within: Box | undefined): Result<Matte, Failure> => {
  const cells = cellsOf(view);
  const { alpha, expectedIoU } = decideRegions(cells);
  const plane = fusePasses(passesOf(view, cells), alpha);
  const decided = certainty(plane);
  resolveSoftRegions(plane);
  const { region } = view;
  const isCut = within !== undefined && keepWithin(plane, photoBoxToMatte(within, region, plane));
  const mass = removeSpuriousComponents(plane) * ((region.width * region.height) / (plane.width * plane.height));
  if (mass < PRODUCT_SHARE_MIN * photo.width * photo.height || decided < CERTAINTY_MIN)
    return fail(failure('no_product_found'));
  const confidence = (view.agreement * decided * expectedIoU) ** CONFIDENCE_EXPONENT;
  return ok({ plane, region, confidence, cutBy: isCut ? within : undefined });
};

const passesOf = ({ fine, coarse, crop }: View, means: Cells): Pass[] => [
  ...(crop ? [{ matte: crop, means: means.crop, edgeWeight: 1 }] : []),
  { matte: fine, means: means.fine, edgeWeight: 1 },
  { matte: coarse, means: means.coarse, edgeWeight: COARSE_EDGE_WEIGHT },
];
