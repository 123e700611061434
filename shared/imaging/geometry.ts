/** Where the product goes: which part of the photo is worked on, at which scale, and where it lands on the canvas. */
import { grown, longerSide, outward, scaled } from './box.ts';
import type { Box, Size } from './raster.ts';

/** A part of the photo and the size it is worked on at. */
export type Framing = { readonly window: Box; readonly size: Size };

/**
 * Room around the product so that its edge can be refined: share of its longer side, and at least so many pixels of the
 * photo.
 */
const MARGIN_SHARE = 0.03;
const MARGIN_PX_MIN = 4;

const windowAround = (product: Box, photo: Size): Box =>
  outward(grown(product, Math.max(MARGIN_PX_MIN, MARGIN_SHARE * longerSide(product))), photo);

/** The product's longer side on a canvas of side `canvas`, px. */
export const targetSide = (canvas: number, fill: number): number => Math.max(1, Math.round(canvas * fill));

/** Framing of a hero image: the product's longer side becomes `target` px. */
export const heroFraming = (product: Box, photo: Size, target: number): Framing => {
  const window = windowAround(product, photo);
  const scale = target / longerSide(product);
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

/**
 * Upper left corner of a worked-on picture on a square canvas, so that `product` (pixels of the picture) is centred
 * within half a pixel.
 */
export const centredAt = (product: Box, canvas: number): { x: number; y: number } => ({
  x: Math.floor((canvas - product.width) / 2) - product.x,
  y: Math.floor((canvas - product.height) / 2) - product.y,
});

/** `window` of the photo in the samples of a matte that covers `region` of the photo. */
export const windowInMatte = (window: Box, region: Box, matte: Size): Box =>
  scaled(
    { ...window, x: window.x - region.x, y: window.y - region.y },
    matte.width / region.width,
    matte.height / region.height,
  );

/** A box of matte samples in the photo's pixels. */
export const boxInPhoto = (box: Box, region: Box, matte: Size): Box => {
  const inPhoto = scaled(box, region.width / matte.width, region.height / matte.height);
  return { ...inPhoto, x: inPhoto.x + region.x, y: inPhoto.y + region.y };
};

/** A second look at the product: the box with a margin all round, and the network input it is stretched to. */
export const cropPass = (product: Box, photo: Size, area: number, multipleOf: number): { region: Box; size: Size } => {
  const region = outward(grown(product, CROP_MARGIN_SHARE * longerSide(product)), photo);
  const aspect = Math.min(2, Math.max(0.5, region.width / region.height));
  const multiple = (side: number): number => Math.max(multipleOf, Math.round(side / multipleOf) * multipleOf);
  return { region, size: { width: multiple(Math.sqrt(area * aspect)), height: multiple(Math.sqrt(area / aspect)) } };
};
const CROP_MARGIN_SHARE = 0.12;

/** Grid over `region` on which a look at the whole frame and one at the region both keep their detail. */
export const gridFor = (region: Box, frame: Size, whole: Size, close: Size): Size => ({
  width: Math.max(close.width, Math.round((whole.width * region.width) / frame.width)),
  height: Math.max(close.height, Math.round((whole.height * region.height) / frame.height)),
});
