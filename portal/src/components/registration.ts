/** Where a photo lies when its product covers the product of the result, and how both move to show the photo whole. Pure. */
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import type { Plan } from './plan.ts';

/** Shares of the canvas: `x`, `width` of its width, `y`, `height` of its height. */
type Shares = Box;

export type Registered = {
  readonly photo: Size;
  /** The product in the photo, px; not rounded. */
  readonly productInPhoto: Box;
};

/** The whole photo on the canvas. */
export const photoOnCanvas = ({ canvas, product }: Plan, { photo, productInPhoto }: Registered): Shares => {
  const x = product.width / productInPhoto.width;
  const y = product.height / productInPhoto.height;
  return {
    x: (product.x - productInPhoto.x * x) / canvas.width,
    y: (product.y - productInPhoto.y * y) / canvas.height,
    width: (photo.width * x) / canvas.width,
    height: (photo.height * y) / canvas.height,
  };
};

/** Factor and shift, in shares of the canvas, by which what lies at `from` is seen whole and in the middle of the canvas. */
export const toShowWhole = (from: Shares, { width, height }: Size, { photo }: Registered) => {
  const scale = Math.min(width / photo.width, height / photo.height);
  const whole = { width: (photo.width * scale) / width, height: (photo.height * scale) / height };
  const x = whole.width / from.width;
  const y = whole.height / from.height;
  return {
    scale: { x, y },
    shift: { x: (1 - whole.width) / 2 - from.x * x, y: (1 - whole.height) / 2 - from.y * y },
  };
};
