/** Geometry of the result: which window of the photo is used, at which scale, and where it goes on the canvas. */
import { expandBox, longerSide, scaleBox, snapOutward } from './box.ts';
import type { Box, Size } from './raster.ts';

/** A window of the photo and the size it is resized to. */
export type Framing = { readonly window: Box; readonly size: Size };

/** Margin around the product for refining its edge: share of its longer side, and at least so many pixels of the photo. */
const MARGIN_SHARE = 0.03;
const MARGIN_PX_MIN = 4;
/** Margin of the crop pass: share of the product's longer side. */
const CROP_MARGIN_SHARE = 0.12;

const windowAround = (product: Box, photo: Size): Box =>
  snapOutward(expandBox(product, Math.max(MARGIN_PX_MIN, MARGIN_SHARE * longerSide(product))), photo);

/** The target of `filledSide`, px. */
export const targetSide = (canvas: Size, fill: number): number => Math.max(1, Math.round(longerSide(canvas) * fill));

/**
 * How much of the canvas the product fills, by the side that fills more of it, in px of the canvas's longer side; on a
 * square it is the product's longer side.
 */
export const filledSide = (product: Size, canvas: Size): number => {
  const longer = longerSide(canvas);
  return Math.max((product.width * longer) / canvas.width, (product.height * longer) / canvas.height);
};

/** Framing for a canvas: the product's filled side becomes `target` px. */
export const canvasFraming = (product: Box, photo: Size, canvas: Size, target: number): Framing => {
  const window = windowAround(product, photo);
  const scale = target / filledSide(product, canvas);
  return {
    window,
    size: {
      width: Math.max(1, Math.round(window.width * scale)),
      height: Math.max(1, Math.round(window.height * scale)),
    },
  };
};

/** Framing at the photo's own scale. */
export const originalFraming = (product: Box, photo: Size): Framing => {
  const window = windowAround(product, photo);
  return { window, size: { width: window.width, height: window.height } };
};

/** Upper left corner of a framed picture on a canvas that centres `product` (its pixels) within half a pixel. */
export const centredPosition = (product: Box, canvas: Size): { x: number; y: number } => ({
  x: Math.floor((canvas.width - product.width) / 2) - product.x,
  y: Math.floor((canvas.height - product.height) / 2) - product.y,
});

/** A box of the photo in the samples of a matte that covers `region` of the photo. */
export const photoBoxToMatte = (window: Box, region: Box, matte: Size): Box =>
  scaleBox(
    { ...window, x: window.x - region.x, y: window.y - region.y },
    matte.width / region.width,
    matte.height / region.height,
  );

/** A box of the samples of such a matte in the photo's pixels. */
export const matteBoxToPhoto = (box: Box, region: Box, matte: Size): Box => {
  const inPhoto = scaleBox(box, region.width / matte.width, region.height / matte.height);
  return { ...inPhoto, x: inPhoto.x + region.x, y: inPhoto.y + region.y };
};

/** Input of the crop pass: the product's box with a margin all round, and the size it is stretched to, about `area`. */
export const cropRegion = (
  product: Box,
  photo: Size,
  area: number,
  multipleOf: number,
): { region: Box; size: Size } => {
  const region = snapOutward(expandBox(product, CROP_MARGIN_SHARE * longerSide(product)), photo);
  const aspect = Math.min(2, Math.max(0.5, region.width / region.height));
  const multiple = (side: number): number => Math.max(multipleOf, Math.round(side / multipleOf) * multipleOf);
  return { region, size: { width: multiple(Math.sqrt(area * aspect)), height: multiple(Math.sqrt(area / aspect)) } };
};

/** Grid over `region` on which a pass over the whole frame (`whole`) and one over the region (`crop`) keep their detail. */
export const fusionGrid = (region: Box, frame: Size, whole: Size, crop: Size): Size => ({
  width: Math.max(crop.width, Math.round((whole.width * region.width) / frame.width)),
  height: Math.max(crop.height, Math.round((whole.height * region.height) / frame.height)),
});
