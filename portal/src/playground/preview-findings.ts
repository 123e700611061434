/** What the preview can say about the photo by itself: every finding but text and a background that is white already. */
import type { Finding } from '../../../shared/findings.ts';
import { expandBox, longerSide, scaleBox, snapOutward } from '../../../shared/imaging/box.ts';
import {
  DETAIL_MARGIN,
  DETAIL_SIDE_MAX,
  matteOverPhoto,
  onPicture,
  PICTURE_SIDE_MAX,
  sizeWithin,
} from '../../../shared/imaging/findings/evidence.ts';
import { findAll } from '../../../shared/imaging/findings/find.ts';
import { movedBy } from '../../../shared/imaging/findings/finding.ts';
import { frameOf } from '../../../shared/imaging/raster.ts';
import { coarseProductBox } from '../../../shared/imaging/stages/refine.ts';
import type { Chosen } from '../../../shared/imaging/stages/region.ts';
import type { Matte } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';

/** `scale`: the file's size over that of the photo as the preview has it. Boxes are in the file's pixels. */
export const findInPreview = async (
  { source, at }: Chosen,
  scale: number,
  matte: Matte,
  options: ResolvedOptions,
): Promise<Finding[]> => {
  const photo = { width: Math.round(source.size.width * scale), height: Math.round(source.size.height * scale) };
  const size = sizeWithin(photo, PICTURE_SIDE_MAX);
  const found = coarseProductBox(matte);
  const box = found && snapOutward(expandBox(found, DETAIL_MARGIN * longerSide(found)), source.size);
  const findings = findAll({
    photo,
    picture: await source.part(frameOf(source.size), size),
    alpha: matteOverPhoto(matte, source.size, size),
    product: found && scaleBox(found, scale),
    cutBy: matte.cutBy && onPicture(matte.cutBy, source.size, size),
    detail: box && (await source.part(box, sizeWithin(box, DETAIL_SIDE_MAX))),
    lines: [],
    confidence: matte.confidence,
    asMainImage: undefined,
    options,
  });
  const corner = { x: Math.round(at.x * scale), y: Math.round(at.y * scale) };
  return findings.map((finding) => movedBy(finding, corner));
};
