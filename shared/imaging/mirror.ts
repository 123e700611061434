/** Exchanges left and right, in place, and returns the picture. */
import type { Gray, Rgb } from './raster.ts';

export const mirrorGray = (picture: Gray): Gray => {
  const { data, width, height } = picture;
  for (let y = 0; y < height; y++) data.subarray(y * width, (y + 1) * width).reverse();
  return picture;
};

export const mirrorRgb = (picture: Rgb): Rgb => {
  const { data, width, height } = picture;
  for (let y = 0; y < height; y++) {
    for (let left = y * width * 3, right = left + (width - 1) * 3; left < right; left += 3, right -= 3) {
      for (let c = 0; c < 3; c++) {
        const kept = data[left + c]!;
        data[left + c] = data[right + c]!;
        data[right + c] = kept;
      }
    }
  }
  return picture;
};
