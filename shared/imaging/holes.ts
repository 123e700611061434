/** Holes: background that the product encloses, as a handle or the slats of a chair do. */
import type { Gray } from './raster.ts';

/** Background can be walked through below this; a hole is surely background below that. */
const WALL = 128;
const OPEN = 26;
/** A hole smaller than this share of the product is more often a print in the background's colour. */
const HOLE_SHARE_MIN = 0.001;

/**
 * Opens in `coarse`, in place, the holes of `fine`: what `fine` surely sees as background and encloses with product. A coarse look closes
 * them. Both of the same size.
 */
export const openHoles = (coarse: Gray, fine: Gray): void => {
  const { data, width, height } = fine;
  const stack = new Int32Array(data.length);
  /** 1: reached. What is left after walking in from the border is the product and what it encloses. */
  const reached = new Uint8Array(data.length);
  /** Walks from `start` through samples below `limit`; the samples reached are the first ones of `stack`. */
  const walk = (start: number, limit: number): number => {
    let found = 0;
    const visit = (at: number): void => {
      if (reached[at] === 1 || data[at]! >= limit) return;
      reached[at] = 1;
      stack[found++] = at;
    };
    visit(start);
    for (let next = 0; next < found; next++) {
      const at = stack[next]!;
      const x = at % width;
      if (x > 0) visit(at - 1);
      if (x < width - 1) visit(at + 1);
      if (at >= width) visit(at - width);
      if (at < data.length - width) visit(at + width);
    }
    return found;
  };
  for (let x = 0; x < width; x++) {
    walk(x, WALL);
    walk((height - 1) * width + x, WALL);
  }
  for (let y = 0; y < height; y++) {
    walk(y * width, WALL);
    walk(y * width + width - 1, WALL);
  }
  let product = 0;
  for (const value of data) if (value >= WALL) product++;
  for (let start = 0; start < data.length; start++) {
    const samples = walk(start, OPEN);
    if (samples < HOLE_SHARE_MIN * product) continue;
    for (const at of stack.subarray(0, samples)) coarse.data[at] = Math.min(coarse.data[at]!, data[at]!);
  }
};
