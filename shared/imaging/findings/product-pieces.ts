/** Which pieces of a matte are products. */
import type { Box, Gray } from '../raster.ts';
import { type Piece, piecesOf } from './pieces.ts';

const PRODUCT_MIN = 128;
/** Area of a piece over the largest one's from which it counts as a product of its own. docs/findings.md. */
const COMPARABLE_MIN = 0.25;
/** A piece beside the largest whose box is text by this share is a price burst or a badge. */
const STICKER_TEXT_MIN = 0.12;
/** Share of a line that lies in the box of the piece it is written on. */
const INSIDE_MIN = 0.8;

export const touch = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Pieces of comparable size, largest first, without stickers; one or none where the product is one. */
export const productPieces = (alpha: Gray, lines: readonly Box[]): Piece[] => {
  const pieces = piecesOf(alpha, PRODUCT_MIN);
  const largest = pieces[0]?.area ?? 0;
  return pieces.filter((piece, i) => piece.area >= COMPARABLE_MIN * largest && (i === 0 || !isSticker(piece, lines)));
};

const isSticker = ({ box }: Piece, lines: readonly Box[]): boolean => {
  const written = lines
    .filter((line) => overlap(line, box) >= INSIDE_MIN * line.width * line.height)
    .reduce((sum, { width, height }) => sum + width * height, 0);
  return written >= STICKER_TEXT_MIN * box.width * box.height;
};

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
