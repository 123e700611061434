/** `semitransparency: false`: what is partly transparent away from the product's outline becomes solid. */
import type { Gray } from '../../../shared/imaging/raster.ts';

/** What counts as background beside an outline (0..255). */
const EMPTY_MAX = 12;
/** Half the width of an outline: share of the longer side, and at least so many pixels. */
const OUTLINE_SHARE = 0.004;
const OUTLINE_PX_MIN = 2;

/** In place. Holes stay: only what is within an outline's width of nothing at all keeps its alpha. */
export const solidInside = ({ data, width, height }: Gray): void => {
  const reach = Math.max(OUTLINE_PX_MIN, Math.round(OUTLINE_SHARE * Math.max(width, height)));
  const nearEmpty = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i++) if (data[i]! <= EMPTY_MAX) nearEmpty[i] = 1;
  spread(nearEmpty, height, width, width, 1, reach);
  spread(nearEmpty, width, height, 1, width, reach);
  for (let i = 0; i < data.length; i++) if (nearEmpty[i] === 0 && data[i]! > EMPTY_MAX) data[i] = 255;
};

/** Marks what lies within `reach` of a mark along one axis. `line` and `step`: distances of lines, and of samples in one. */
const spread = (marks: Uint8Array, lines: number, length: number, line: number, step: number, reach: number): void => {
  const marked = new Uint8Array(length);
  for (let l = 0; l < lines; l++) {
    for (let i = 0; i < length; i++) marked[i] = marks[l * line + i * step]!;
    let before = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < length; i++) {
      if (marked[i]) before = i;
      else if (i - before <= reach) marks[l * line + i * step] = 1;
    }
    let after = Number.POSITIVE_INFINITY;
    for (let i = length - 1; i >= 0; i--) {
      if (marked[i]) after = i;
      else if (after - i <= reach) marks[l * line + i * step] = 1;
    }
  }
};
