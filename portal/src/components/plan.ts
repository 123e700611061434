/** What is drawn of a result as a technical drawing, all of it measured. Without the browser, so that the worker has it. */
import type { Compliance } from '../../../shared/api.ts';
import { parseHex } from '../../../shared/imaging/cutout.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';

export type Plan = {
  /** Of the file, px. */
  readonly canvas: Size;
  /** The product on it, whole px. */
  readonly product: Box;
  /** `#rrggbb` or `transparent`, where every pixel outside product and shadow is exactly that; undefined where not. */
  readonly background: string | undefined;
};

/** Space between product and edge on each side, px. */
export const marginsOf = ({ canvas, product }: Plan) => ({
  left: product.x,
  right: canvas.width - product.x - product.width,
  top: product.y,
  bottom: canvas.height - product.y - product.height,
});

/** Share of the canvas that the product takes, by the side that fills more of it. */
export const fillOf = ({ canvas, product }: Plan): number =>
  Math.max(product.width / canvas.width, product.height / canvas.height);

export const backgroundText = (background: string): string =>
  background === 'transparent' ? background : parseHex(background).join(', ');

/** Of a finished file: white is what its report says was measured. */
export const planOfFile = (canvas: Size, product: Box, compliance: Compliance, isTransparent: boolean): Plan => {
  const isWhite = compliance.checks.some(({ rule, passed }) => rule === 'background_white' && passed);
  return { canvas, product, background: isWhite ? '#ffffff' : isTransparent ? 'transparent' : undefined };
};
