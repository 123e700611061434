/** already_white: the photo meets the marketplace's rules as it is, by the same check as results. */
import type { Finding } from '../../findings.ts';
import { checkCompliance } from '../compliance.ts';
import type { Evidence } from './evidence.ts';

export const alreadyWhite = ({ asMainImage, options, photo }: Evidence): Finding | undefined => {
  if (!asMainImage || asMainImage.notWhitePixels > 0) return undefined;
  const { checks } = checkCompliance(options.marketplace, asMainImage);
  // Also what is only recommended, and what we promise of our own results.
  if (!checks.every(({ passed }) => passed)) return undefined;
  const { productBox } = asMainImage;
  const share = Math.max(productBox.width / photo.width, productBox.height / photo.height);
  return {
    code: 'already_white',
    severity: 'info',
    detail: `The photo meets all ${checks.length} measured rules of ${options.marketplace} as it is: white background, product on ${(share * 100).toFixed(1)} % of the side`,
    box: productBox,
    remedy: 'Nothing has to be done: the photo can be listed as it is.',
    marketplaces: [options.marketplace],
  };
};
