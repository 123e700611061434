/** The separate pieces of a mask, largest first. */
import { floodFill } from '../flood-fill.ts';
import type { Box, Gray } from '../raster.ts';

export type Piece = {
  readonly box: Box;
  /** Samples. */
  readonly area: number;
  /** Sum of the samples' values over their number. */
  readonly mean: number;
};

/** 4-connected samples of at least `threshold`. */
export const piecesOf = (mask: Gray, threshold: number): Piece[] => {
  const { data, width } = mask;
  const taken = new Uint8Array(data.length);
  const reached = new Int32Array(data.length);
  const enter = (at: number): boolean => {
    if (taken[at] || data[at]! < threshold) return false;
    taken[at] = 1;
    return true;
  };
  const pieces: Piece[] = [];
  for (let start = 0; start < data.length; start++) {
    if (taken[start] || data[start]! < threshold) continue;
    const area = floodFill(start, mask, enter, reached);
    pieces.push(pieceOf(reached.subarray(0, area), data, width));
  }
  return pieces.sort((a, b) => b.area - a.area);
};

const pieceOf = (samples: Int32Array, data: Uint8Array, width: number): Piece => {
  let left = width;
  let right = -1;
  let top = Number.POSITIVE_INFINITY;
  let bottom = -1;
  let sum = 0;
  for (const at of samples) {
    const x = at % width;
    const y = (at - x) / width;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
    sum += data[at]!;
  }
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { box, area: samples.length, mean: sum / samples.length };
};

/** The smallest box around all of them. */
export const unionOf = (boxes: readonly Box[]): Box => {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
};
