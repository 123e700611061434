/** The option `region`: where in the photo the wanted product is. Without a library, so that the portal's pages load it. */
import { type Failure, failure } from './errors.ts';
import type { Box, Size } from './imaging/raster.ts';
import { limits } from './limits.ts';
import { fail, ok, type Result } from './result.ts';

/** As jobs carry it: pixels of the upright photo, or shares (0..1) of its sides. */
export type Region = Box & { readonly unit: 'px' | 'share' };

type Four = [number, number, number, number];
const NUMBER = /^(\d{1,5}(?:\.\d{1,4})?)(%?)$/;
/** Rounding of decimals must not refuse a region that ends at the photo's edge. */
const SHARE_MAX = 1 + 1e-6;

/** `x,y,width,height`, all in pixels or all in percent. Undefined where it is not that. */
export const parseRegion = (text: string): Region | undefined => {
  const found = text.split(',').map((part) => NUMBER.exec(part.trim()));
  const units = new Set(found.map((match) => match?.[2]));
  if (found.length !== 4 || units.size !== 1 || found.includes(null)) return undefined;
  const unit = units.has('%') ? 'share' : 'px';
  const [x, y, width, height] = found.map((match) => Number(match?.[1]) / (unit === 'share' ? 100 : 1)) as Four;
  const isWithin = unit === 'px' || (x + width <= SHARE_MAX && y + height <= SHARE_MAX);
  return isWithin && width > 0 && height > 0 ? { unit, x, y, width, height } : undefined;
};

/** In pixels of the photo. Fails with invalid_options where the photo does not hold it. */
export const regionBox = (region: Region, photo: Size): Result<Box, Failure> => {
  const across = region.unit === 'px' ? 1 : photo.width;
  const down = region.unit === 'px' ? 1 : photo.height;
  const [left, right] = [region.x * across, (region.x + region.width) * across].map(Math.round) as [number, number];
  const [top, bottom] = [region.y * down, (region.y + region.height) * down].map(Math.round) as [number, number];
  const { sideMin } = limits.image;
  if (right > photo.width || bottom > photo.height)
    return fail(failure('invalid_options', `region leaves the photo, which is ${photo.width} × ${photo.height} px`));
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  return Math.min(box.width, box.height) < sideMin
    ? fail(failure('invalid_options', `region must be at least ${sideMin} px wide and high`))
    : ok(box);
};
