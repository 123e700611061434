/** The region of a photo that a caller chose: where the one product is that is wanted. */
import { expandBox, longerSide, snapOutward } from '../box.ts';
import type { Box } from '../raster.ts';
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

/** `region` in the photo's pixels; undefined: the whole photo. A cut-out that the file carries needs no surroundings. */
export const chooseRegion = (photo: PhotoSource, region: Box | undefined): Chosen => {
  if (!region || photo.alpha) return { source: photo, at: { x: 0, y: 0 }, within: region };
  const part = snapOutward(expandBox(region, CONTEXT_SHARE * longerSide(region)), photo.size);
  const within = { ...region, x: region.x - part.x, y: region.y - part.y };
  return { source: partOfPhoto(photo, part), at: part, within };
};

/** A matte of `source` in the photo. */
export const matteInPhoto = (matte: Matte, { at }: Pick<Chosen, 'at'>): Matte => {
  const { region } = matte;
  return { ...matte, region: { ...region, x: region.x + at.x, y: region.y + at.y } };
};
