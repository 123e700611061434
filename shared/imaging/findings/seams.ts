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
  /** Largest difference in the three channels between sample `i` of line `line` and of line `line - 1`. */
  step(line: number, i: number): number;
  /** Mean colour of samples `from` up to `to` of the line, and whether all of them are close to it. */
  flat(line: number, from: number, to: number): { readonly colour: readonly number[]; readonly share: number };
};

export const linesOf = ({ data, width, height }: Rgb, across: boolean): Lines => {
  const [count, length] = across ? [width, height] : [height, width];
  const ofLine = across ? 3 : 3 * width;
  const ofSample = across ? 3 * width : 3;
  const step = (line: number, i: number): number => {
    const here = line * ofLine + i * ofSample;
    const before = here - ofLine;
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
