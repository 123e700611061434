/** The sides of a frame, read from the outside in. */
import type { Box } from '../raster.ts';

export const frameSides = ['left', 'right', 'top', 'bottom'] as const;
export type FrameSide = (typeof frameSides)[number];

/** One side: `length` samples along it, `across` samples to the other side; `at` gives their index in the plane. */
export type Edge = {
  readonly length: number;
  readonly across: number;
  at(along: number, depth: number): number;
};

/** `stride`: samples in a row of the plane that the frame lies on. */
export const edgeOf = (side: FrameSide, { x, y, width, height }: Box, stride: number): Edge => {
  const [right, bottom] = [x + width - 1, y + height - 1];
  switch (side) {
    case 'left':
      return { length: height, across: width, at: (along, depth) => (y + along) * stride + x + depth };
    case 'right':
      return { length: height, across: width, at: (along, depth) => (y + along) * stride + right - depth };
    case 'top':
      return { length: width, across: height, at: (along, depth) => (y + depth) * stride + x + along };
    case 'bottom':
      return { length: width, across: height, at: (along, depth) => (bottom - depth) * stride + x + along };
  }
};

/** Positions `from` up to `to`. */
export type Run = { readonly from: number; readonly to: number };

/** The runs of positions from `from` up to `to` that `isIn` accepts. */
export const runsOf = (from: number, to: number, isIn: (along: number) => boolean): Run[] => {
  const runs: Run[] = [];
  for (let i = from; i < to; i++) {
    if (!isIn(i)) continue;
    const start = i;
    while (i < to && isIn(i)) i++;
    runs.push({ from: start, to: i });
  }
  return runs;
};

export const lengthOf = ({ from, to }: Run): number => to - from;
export const longest = (runs: readonly Run[]): number => Math.max(0, ...runs.map(lengthOf));
/** Mean of `value` over a run. */
export const meanOver = (run: Run, value: (along: number) => number): number => {
  let sum = 0;
  for (let along = run.from; along < run.to; along++) sum += value(along);
  return sum / lengthOf(run);
};
