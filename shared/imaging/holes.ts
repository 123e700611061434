/** Holes: background that the product encloses, as a handle or the slats of a chair do. */
import type { Gray } from './raster.ts';

/** Background can be walked through below this; a hole is surely background below that. */
const WALL = 128;
const OPEN = 26;

/**
 * Opens in `coarse`, in place, the holes of `fine`: what `fine` surely sees as background and encloses with product. A coarse look closes small
 * holes. Both of the same size.
 */
export const openHoles = (coarse: Gray, fine: Gray): void => {
  const { data, width, height } = fine;
  const outside = new Uint8Array(data.length);
  const stack = new Int32Array(data.length);
  let depth = 0;
  const visit = (at: number): void => {
    if (outside[at] === 1 || data[at]! >= WALL) return;
    outside[at] = 1;
    stack[depth++] = at;
  };
  for (let x = 0; x < width; x++) {
    visit(x);
    visit((height - 1) * width + x);
  }
  for (let y = 0; y < height; y++) {
    visit(y * width);
    visit(y * width + width - 1);
  }
  while (depth > 0) {
    const at = stack[--depth]!;
    const x = at % width;
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (at >= width) visit(at - width);
    if (at < data.length - width) visit(at + width);
  }
  for (let at = 0; at < data.length; at++) if (outside[at] === 0 && data[at]! < OPEN) coarse.data[at] = Math.min(coarse.data[at]!, data[at]!);
};
