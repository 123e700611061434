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
  const at = (line: number, i: number): number => (across ? i * width + line : line * width + i) * 3;
  const step = (line: number, i: number): number => {
    const [a, b] = [at(line, i), at(line - 1, i)];
    return Math.max(
      Math.abs(data[a]! - data[b]!),
      Math.abs(data[a + 1]! - data[b + 1]!),
      Math.abs(data[a + 2]! - data[b + 2]!),
    );
  };
  const flat: Lines['flat'] = (line, from, to) => {
    const colour = [0, 1, 2].map((channel) => medianOf(data, channel, from, to, (i) => at(line, i)));
    let close = 0;
    for (let i = from; i < to; i++) {
      const p = at(line, i);
      if (colour.every((level, channel) => Math.abs(data[p + channel]! - level) <= FLAT_MAX)) close++;
    }
    return { colour, share: close / Math.max(1, to - from) };
  };
  return { count, length, step, flat };
};

const medianOf = (data: Uint8Array, channel: number, from: number, to: number, at: (i: number) => number): number => {
  const counts = new Uint32Array(256);
  for (let i = from; i < to; i++) counts[data[at(i) + channel]!]!++;
  let left = (to - from) / 2;
  for (let level = 0; level < 256; level++) {
    left -= counts[level]!;
    if (left <= 0) return level;
  }
  return 255;
};

/**
 * Share of the samples `from` up to `to` at which the picture changes at `line` or the line after it: reducing a photo
 * spreads a sharp step over two.
 */
export const seamShare = (lines: Lines, line: number, from: number, to: number): number => {
  let changed = 0;
  for (let i = from; i < to; i++) {
    const here = lines.step(line, i);
    const next = line + 1 < lines.count ? lines.step(line + 1, i) : 0;
    if (Math.max(here, next) >= STEP_MIN) changed++;
  }
  return changed / Math.max(1, to - from);
};
