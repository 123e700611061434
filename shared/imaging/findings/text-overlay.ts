/**
 * text_or_logo_overlay: lines of text on the background. What is printed on the product is no overlay: a line counts
 * where little of it is product, and where the product does not surround it (a label that the matte has missed).
 */
import type { Finding } from '../../findings.ts';
import { scaleBox } from '../box.ts';
import type { Box, Gray, Size } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, inPhoto } from './finding.ts';
import { type Piece, piecesOf, unionOf } from './pieces.ts';
import { comparablePieces } from './several-products.ts';

/** Probability of text, 0..255, from which a sample belongs to a line; the detector's own threshold. */
const TEXT_MIN = 77;
/** Mean probability of a line. docs/findings.md. */
export const LINE_MEAN_MIN = 166;
/** A line's shorter and longer side, as shares of the photo's longer side. */
const LINE_HEIGHT_MIN = 0.008;
const LINE_LENGTH_MIN = 0.03;
/** Share of a line's samples that may be product. */
export const ON_PRODUCT_MAX = 0.35;
const PRODUCT_MIN = 128;

/** The lines of text in the photo, in the map's samples. */
export const textLines = (text: Gray): Piece[] => {
  const side = Math.max(text.width, text.height);
  return piecesOf(text, TEXT_MIN).filter(
    ({ box, mean }) =>
      mean >= LINE_MEAN_MIN &&
      Math.min(box.width, box.height) >= LINE_HEIGHT_MIN * side &&
      Math.max(box.width, box.height) >= LINE_LENGTH_MIN * side,
  );
};

/** Share of the box that is product. */
export const shareOnProduct = (box: Box, alpha: Gray): number => {
  const right = Math.min(alpha.width, Math.ceil(box.x + box.width));
  const bottom = Math.min(alpha.height, Math.ceil(box.y + box.height));
  let product = 0;
  let all = 0;
  for (let y = Math.floor(box.y); y < bottom; y++)
    for (let x = Math.floor(box.x); x < right; x++, all++)
      if (alpha.data[y * alpha.width + x]! >= PRODUCT_MIN) product++;
  return all === 0 ? 0 : product / all;
};

/** Whether there is product to the left, to the right, above and below of the box's centre. */
export const isSurrounded = (box: Box, { data, width, height }: Gray): boolean => {
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

/** The matte without small pieces apart from the products: a price burst may be taken for a part of the product. */
const productsOnly = (alpha: Gray): readonly Box[] => comparablePieces(alpha).map(({ box }) => box);

const touches = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const mapToAlpha = (box: Box, text: Size, alpha: Size): Box =>
  scaleBox(box, alpha.width / text.width, alpha.height / text.height);

/** Lines of text on the background, in the matte's samples. */
export const overlayLines = (text: Gray, alpha: Gray): Box[] => {
  const products = productsOnly(alpha);
  return textLines(text)
    .map(({ box }) => mapToAlpha(box, text, alpha))
    .filter((box) => {
      if (!products.some((product) => touches(box, product))) return true;
      return shareOnProduct(box, alpha) <= ON_PRODUCT_MAX && !isSurrounded(box, alpha);
    });
};

export const textOverlay = ({ text, alpha, photo }: Evidence): Finding | undefined => {
  const lines = text ? overlayLines(text, alpha) : [];
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
