/** What the preview can say about the photo by itself: every finding but text and a background that is white already. */
import type { Finding } from '../../../shared/findings.ts';
import type { Evidence } from '../../../shared/imaging/findings/evidence.ts';
import { type Found, findEach, inOrder } from '../../../shared/imaging/findings/find.ts';
import { movedBy } from '../../../shared/imaging/findings/finding.ts';
import { seeProduct } from '../../../shared/imaging/findings/see-product.ts';
import { frameOf, type Rgb, type Size } from '../../../shared/imaging/raster.ts';
import type { Chosen } from '../../../shared/imaging/stages/region.ts';
import type { Matte } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';

/** The findings of a photo, for any options at once. */
export type FindFor = (options: ResolvedOptions) => Finding[];

/** `scale`: the file's size over that of the photo as the preview has it. Boxes are in the file's pixels. */
export const findInPreview = async (
  { source, at }: Chosen,
  scale: number,
  matte: Matte,
  options: ResolvedOptions,
): Promise<FindFor> => {
  const photo = { width: Math.round(source.size.width * scale), height: Math.round(source.size.height * scale) };
  const frame = (size: Size): Promise<Rgb> => source.part(frameOf(source.size), size);
  const seen = await seeProduct({ source, frame, photo, scale, matte, options });
  const evidence: Evidence = { ...seen, lines: [], faces: [], asMainImage: undefined };
  const found: Found = findEach(evidence);
  const corner = { x: Math.round(at.x * scale), y: Math.round(at.y * scale) };
  return (asked) =>
    inOrder(findEach({ ...evidence, options: asked }, found)).map((finding) => movedBy(finding, corner));
};
