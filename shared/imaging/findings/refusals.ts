/**
 * Who refuses a main image for what, by the marketplace's own words. A finding that is not listed, or not for a
 * marketplace, is a recommendation there.
 */
import type { FindingCode } from '../../findings.ts';
import type { MarketplaceName } from '../../marketplaces/index.ts';

export type Refusal = {
  readonly marketplace: MarketplaceName;
  /** What the marketplace calls it; Amazon's are its own names of the issue. */
  readonly says: string;
  readonly source: string;
  /** When the page was read, or a stored copy of it made. */
  readonly asOf: string;
};

const amazonReasons = 'https://sellercentral.amazon.com/gp/help/external/GT8RSE9S9NK4LP6Z';
const amazonImages = 'https://sellercentral.amazon.com/gp/help/external/G75PWC4THA8J269P';
const ebayPolicy = 'https://www.ebay.com/help/policies/listing-policies/picture-policy?id=4370';
const googleImages = 'https://support.google.com/merchants/answer/6324350';
const asOf = '2026-11-22';

export const refusals: Partial<Record<FindingCode, readonly Refusal[]>> = {
  product_cropped: [{ marketplace: 'amazon', says: 'Cropped product', source: amazonReasons, asOf }],
  source_blurred: [{ marketplace: 'amazon', says: 'Blurriness or pixelation', source: amazonReasons, asOf }],
  source_too_small: [{ marketplace: 'amazon', says: 'Blurriness or pixelation', source: amazonReasons, asOf }],
  text_or_logo_overlay: [
    { marketplace: 'amazon', says: 'Text, logo, graphics, or watermarks', source: amazonReasons, asOf },
    { marketplace: 'ebay', says: 'added text or watermark', source: ebayPolicy, asOf },
    { marketplace: 'google', says: 'promotional text', source: googleImages, asOf },
  ],
  border_or_frame: [
    { marketplace: 'amazon', says: 'border or frame', source: amazonImages, asOf },
    { marketplace: 'ebay', says: 'border', source: ebayPolicy, asOf },
    { marketplace: 'google', says: 'border', source: googleImages, asOf },
  ],
};
