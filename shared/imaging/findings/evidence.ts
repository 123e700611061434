/** What findings are made of: a photo at a bounded size, where the product is, and what detectors see. */
import type { ResolvedOptions } from '../../options.ts';
import { scaleBox, snapOutward } from '../box.ts';
import type { FileFacts } from '../compliance.ts';
import { type Box, frameOf, type Gray, type Rgb, type Size } from '../raster.ts';
import { resampleGray } from '../resample.ts';
import type { Matte } from '../stages/types.ts';
import type { Face } from './faces.ts';

export type Evidence = {
  /** The upright input's size, px; boxes of findings are in its pixels. */
  readonly photo: Size;
  /** All of the photo, its longer side at most PICTURE_SIDE_MAX px. */
  readonly picture: Rgb;
  /** The product's matte on the picture's pixels. */
  readonly alpha: Gray;
  /** The product's box in the photo; undefined where none was found. */
  readonly product: Box | undefined;
  /** That box and a margin at the photo's own scale, the longer side at most DETAIL_SIDE_MAX px. */
  readonly detail: Rgb | undefined;
  /** The part of `alpha` beyond which the product was cut off; undefined: only the photo's frame can have cut it. */
  readonly cutBy: Box | undefined;
  /** Lines of text, in the picture's pixels; none where nothing looked for them. */
  readonly lines: readonly Box[];
  /** The surest first, in the picture's pixels; none where nothing looked for them. */
  readonly faces: readonly Face[];
  readonly confidence: number;
  /** The file as a main image; undefined unless its background is white. */
  readonly asMainImage: FileFacts | undefined;
  readonly options: Pick<ResolvedOptions, 'marketplace' | 'layout' | 'canvas' | 'fill'>;
};

export const PICTURE_SIDE_MAX = 768;
export const DETAIL_SIDE_MAX = 1024;
/** Share of the product's longer side. */
export const DETAIL_MARGIN = 0.04;

/** `size` reduced until its longer side is at most `sideMax`; never enlarged. */
export const sizeWithin = ({ width, height }: Size, sideMax: number): Size => {
  const scale = Math.min(1, sideMax / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

/** A box of the photo (or a copy of it, `source`) in the picture's pixels. */
export const onPicture = (box: Box, source: Size, picture: Size): Box =>
  snapOutward(scaleBox(box, picture.width / source.width, picture.height / source.height), picture);

/** The matte on a grid of `size` over all of the photo; outside the region that it covers is background. */
export const matteOverPhoto = ({ plane, region }: Matte, photo: Size, size: Size): Gray => {
  const x = size.width / photo.width;
  const y = size.height / photo.height;
  const left = Math.round(region.x * x);
  const top = Math.round(region.y * y);
  const width = Math.min(size.width - left, Math.max(1, Math.round((region.x + region.width) * x) - left));
  const height = Math.min(size.height - top, Math.max(1, Math.round((region.y + region.height) * y) - top));
  const covered = resampleGray(plane, frameOf(plane), { width, height });
  const data = new Uint8Array(size.width * size.height);
  for (let row = 0; row < height; row++)
    data.set(covered.data.subarray(row * width, (row + 1) * width), (row + top) * size.width + left);
  return { data, ...size };
};
