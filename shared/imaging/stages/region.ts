/** The region of a photo that a caller chose: where the one product is that is wanted. */
import type { Failure } from '../../errors.ts';
import { type Region, regionBox } from '../../region.ts';
import { ok, type Result } from '../../result.ts';
import { expandBox, longerSide, scaleBox, snapOutward } from '../box.ts';
import type { Box, Size } from '../raster.ts';
import { partOfPhoto } from './part-of-photo.ts';
import type { Matte, PhotoSource } from './types.ts';

/** What the passes see around the region, as share of its longer side: a product alone in its frame is found better. */
const CONTEXT_SHARE = 0.15;

export type Chosen = {
  /** The region and its surroundings, in place of the photo. */
  readonly source: PhotoSource;
  /** Upper left corner of `source` in the photo. */
  readonly at: { readonly x: number; readonly y: number };
  /** The region in `source`; undefined: all of it. */
  readonly within: Box | undefined;
};

/**
 * Undefined: the whole photo. `original`: the size of which the region is told, where `photo` is a smaller copy. A cut-out
 * that the file carries needs no surroundings. Fails with invalid_options where the photo does not hold the region.
 */
export const chooseRegion = (
  photo: PhotoSource,
  region: Region | undefined,
  original: Size = photo.size,
): Result<Chosen, Failure> => {
  if (!region) return ok(around(photo, undefined));
  const box = regionBox(region, original);
  const scale = photo.size.width / original.width;
  return box.ok ? ok(around(photo, snapOutward(scaleBox(box.value, scale), photo.size))) : box;
};

const around = (photo: PhotoSource, region: Box | undefined): Chosen => {
  if (!region || photo.alpha) return { source: photo, at: { x: 0, y: 0 }, within: region };
  const part = snapOutward(expandBox(region, CONTEXT_SHARE * longerSide(region)), photo.size);
  const within = { ...region, x: region.x - part.x, y: region.y - part.y };
  return { source: partOfPhoto(photo, part), at: part, within };
};

/** A matte of `source` in the photo. */
export const matteInPhoto = (matte: Matte, at: Chosen['at']): Matte => {
  const { region } = matte;
  return { ...matte, region: { ...region, x: region.x + at.x, y: region.y + at.y } };
};
