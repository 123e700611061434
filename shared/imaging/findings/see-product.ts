/** What findings are made of as far as the photo's pixels and its matte tell it. */
import type { ResolvedOptions } from '../../options.ts';
import { expandBox, longerSide, scaleBox, snapOutward } from '../box.ts';
import type { Rgb, Size } from '../raster.ts';
import { coarseProductBox } from '../stages/refine.ts';
import type { Matte, PhotoSource } from '../stages/types.ts';
import {
  DETAIL_MARGIN,
  DETAIL_SIDE_MAX,
  type Evidence,
  matteOverPhoto,
  onPicture,
  PICTURE_SIDE_MAX,
  sizeWithin,
} from './evidence.ts';

export type Sight = {
  /** The photo, or the part of it that was chosen. */
  readonly source: PhotoSource;
  /** All of it at a size. */
  readonly frame: (size: Size) => Promise<Rgb>;
  /** Its size in the input, px, where `source` is a reduced copy of it, and that over the copy's. */
  readonly photo: Size;
  readonly scale: number;
  /** Undefined where no product was found. */
  readonly matte: Matte | undefined;
  readonly options: ResolvedOptions;
};

export const seeProduct = async (from: Sight): Promise<Omit<Evidence, 'lines' | 'faces' | 'asMainImage'>> => {
  const { source, frame, photo, scale, matte, options } = from;
  const size = sizeWithin(photo, PICTURE_SIDE_MAX);
  const picture = await frame(size);
  const found = matte && coarseProductBox(matte);
  // Its outline is an edge too, and lies half outside of it.
  const box = found && snapOutward(expandBox(found, DETAIL_MARGIN * longerSide(found)), source.size);
  return {
    photo,
    picture,
    alpha: matte
      ? matteOverPhoto(matte, source.size, size)
      : { data: new Uint8Array(size.width * size.height), ...size },
    product: found && scaleBox(found, scale),
    detail: box && (await source.part(box, sizeWithin(box, DETAIL_SIDE_MAX))),
    confidence: matte?.confidence ?? 0,
    cutBy: matte?.cutBy && onPicture(matte.cutBy, source.size, size),
    options,
  };
};
