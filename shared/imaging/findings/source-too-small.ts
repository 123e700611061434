/** source_too_small: the product has fewer pixels than the canvas asks for, so that it must be enlarged. */
import type { Finding } from '../../findings.ts';
import { canvasSize } from '../../marketplaces/index.ts';
import { longerSide } from '../box.ts';
import { targetSide } from '../geometry.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';

/** Enlarged by more than this a product looks soft beside others. docs/findings.md. */
const ENLARGEMENT_MAX = 2;

/**
 * Below this, px, even the smallest file in which Amazon's shoppers can zoom (1,000 px, 850 of them product) enlarges the
 * product more than twice: that is pixelation.
 */
const REFUSED_SIDE_MAX = 850 / ENLARGEMENT_MAX;

/** How many times its size the product becomes on the canvas. */
const enlargement = ({ product, options }: Pick<Evidence, 'product' | 'options'>): number =>
  product && options.layout === 'hero' ? targetSide(canvasSize(options.canvas), options.fill) / longerSide(product) : 0;

export const sourceTooSmall = (evidence: Evidence): Finding | undefined => {
  const { product, photo, options } = evidence;
  const times = enlargement(evidence);
  if (!product || times <= ENLARGEMENT_MAX) return undefined;
  const side = Math.round(longerSide(product));
  const target = targetSide(canvasSize(options.canvas), options.fill);
  return findingOf(
    'source_too_small',
    {
      detail: `The product's longer side has ${side} px in the photo and takes ${target} on the canvas: ${times.toFixed(1)} times`,
      remedy: `Send the original file, or a photo in which the product's longer side has at least ${Math.ceil(target / ENLARGEMENT_MAX)} px.`,
      box: product,
      isRefused: side < REFUSED_SIDE_MAX,
    },
    photo,
  );
};
