/** Whether a photo's background is white already, read from all of its pixels. */
import type { Box, Gray, Rgb, Size } from '../raster.ts';

export type WhiteScan = {
  /** Box of all pixels that are not exactly white; undefined where every pixel is. */
  readonly box: Box | undefined;
  /** Such pixels in each cell of a grid over the photo. */
  readonly notWhite: Uint32Array;
  readonly grid: Size;
};

const isWhite = (data: Uint8Array, at: number): boolean =>
  data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255;

/** Undefined where the outermost pixels are not all white, which is told at once. */
export const scanWhite = (photo: Rgb, grid: Size): WhiteScan | undefined => {
  const { data, width, height } = photo;
  for (let x = 0; x < width; x++)
    if (!isWhite(data, x * 3) || !isWhite(data, ((height - 1) * width + x) * 3)) return undefined;
  for (let y = 0; y < height; y++)
    if (!isWhite(data, y * width * 3) || !isWhite(data, ((y + 1) * width - 1) * 3)) return undefined;
  const notWhite = new Uint32Array(grid.width * grid.height);
  const column = Int32Array.from({ length: width }, (_, x) => Math.floor((x * grid.width) / width));
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * grid.height) / height) * grid.width;
    for (let x = 0; x < width; x++, at += 3) {
      if (isWhite(data, at)) continue;
      notWhite[row + column[x]!]!++;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  const box = bottom < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { box, notWhite, grid };
};

/** Alpha above this belongs to the product: the matte's faint fringe does not. */
const PRODUCT_MIN = 13;
/** A JPEG file's blocks spread the product's edge by up to 16 px, its matte by a cell. */
const BLOCK_PX = 16;

/** Pixels that are not white away from the product. `alpha`: its matte on the scan's grid. */
export const strayPixels = ({ notWhite, grid }: WhiteScan, alpha: Gray, photo: Size): number => {
  const reach = 1 + Math.ceil((BLOCK_PX * grid.width) / photo.width);
  const near = grown(grown(Uint8Array.from(alpha.data, isProduct), grid, 1, reach), grid, grid.width, reach);
  let stray = 0;
  for (let cell = 0; cell < near.length; cell++) if (!near[cell]) stray += notWhite[cell]!;
  return stray;
};

const isProduct = (alpha: number): number => (alpha >= PRODUCT_MIN ? 1 : 0);

/** A mask grown by `reach` cells in the direction of `stride` (1 across, the grid's width down). */
const grown = (mask: Uint8Array, { width, height }: Size, stride: number, reach: number): Uint8Array => {
  const [lines, length, between] = stride === 1 ? [height, width, width] : [width, height, 1];
  const out = new Uint8Array(mask.length);
  for (let line = 0; line < lines; line++) {
    for (const forward of [true, false]) {
      let left = 0;
      for (let i = 0; i < length; i++) {
        const at = line * between + (forward ? i : length - 1 - i) * stride;
        left = mask[at] ? reach + 1 : left - 1;
        if (left > 0) out[at] = 1;
      }
    }
  }
  return out;
};
