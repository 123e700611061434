/**
 * text_or_logo_overlay: lines of text on the background. What is printed on the product is no overlay: a line counts
 * where little of it is product, and where the product does not surround it (a label that the matte has missed).
 */
import type { Finding } from '../../findings.ts';
import type { Box, Gray } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, inPhoto } from './finding.ts';
import { unionOf } from './pieces.ts';
import { productPieces, touch } from './product-pieces.ts';

/** Share of a line's samples that may be product. */
const ON_PRODUCT_MAX = 0.35;
const PRODUCT_MIN = 128;

/** Share of the box that is product. */
const shareOnProduct = (box: Box, alpha: Gray): number => {
  const right = Math.min(alpha.width, Math.ceil(box.x + box.width));
  const bottom = Math.min(alpha.height, Math.ceil(box.y + box.height));
  let product = 0;
  let all = 0;
  for (let y = Math.max(0, Math.floor(box.y)); y < bottom; y++)
    for (let x = Math.max(0, Math.floor(box.x)); x < right; x++, all++)
      if (alpha.data[y * alpha.width + x]! >= PRODUCT_MIN) product++;
  return all === 0 ? 0 : product / all;
};

/** Whether there is product to the left, to the right, above and below of the box's centre. */
const isSurrounded = (box: Box, { data, width, height }: Gray): boolean => {
  const x = Math.min(width - 1, Math.floor(box.x + box.width / 2));
  const y = Math.min(height - 1, Math.floor(box.y + box.height / 2));
  const any = (from: number, to: number, at: (i: number) => number): boolean => {
    for (let i = from; i < to; i++) if (data[at(i)]! >= PRODUCT_MIN) return true;
    return false;
  };
  const inRow = (i: number): number => y * width + i;
  const inColumn = (i: number): number => i * width + x;
  return any(0, x, inRow) && any(x, width, inRow) && any(0, y, inColumn) && any(y, height, inColumn);
};

/** Those of the lines that lie on the background. */
const overlayLines = (lines: readonly Box[], alpha: Gray): Box[] => {
  const products = productPieces(alpha, lines).map(({ box }) => box);
  return lines.filter(
    (line) =>
      !products.some((product) => touch(line, product)) ||
      (shareOnProduct(line, alpha) <= ON_PRODUCT_MAX && !isSurrounded(line, alpha)),
  );
};

export const textOverlay = ({ lines: all, alpha, photo }: Evidence): Finding | undefined => {
  const lines = overlayLines(all, alpha);
  if (lines.length === 0) return undefined;
  return findingOf(
    'text_or_logo_overlay',
    {
      detail: `${lines.length} ${lines.length === 1 ? 'line' : 'lines'} of text on the background`,
      remedy:
        'Send the photo without texts, prices, logos and watermarks, and without signs or print behind the product.',
      box: inPhoto(unionOf(lines), alpha, photo),
    },
    photo,
  );
};
