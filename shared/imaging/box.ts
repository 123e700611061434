/** Bounding boxes. */
import { type Box, clamp, type Gray, type Size } from './raster.ts';

/** Smallest box that holds every sample ≥ `threshold`; undefined where there is none. */
export const boundingBox = (picture: Gray, threshold: number): Box | undefined => {
  const { data, width, height } = picture;
  let left = width;
  let right = -1;
  let top = -1;
  let bottom = -1;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let first = 0;
    while (first < width && data[row + first]! < threshold) first++;
    if (first === width) continue;
    if (top < 0) top = y;
    bottom = y;
    if (first < left) left = first;
    let last = width - 1;
    while (last > right && data[row + last]! < threshold) last--;
    if (last > right) right = last;
  }
  return top < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
};

/** The box with `margin` added on every side; may be fractional and may leave the picture. */
export const expandBox = (box: Box, margin: number): Box => ({
  x: box.x - margin,
  y: box.y - margin,
  width: box.width + 2 * margin,
  height: box.height + 2 * margin,
});

/** The smallest box of whole pixels around `box`, clipped to the picture. */
export const snapOutward = (box: Box, picture: Size): Box => {
  const left = clamp(Math.floor(box.x), 0, picture.width - 1);
  const top = clamp(Math.floor(box.y), 0, picture.height - 1);
  const right = clamp(Math.ceil(box.x + box.width), left + 1, picture.width);
  const bottom = clamp(Math.ceil(box.y + box.height), top + 1, picture.height);
  return { x: left, y: top, width: right - left, height: bottom - top };
};

/** The box in the pixels of the same picture resized by the factors `x` and `y`. */
export const scaleBox = (box: Box, x: number, y: number = x): Box => ({
  x: box.x * x,
  y: box.y * y,
  width: box.width * x,
  height: box.height * y,
});

export const longerSide = (size: Size): number => Math.max(size.width, size.height);
