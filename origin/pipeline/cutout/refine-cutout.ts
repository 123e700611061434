/** Stage 3 for a result in the photo's own frame: the product refined at its final scale, and placed. */
import type { CutoutOptions } from '../../../shared/cutout-options.ts';
import { type Failure, failure } from '../../../shared/errors.ts';
import { originalFraming } from '../../../shared/imaging/geometry.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import { coarseProductBox, type Refinement, refineAt } from '../../../shared/imaging/stages/refine.ts';
import type { Matte, PhotoSource, Refined } from '../../../shared/imaging/stages/types.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { marginsOf, placed, reductionOf, scaledSize, shareOf } from './frame.ts';

/** The refined product may miss the scale asked for by this share of the frame. */
const SCALE_ERROR_MAX = 0.0015;
const ATTEMPTS_MAX = 3;
/** A frame that came out too large is reduced by a little more than the sum says: its sides are rounded. */
const REDUCTION_SLACK = 0.998;

/** The part of the photo that is looked at, and where it lies in the whole (px). */
export type Region = { readonly source: PhotoSource; readonly at: Box; readonly photo: Size };
type At = {
  readonly refinement: Refinement;
  readonly frame: Size;
  /** Of the photo, in `refinement`. */
  readonly scale: number;
  /** Of the product in the frame, where nothing moves it. */
  readonly centre: { readonly x: number; readonly y: number };
};

/** Fails with no_product_found where nothing is left after refinement. */
export const refineCutout = async (
  region: Region,
  matte: Matte,
  options: CutoutOptions,
): Promise<Result<Refined, Failure>> => {
  const product = coarseProductBox(matte);
  const { window } = product ? originalFraming(product, region.source.size) : { window: undefined };
  if (!product || !window) return fail(failure('no_product_found'));
  const refined = (scale: number): Promise<Refinement | undefined> =>
    refineAt(region.source, matte, {
      window,
      size: {
        width: Math.max(1, Math.round(window.width * scale)),
        height: Math.max(1, Math.round(window.height * scale)),
      },
    });
  const kept = await (options.crop
    ? cropped(options, options.crop, region.photo, refined)
    : whole(options, region, { product, window }, refined));
  const final = kept && options.scale !== null ? await scaledTo(options.scale, kept, refined) : kept;
  if (!final) return fail(failure('no_product_found'));
  const { refinement, frame, centre } = final;
  const at = placed(refinement.box, frame, options.position, centre);
  return ok({
    cutout: { rgb: refinement.rgb, alpha: refinement.alpha, at, canvas: frame },
    colours: refinement.colours,
    upscaled: final.scale > 1,
  });
};

type Refine = (scale: number) => Promise<Refinement | undefined>;

/** The whole photo as the frame. A product that is scaled next is refined at about that scale at once. */
const whole = async (
  { pixelsMax, scale }: CutoutOptions,
  { photo, at }: Region,
  { product, window }: { readonly product: Box; readonly window: Box },
  refined: Refine,
): Promise<At | undefined> => {
  const reduction = reductionOf(photo, pixelsMax);
  const frame = scaledSize(photo, reduction);
  const first = scale === null ? reduction : scale / shareOf(product, frame);
  const refinement = await refined(first);
  if (!refinement) return undefined;
  const { box } = refinement;
  const centre = {
    x: (at.x + window.x + (box.x + box.width / 2) / first) * reduction,
    y: (at.y + window.y + (box.y + box.height / 2) / first) * reduction,
  };
  return { refinement, frame, scale: first, centre };
};

/** The product's box and its margins as the frame. */
const cropped = async (
  { pixelsMax }: CutoutOptions,
  crop: NonNullable<CutoutOptions['crop']>,
  photo: Size,
  refined: Refine,
): Promise<At | undefined> => {
  let scale = reductionOf(photo, pixelsMax);
  for (let attempt = 1; ; attempt++) {
    const refinement = await refined(scale);
    if (!refinement) return undefined;
    const { box } = refinement;
    const [top, right, bottom, left] = marginsOf(crop, box);
    const frame = { width: left + box.width + right, height: top + box.height + bottom };
    const centre = { x: left + box.width / 2, y: top + box.height / 2 };
    const tooLarge = reductionOf(frame, pixelsMax);
    if (tooLarge === 1 || attempt === ATTEMPTS_MAX) return { refinement, frame, scale, centre };
    scale *= tooLarge * REDUCTION_SLACK;
  }
};

/** The box is known only roughly before it is refined, so it is measured and corrected until it fits. */
const scaledTo = async (share: number, from: At, refined: Refine): Promise<At | undefined> => {
  let { refinement, scale } = from;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const found = shareOf(refinement.box, from.frame);
    if (Math.abs(found - share) <= SCALE_ERROR_MAX) break;
    scale *= share / found;
    const next = await refined(scale);
    if (!next) return undefined;
    refinement = next;
  }
  return { ...from, refinement, scale };
};
