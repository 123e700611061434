/** Holes: background that the product encloses, as a handle or the slats of a chair do. */
import { flood } from './flood.ts';
import type { Gray } from './raster.ts';

/** Background can be walked through below this; a hole is surely background below that. */
const WALL = 128;
const OPEN = 26;
/** A hole smaller than this share of the product is more often a print in the background's colour. */
const HOLE_SHARE_MIN = 0.001;

/**
 * Opens in `coarse`, in place, the holes of `fine`: what `fine` surely sees as background and encloses with product. A
 * coarse look closes
 * them. Both of the same size.
 */
export const openHoles = (coarse: Gray, fine: Gray): void => {
  const { data, width, height } = fine;
  const reached = new Int32Array(data.length);
  /** 1: walked through. What is left after walking in from the border is the product and what it encloses. */
  const walked = new Uint8Array(data.length);
  const below =
    (limit: number) =>
    (at: number): boolean => {
      if (walked[at] === 1 || data[at]! >= limit) return false;
      walked[at] = 1;
      return true;
    };
  const [background, open] = [below(WALL), below(OPEN)];
  for (let x = 0; x < width; x++) {
    flood(x, fine, background, reached);
    flood((height - 1) * width + x, fine, background, reached);
  }
  for (let y = 0; y < height; y++) {
    flood(y * width, fine, background, reached);
    flood(y * width + width - 1, fine, background, reached);
  }
  let product = 0;
  for (const value of data) if (value >= WALL) product++;
  for (let start = 0; start < data.length; start++) {
    if (walked[start] === 1 || data[start]! >= OPEN) continue;
    const samples = flood(start, fine, open, reached);
    if (samples < HOLE_SHARE_MIN * product) continue;
    for (const at of reached.subarray(0, samples)) coarse.data[at] = Math.min(coarse.data[at]!, data[at]!);
  }
};
