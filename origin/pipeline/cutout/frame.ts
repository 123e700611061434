/** Where the product goes in a result that keeps the photo's frame. Pure. */
import type { CutoutOptions, Length } from '../../../shared/cutout-options.ts';
import { type Failure, failure } from '../../../shared/errors.ts';
import { type Box, clamp, type Size } from '../../../shared/imaging/raster.ts';
import { limits } from '../../../shared/limits.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';

type Position = CutoutOptions['position'];
type Point = { readonly x: number; readonly y: number };

const along = ({ value, unit }: Length, side: number): number => (unit === 'px' ? value : value * side);

/** The region of interest in pixels of the photo. Fails with invalid_options where the photo does not hold it. */
export const regionOf = (roi: CutoutOptions['roi'], photo: Size): Result<Box, Failure> => {
  if (roi === null) return ok({ x: 0, y: 0, ...photo });
  const [left, top, right, bottom] = [
    along(roi[0], photo.width),
    along(roi[1], photo.height),
    along(roi[2], photo.width),
    along(roi[3], photo.height),
  ].map(Math.round) as [number, number, number, number];
  if (right > photo.width || bottom > photo.height)
    return fail(failure('invalid_options', `roi exceeds the image, which is ${photo.width} × ${photo.height} px`));
  const region = { x: left, y: top, width: right - left, height: bottom - top };
  return Math.min(region.width, region.height) < limits.image.sideMin
    ? fail(failure('invalid_options', `roi must be at least ${limits.image.sideMin} px wide and high`))
    : ok(region);
};

/** Below 1 where `size` has more than `pixelsMax` pixels. */
export const reductionOf = ({ width, height }: Size, pixelsMax: number): number =>
  Math.min(1, Math.sqrt(pixelsMax / (width * height)));

/** Rounded down, so that a reduced frame stays within its pixels; 625 × 400 of 5,000 × 3,200 in spite of rounding errors. */
export const scaledSize = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.floor(width * scale + 1e-6)),
  height: Math.max(1, Math.floor(height * scale + 1e-6)),
});

/** Top, right, bottom, left, px. */
export const marginsOf = (
  crop: NonNullable<CutoutOptions['crop']>,
  { width, height }: Size,
): readonly [number, number, number, number] => {
  const margin = (length: Length, side: number): number => Math.round(along(length, side));
  return [margin(crop[0], height), margin(crop[1], width), margin(crop[2], height), margin(crop[3], width)];
};

/** The share of the frame that a product of this size takes, by the side that fills more of it. */
export const shareOf = (product: Size, frame: Size): number =>
  Math.max(product.width / frame.width, product.height / frame.height);

/**
 * Upper left corner, in the frame, of a picture that holds `product`. `was`: the centre of the product where nothing
 * moves it.
 */
export const placed = (product: Box, frame: Size, position: Position, was: Point): Point => {
  const place = (side: number, room: number, share: number | undefined, centre: number): number =>
    Math.round(share === undefined ? clamp(centre - side / 2, Math.min(0, room), Math.max(0, room)) : room * share);
  const to = position === 'original' ? undefined : position;
  return {
    x: place(product.width, frame.width - product.width, to?.x, was.x) - product.x,
    y: place(product.height, frame.height - product.height, to?.y, was.y) - product.y,
  };
};

/** The part of the product's box that the frame shows. */
export const visible = (product: Box, frame: Size): Box => {
  const x = clamp(product.x, 0, frame.width - 1);
  const y = clamp(product.y, 0, frame.height - 1);
  return {
    x,
    y,
    width: clamp(product.x + product.width, x + 1, frame.width) - x,
    height: clamp(product.y + product.height, y + 1, frame.height) - y,
  };
};
