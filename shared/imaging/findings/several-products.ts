/**
 * several_products: separate pieces of comparable size. A pair of shoes and a set are that too, and may be sold so:
 * therefore only ever a recommendation.
 */
import type { Finding } from '../../findings.ts';
import type { Gray } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, inPhoto, percent } from './finding.ts';
import { type Piece, piecesOf, unionOf } from './pieces.ts';

const PRODUCT_MIN = 128;
/** Area of a piece over the largest one's from which it counts as a product of its own. docs/findings.md. */
export const COMPARABLE_MIN = 0.25;

/** Pieces of comparable size, largest first; one or none where the product is one. */
export const comparablePieces = (alpha: Gray): Piece[] => {
  const pieces = piecesOf(alpha, PRODUCT_MIN);
  const largest = pieces[0]?.area ?? 0;
  return pieces.filter(({ area }) => area >= COMPARABLE_MIN * largest);
};

export const severalProducts = ({ alpha, photo }: Evidence): Finding | undefined => {
  const pieces = comparablePieces(alpha);
  const second = pieces[1];
  if (!second) return undefined;
  return findingOf(
    'several_products',
    {
      detail: `${pieces.length} separate pieces of comparable size; the second has ${percent(second.area / pieces[0]!.area)} of the first one's area`,
      remedy: 'Show only what the buyer gets. A pair or a set that is sold together is in order.',
      box: inPhoto(unionOf(pieces.map(({ box }) => box)), alpha, photo),
    },
    photo,
  );
};
