/** Measures a finished file: which of its decoded pixels are product, and whether all others are background. */
import type { Colour, Cutout } from './cutout.ts';
import type { Box, Size } from './raster.ts';

export type Decoded = Size & { readonly data: Uint8Array; readonly channels: 3 | 4 };

export type Measured = {
  /** Box of the product's pixels; undefined where none can be told from the background. */
  readonly productBox: Box | undefined;
  /** Pixels outside the product that are not exactly the background, and were to be. */
  readonly strayPixels: number;
  /** Pixels outside the product that were drawn otherwise than the background: its shadow. */
  readonly shadowPixels: number;
};

/**
 * A pixel differs where it is not exactly `background` (with an alpha channel: where it is not fully transparent).
 * Differing pixels where the cut-out has any alpha are product; of the others those that `drawn`, the picture before
 * it was encoded, shows too are shadow, and the rest is stray. `decoded` and `drawn` have the canvas's size.
 */
export const measure = (decoded: Decoded, background: Colour, { alpha, at }: Cutout, drawn: Decoded): Measured => {
  const { data, width, height, channels } = decoded;
  const [r, g, b] = background;
  const isShadow = (pixel: number): boolean => {
    const to = pixel * drawn.channels;
    return drawn.channels === 3 && (drawn.data[to] !== r || drawn.data[to + 1] !== g || drawn.data[to + 2] !== b);
  };
  let shadowPixels = 0;
  let strayPixels = 0;
  let left = width;
  let right = -1;
  let top = height;
  let bottom = -1;
  for (let y = 0, i = 0; y < height; y++) {
    const row = y - at.y;
    const inside = row >= 0 && row < alpha.height ? row * alpha.width : -1;
    for (let x = 0; x < width; x++, i += channels) {
      const same = channels === 4 ? data[i + 3] === 0 : data[i] === r && data[i + 1] === g && data[i + 2] === b;
      if (same) continue;
      const column = x - at.x;
      if (inside < 0 || column < 0 || column >= alpha.width || alpha.data[inside + column] === 0) {
        if (isShadow(y * width + x)) shadowPixels++;
        else strayPixels++;
        continue;
      }
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  return {
    strayPixels,
    shadowPixels,
    productBox: bottom < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 },
  };
};
