/** Straight lines along which a picture changes from one side to the other, over its whole width or height. */
import type { Rgb } from '../raster.ts';

/** Difference of two neighbouring samples that counts as a change, levels, largest of the three channels. */
const STEP_MIN = 12;
/** A line whose samples differ by no more than this is of one colour. */
const FLAT_MAX = 10;

/** The picture read by lines: `across` false gives rows from the top, true columns from the left. */
export type Lines = {
  readonly count: number;
  readonly length: number;
  /** Largest difference in the three channels between sample `i` of line `line` and of line `line - by`, by default 1. */
  step(line: number, i: number, by?: number): number;
  /** Mean colour of samples `from` up to `to` of the line, and whether all of them are close to it. */
  flat(line: number, from: number, to: number): { readonly colour: readonly number[]; readonly share: number };
};

export const linesOf = ({ data, width, height }: Rgb, across: boolean): Lines => {
  const [count, length] = across ? [width, height] : [height, width];
  const ofLine = across ? 3 : 3 * width;
  const ofSample = across ? 3 * width : 3;
  const step = (line: number, i: number, by = 1): number => {
    const here = line * ofLine + i * ofSample;
    const before = here - by * ofLine;
    const red = Math.abs(data[here]! - data[before]!);
    const green = Math.abs(data[here + 1]! - data[before + 1]!);
    const blue = Math.abs(data[here + 2]! - data[before + 2]!);
    return Math.max(red, green, blue);
  };
  const flat: Lines['flat'] = (line, from, to) => {
    const first = line * ofLine + from * ofSample;
    const end = line * ofLine + to * ofSample;
    const red = medianOf(data, first, end, ofSample);
    const green = medianOf(data, first + 1, end, ofSample);
    const blue = medianOf(data, first + 2, end, ofSample);
    let close = 0;
    for (let p = first; p < end; p += ofSample)
      if (
        Math.abs(data[p]! - red) <= FLAT_MAX &&
        Math.abs(data[p + 1]! - green) <= FLAT_MAX &&
        Math.abs(data[p + 2]! - blue) <= FLAT_MAX
      )
        close++;
    return { colour: [red, green, blue], share: close / Math.max(1, to - from) };
  };
  return { count, length, step, flat };
};

/** Of every `stride`th byte from `first` up to `end`. */
const medianOf = (data: Uint8Array, first: number, end: number, stride: number): number => {
  counts.fill(0);
  for (let p = first; p < end; p += stride) counts[data[p]!]!++;
  let left = Math.ceil((end - first) / stride) / 2;
  for (let level = 0; level < 256; level++) {
    left -= counts[level]!;
    if (left <= 0) return level;
  }
  return 255;
};
const counts = new Uint32Array(256);

/**
 * Whether the picture changes at `line` or the line after it at a share of at least `shareMin` of the samples `from` up
 * to `to`: reducing a photo spreads a sharp step over two lines. Ends at the sample after which it can only be no.
 */
export const isSeam = (lines: Lines, line: number, from: number, to: number, shareMin: number): boolean => {
  const samples = Math.max(1, to - from);
  let unchanged = 0;
  for (let i = from; i < to; i++) {
    if (lines.step(line, i) >= STEP_MIN) continue;
    if (line + 1 < lines.count && lines.step(line + 1, i) >= STEP_MIN) continue;
    unchanged++;
    if ((to - from - unchanged) / samples < shareMin) return false;
  }
  return to > from;
};

/** How far from a seam its neighbourhood begins and how many lines it has on each side, px of the picture. */
const AWAY = 4;
const NEIGHBOURS = 3;
/** Share of the neighbouring lines' samples that may change too: in foliage or gravel every line is a seam. */
const NEIGHBOUR_SHARE_MAX = 0.5;
/** Share of the seam at which what is before it differs from what is behind it: a joint between tiles does not. */
const LASTING_SHARE_MIN = 0.7;

/** Whether the lines near the seam at `line` change much less than it does. */
export const standsOut = (lines: Lines, line: number): boolean => {
  let changed = 0;
  let samples = 0;
  for (let away = AWAY; away < AWAY + NEIGHBOURS; away++)
    for (const near of [line - away, line + 1 + away]) {
      if (near < 1 || near >= lines.count) continue;
      for (let i = 0; i < lines.length; i++, samples++) if (lines.step(near, i) >= STEP_MIN) changed++;
    }
  return changed <= NEIGHBOUR_SHARE_MAX * samples;
};

/** Whether another picture is behind the seam at `line`, not the same after a thin line. */
export const isLasting = (lines: Lines, line: number): boolean => {
  const behind = Math.min(lines.count - 1, line + AWAY);
  const by = Math.min(behind, 2 * AWAY);
  let differing = 0;
  for (let i = 0; i < lines.length; i++) if (lines.step(behind, i, by) >= STEP_MIN) differing++;
  return differing >= LASTING_SHARE_MIN * lines.length;
};
