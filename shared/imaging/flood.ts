/** Walking through a picture from sample to sample. */
import type { Size } from './raster.ts';

/**
 * From `start` through all 4-neighbours that `enter` lets in; it must refuse a sample the second time. The samples
 * reached are the first ones of `reached`, which
 * has room for the whole picture and serves any number of walks. Their number is returned.
 */
export const flood = (
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
