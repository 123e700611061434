/** What the preview can say about the photo by itself: every finding but text and a background that is white already. */
import type { Finding } from '../../../shared/findings.ts';
import { expandBox, longerSide, scaleBox, snapOutward } from '../../../shared/imaging/box.ts';
import {
  DETAIL_MARGIN,
  DETAIL_SIDE_MAX,
  matteOverPhoto,
  PICTURE_SIDE_MAX,
  sizeWithin,
} from '../../../shared/imaging/findings/evidence.ts';
import { findAll } from '../../../shared/imaging/findings/find.ts';
import { frameOf, type Size } from '../../../shared/imaging/raster.ts';
import { coarseProductBox } from '../../../shared/imaging/stages/refine.ts';
import type { Matte, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';

/** `photo`: the file's size, px, of which `source` may be a smaller copy. Boxes are in the file's pixels. */
export const findInPreview = async (
  source: PhotoSource,
  photo: Size,
  matte: Matte,
  options: ResolvedOptions,
): Promise<Finding[]> => {
  const size = sizeWithin(photo, PICTURE_SIDE_MAX);
  const found = coarseProductBox(matte);
  const box = found && snapOutward(expandBox(found, DETAIL_MARGIN * longerSide(found)), source.size);
  return findAll({
    photo,
    picture: await source.part(frameOf(source.size), size),
    alpha: matteOverPhoto(matte, source.size, size),
    product: found && scaleBox(found, photo.width / source.size.width, photo.height / source.size.height),
    detail: box && (await source.part(box, sizeWithin(box, DETAIL_SIDE_MAX))),
    lines: [],
    confidence: matte.confidence,
    asMainImage: undefined,
    cutBy: undefined,
    options,
  });
};
