/**
 * The free preview: the stages that origin runs (shared/imaging/stages), on the browser's canvas and the browser's
 * model runtime. What the model says of a photo, its refined edge and its findings are made once; the picture for any
 * options is made from them.
 */
import type { Failure } from '../../../shared/errors.ts';
import { failure } from '../../../shared/errors.ts';
import { boundingBox, scaleBox } from '../../../shared/imaging/box.ts';
import type { Cutout } from '../../../shared/imaging/cutout.ts';
import { canvasFraming, centredPosition, filledSide, targetSide } from '../../../shared/imaging/geometry.ts';
import { type Box, frameOf, type Size } from '../../../shared/imaging/raster.ts';
import { decontaminate } from '../../../shared/imaging/stages/decontaminate.ts';
import { matte } from '../../../shared/imaging/stages/matte.ts';
import { coarseProductBox, refineAt } from '../../../shared/imaging/stages/refine.ts';
import { chooseRegion, matteInPhoto } from '../../../shared/imaging/stages/region.ts';
import type { Infer, Matte, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { type Cut, cutOf, resizedCut } from './picture.ts';
import { type FindFor, findInPreview } from './preview-findings.ts';

/** A photo with its product cut out once, at the largest scale that a preview shows. */
export type SeenPhoto = {
  readonly confidence: number;
  readonly findFor: FindFor;
  readonly cut: Cut;
  /** The product in `cut`. */
  readonly box: Box;
  /** The product in the photo as the file has it, px; not rounded. */
  readonly productInPhoto: Box;
};

/** `done`: how far it is, so that the page can say so. */
export type OnStage = (stage: 'edges' | 'findings') => void;

/**
 * Fails with no_product_found. `original`: the file's size, of which `photo` may be a smaller copy. `options` are those of
 * the real run, a region in shares of the photo; the product's filled side becomes `side` px.
 */
export const seePhoto = async (
  photo: PhotoSource,
  original: Size,
  options: ResolvedOptions,
  side: number,
  infer: Infer,
  onStage: OnStage,
): Promise<Result<SeenPhoto, Failure>> => {
  const chosen = chooseRegion(photo, options.region);
  if (!chosen.ok) return chosen;
  const { source, within, at } = chosen.value;
  const found = await matte(source, infer, within);
  if (!found.ok) return found;
  onStage('edges');
  const product = await cutProduct(photo, matteInPhoto(found.value, at), side);
  if (!product) return fail(failure('no_product_found'));
  onStage('findings');
  const scale = original.width / photo.size.width;
  const { inPhoto, ...cut } = product;
  return ok({
    ...cut,
    productInPhoto: scaleBox(inPhoto, scale),
    confidence: found.value.confidence,
    findFor: await findInPreview(chosen.value, scale, found.value, options),
  });
};

type CutProduct = Pick<SeenPhoto, 'cut' | 'box'> & { readonly inPhoto: Box };

const cutProduct = async (photo: PhotoSource, found: Matte, side: number): Promise<CutProduct | undefined> => {
  const product = coarseProductBox(found);
  if (!product) return undefined;
  const framing = canvasFraming(product, photo.size, { width: side, height: side }, side);
  const { window, size } = framing;
  const refinement = await refineAt(photo, found, framing);
  if (!refinement) return undefined;
  const { rgb, alpha, colours, box } = refinement;
  decontaminate({ cutout: { rgb, alpha, at: { x: 0, y: 0 }, canvas: size }, colours, upscaled: false });
  const inWindow = scaleBox(box, window.width / size.width, window.height / size.height);
  const inPhoto = { ...inWindow, x: window.x + inWindow.x, y: window.y + inWindow.y };
  return { cut: cutOf(rgb, alpha), box, inPhoto };
};

/** The product at the scale and place that the options ask for, on a canvas of at most `side` px. */
export const placeCut = ({ cut, box }: Pick<SeenPhoto, 'cut' | 'box'>, canvas: Size, fill: number): Cutout => {
  const scale = targetSide(canvas, fill) / filledSide(box, canvas);
  const placed = resizedCut(cut, box, {
    width: Math.max(1, Math.round(box.width * scale)),
    height: Math.max(1, Math.round(box.height * scale)),
  });
  return { ...placed, at: centredPosition(boundingBox(placed.alpha, 1) ?? frameOf(placed.alpha), canvas), canvas };
};
