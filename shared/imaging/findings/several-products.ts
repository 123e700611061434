/**
 * several_products: separate pieces of comparable size. A pair of shoes and a set are that too, and may be sold so:
 * therefore only ever a recommendation.
 */
import type { Finding } from '../../findings.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, inPhoto, percent } from './finding.ts';
import { unionOf } from './pieces.ts';
import { productPieces } from './product-pieces.ts';

export const severalProducts = ({ alpha, lines, photo }: Evidence): Finding | undefined => {
  const [first, second, ...more] = productPieces(alpha, lines);
  if (!first || !second) return undefined;
  const pieces = [first, second, ...more];
  return findingOf(
    'several_products',
    {
      detail: `${pieces.length} separate pieces of comparable size; the second has ${percent(second.area / first.area)} of the first one's area`,
      remedy: 'Show only what the buyer gets. A pair or a set that is sold together is in order.',
      box: inPhoto(unionOf(pieces.map(({ box }) => box)), alpha, photo),
    },
    photo,
  );
};
