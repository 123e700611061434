/** Flood fill over the samples of a picture. */
import type { Size } from './raster.ts';

/**
 * Starts at index `start` and goes on through all 4-neighbours that `enter` accepts; `enter` must refuse a sample the
 * second time. Writes the indices reached to the front of `reached`, which has room for the whole picture and may be
 * used again. Returns their number.
 */
export const floodFill = (
  start: number,
  { width, height }: Size,
  enter: (at: number) => boolean,
  reached: Int32Array,
): number => {
  let found = 0;
  if (enter(start)) reached[found++] = start;
  for (let next = 0; next < found; next++) {
    const at = reached[next]!;
    const x = at % width;
    if (x > 0 && enter(at - 1)) reached[found++] = at - 1;
    if (x < width - 1 && enter(at + 1)) reached[found++] = at + 1;
    if (at >= width && enter(at - width)) reached[found++] = at - width;
    if (at < (height - 1) * width && enter(at + width)) reached[found++] = at + width;
  }
  return found;
};
