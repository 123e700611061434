/** Stage 2: where the product is. Passes are taken, regions of the photo decided, and the passes that agree fused. */
import { type Failure, failure } from '../../errors.ts';
import { fail, ok, type Result } from '../../result.ts';
import { removeSpuriousComponents } from '../components.ts';
import { certainty } from '../confidence.ts';
import { decideRegions } from '../decide-regions.ts';
import { fusePasses } from '../fuse-passes.ts';
import { frameOf, type Size } from '../raster.ts';
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

/** Fails with no_product_found. */
export const matte = async (photo: PhotoSource, infer: Infer): Promise<Result<Matte, Failure>> => {
  if (photo.alpha) return ok({ plane: photo.alpha, region: frameOf(photo.size), confidence: 1 });
  const view = await takeView(photo, infer);
  return view ? matteOf(view, photo.size) : fail(failure('no_product_found'));
};

/**
 * By one pass over the frame: enough to say where the product is, not where its edge runs. Nothing disagrees with one
 * pass, so its confidence is higher than the matte's would be. Fails with no_product_found.
 */
export const quickMatte = async (photo: PhotoSource, infer: Infer): Promise<Result<Matte, Failure>> => {
  if (photo.alpha) return ok({ plane: photo.alpha, region: frameOf(photo.size), confidence: 1 });
  const view = await takeQuickView(photo, infer);
  return view ? matteOf(view, photo.size) : fail(failure('no_product_found'));
};

/**
 * Confidence is the frame passes' agreement times the matte's certainty times what the decisions are worth by their own
 * probabilities, brought to a scale. `photo`: its size. Fails with no_product_found.
 */
const matteOf = (view: View, photo: Size): Result<Matte, Failure> => {
  const { alpha, expectedIoU } = decideRegions(cellsOf(view));
  const plane = fusePasses(passesOf(view), alpha);
  const decided = certainty(plane);
  resolveSoftRegions(plane);
  const { region } = view;
  const mass = removeSpuriousComponents(plane) * ((region.width * region.height) / (plane.width * plane.height));
  if (mass < PRODUCT_SHARE_MIN * photo.width * photo.height || decided < CERTAINTY_MIN)
    return fail(failure('no_product_found'));
  return ok({ plane, region, confidence: (view.agreement * decided * expectedIoU) ** CONFIDENCE_EXPONENT });
};

const passesOf = ({ fine, coarse, crop }: View) => [
  ...(crop ? [{ matte: crop, edgeWeight: 1 }] : []),
  { matte: fine, edgeWeight: 1 },
  { matte: coarse, edgeWeight: COARSE_EDGE_WEIGHT },
];
