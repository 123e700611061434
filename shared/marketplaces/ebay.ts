import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const policy = rulesFrom({
  source: 'https://www.ebay.com/help/policies/listing-policies/picture-policy?id=4370',
  as_of: '2026-11-22',
  evidence: 'official',
});
const media = rulesFrom({
  source: 'https://developer.ebay.com/api-docs/sell/static/inventory/managing-image-media.html',
  as_of: '2026-11-01',
  evidence: 'official',
});
const quality = rulesFrom({
  source: 'https://developer.ebay.com/support/kb-article?KBid=1489',
  as_of: '2022-09-09',
  evidence: 'official',
});

export const ebay: Marketplace = {
  label: 'eBay',
  canvas: square(1600),
  fill: 0.85,
  format: 'jpg',
  rules: [
    policy.required({ kind: 'longest_side', min: 500 }),
    media.required({ kind: 'longest_side', max: 9000 }, { rule: 'largest_side' }),
    media.required({ kind: 'file_bytes', max: 12 * MB }),
    media.required({ kind: 'format', any_of: ['jpg', 'png', 'webp'] }),
    quality.recommended({ kind: 'longest_side', min: 1000 }, { rule: 'advised_side' }),
    quality.recommended({ kind: 'jpeg_quality', min: 90 }),
  ],
};
