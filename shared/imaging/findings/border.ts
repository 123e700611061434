/**
 * border_or_frame: bands of one colour along the edge that end in a straight line: on all four sides (a frame), or on
 * two opposite ones (bars). The step at the end of the band must go all the way along, which a product before a plain
 * background does not give.
 */
import type { Finding } from '../../findings.ts';
import type { Rgb } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';
import { type Lines, linesOf, seamShare } from './seams.ts';

/** Share of a band's line that has the band's colour. */
const FLAT_SHARE_MIN = 0.97;
/** Share of the line at the band's end at which the picture changes. docs/findings.md. */
export const SEAM_SHARE_MIN = 0.9;
/** Deepest band, share of the side across it. */
const DEPTH_SHARE_MAX = 0.3;
/** Bands on two sides only are bars where they are at least so deep, share of the side. */
const BAR_SHARE_MIN = 0.02;

/** Depth of the band at the beginning of `lines`, 0 where there is none. */
const bandDepth = (lines: Lines): number => {
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
    const share = seamShare(lines, depth, inset, lines.length - inset);
    return share >= SEAM_SHARE_MIN ? depth : 0;
  }
  return 0;
};

const reversed = (lines: Lines): Lines => ({
  ...lines,
  step: (line, i) => (line === 0 ? 0 : lines.step(lines.count - line, i)),
  flat: (line, from, to) => lines.flat(lines.count - 1 - line, from, to),
});

export type Bands = { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };

/** Depth of the band on each side of the picture, px; 0 where there is none. */
export const bandsOf = (picture: Rgb): Bands => {
  const rows = linesOf(picture, false);
  const columns = linesOf(picture, true);
  return {
    top: bandDepth(rows),
    bottom: bandDepth(reversed(rows)),
    left: bandDepth(columns),
    right: bandDepth(reversed(columns)),
  };
};

export const hasBorder = ({ top, bottom, left, right }: Bands, { width, height }: Rgb): boolean => {
  const bars = (a: number, b: number, side: number): boolean => Math.min(a, b) >= BAR_SHARE_MIN * side;
  const frame = Math.min(top, bottom, left, right) >= 1;
  return frame || bars(top, bottom, height) || bars(left, right, width);
};

export const borderOrFrame = ({ picture, photo }: Evidence): Finding | undefined => {
  const bands = bandsOf(picture);
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
