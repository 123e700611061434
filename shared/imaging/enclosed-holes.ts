/** Holes: background that the product encloses, such as the inside of a handle or the gaps between a chair's slats. */
import { floodFill } from './flood-fill.ts';
import type { Gray } from './raster.ts';

/** The background outside the product is flooded below this; a hole is flooded only where it is surely background. */
const BACKGROUND_BELOW = 128;
const HOLE_BELOW = 26;
/** A hole smaller than this share of the product is more often a print in the background's colour. */
const HOLE_SHARE_MIN = 0.001;

/**
 * Cuts the holes of `fine` into `coarse`, in place: what `fine` surely sees as background and encloses with product. A
 * coarse pass tends to fill them. Both of the same size.
 */
export const cutEnclosedHoles = (coarse: Gray, fine: Gray): void => {
  const { data } = fine;
  const reached = new Int32Array(data.length);
  const visited = new Uint8Array(data.length);
  const enterBelow =
    (limit: number) =>
    (at: number): boolean => {
      if (visited[at] === 1 || data[at]! >= limit) return false;
      visited[at] = 1;
      return true;
    };
  // What is left unvisited after flooding from the border is the product and what it encloses.
  for (const start of borderOf(fine)) floodFill(start, fine, enterBelow(BACKGROUND_BELOW), reached);
  let product = 0;
  for (const value of data) if (value >= BACKGROUND_BELOW) product++;
  const enterHole = enterBelow(HOLE_BELOW);
  for (let start = 0; start < data.length; start++) {
    if (visited[start] === 1 || data[start]! >= HOLE_BELOW) continue;
    const samples = floodFill(start, fine, enterHole, reached);
    if (samples < HOLE_SHARE_MIN * product) continue;
    for (const at of reached.subarray(0, samples)) coarse.data[at] = Math.min(coarse.data[at]!, data[at]!);
  }
};

/** Indices of the outermost samples. */
const borderOf = ({ width, height }: Gray): number[] => {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  return border;
};
