/**
 * border_or_frame: bands of one colour along the edge that end in a straight line: on all four sides (a frame), or on
 * two opposite ones (bars). The step at the end of the band must go all the way along, and must not be the product's own
 * outline: a box or a book before a plain background has straight edges too.
 */
import type { Finding } from '../../findings.ts';
import type { Gray, Rgb, Size } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';
import { isSeam, type Lines, linesOf } from './seams.ts';

/** Share of a band's line that has the band's colour. */
const FLAT_SHARE_MIN = 0.97;
/** Share of the line at the band's end at which the picture changes. docs/findings.md. */
const SEAM_SHARE_MIN = 0.9;
/** Deepest band, share of the side across it. */
const DEPTH_SHARE_MAX = 0.2;
/** Share of the samples behind the band's end that may be product. */
const PRODUCT_SHARE_MAX = 0.5;
const PRODUCT_MIN = 128;
/** How far behind, px of the picture: a matte's edge is soft. */
const BEHIND = 4;
/** Bands on two sides only are bars where they are at least so deep, share of the side. */
const BAR_SHARE_MIN = 0.02;

/** Depth of the band at the beginning of `lines`, 0 where there is none. */
const bandDepth = (lines: Lines, alphaAt: (line: number, i: number) => number): number => {
  const last = Math.floor(lines.count * DEPTH_SHARE_MAX);
  const first = lines.flat(0, 0, lines.length);
  if (first.share < FLAT_SHARE_MIN) return 0;
  for (let depth = 1; depth <= last; depth++) {
    const inset = Math.min(depth, Math.floor(lines.length * DEPTH_SHARE_MAX));
    const line = lines.flat(depth, 0, lines.length);
    const isBand =
      line.share >= FLAT_SHARE_MIN && line.colour.every((level, c) => Math.abs(level - first.colour[c]!) <= 8);
    if (isBand) continue;
    // What the corners of a frame are made of is left out.
    if (!isSeam(lines, depth, inset, lines.length - inset, SEAM_SHARE_MIN)) return 0;
    let product = 0;
    for (let i = inset; i < lines.length - inset; i++) if (alphaAt(depth + BEHIND, i) >= PRODUCT_MIN) product++;
    return product <= PRODUCT_SHARE_MAX * (lines.length - 2 * inset) ? depth : 0;
  }
  return 0;
};

const reversed = (lines: Lines): Lines => ({
  ...lines,
  step: (line, i) => (line === 0 ? 0 : lines.step(lines.count - line, i)),
  flat: (line, from, to) => lines.flat(lines.count - 1 - line, from, to),
});

type Bands = { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };

/** Depth of the band on each side of the picture, px; 0 where there is none. `alpha`: the product's, of its size. */
const bandsOf = (picture: Rgb, { data, width, height }: Gray): Bands => {
  const rows = linesOf(picture, false);
  const columns = linesOf(picture, true);
  return {
    top: bandDepth(rows, (y, x) => data[y * width + x]!),
    bottom: bandDepth(reversed(rows), (y, x) => data[(height - 1 - y) * width + x]!),
    left: bandDepth(columns, (x, y) => data[y * width + x]!),
    right: bandDepth(reversed(columns), (x, y) => data[y * width + width - 1 - x]!),
  };
};

const hasBorder = ({ top, bottom, left, right }: Bands, { width, height }: Size): boolean => {
  const bars = (a: number, b: number, side: number): boolean => Math.min(a, b) >= BAR_SHARE_MIN * side;
  const frame = Math.min(top, bottom, left, right) >= 1;
  return frame || bars(top, bottom, height) || bars(left, right, width);
};

export const borderOrFrame = ({ picture, alpha, photo }: Evidence): Finding | undefined => {
  const bands = bandsOf(picture, alpha);
  if (!hasBorder(bands, picture)) return undefined;
  const scale = photo.width / picture.width;
  const told = (['top', 'right', 'bottom', 'left'] as const)
    .filter((side) => bands[side] > 0)
    .map((side) => `${side} ${Math.round(bands[side] * scale)}`)
    .join(', ');
  return findingOf(
    'border_or_frame',
    {
      detail: `Bands of one colour along the edge, px: ${told}`,
      remedy: 'Cut the border off, or send the photo without it.',
    },
    photo,
  );
};
