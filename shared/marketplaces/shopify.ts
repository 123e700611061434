import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const help = rulesFrom({
  source: 'https://help.shopify.com/en/manual/products/product-media/product-media-types',
  as_of: '2026-07-12',
  evidence: 'secondary',
});
const copies = rulesFrom({
  source: 'https://help.shopify.com/en/manual/products/product-media/product-media-types',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const shopify: Marketplace = {
  label: 'Shopify',
  canvas: square(2048),
  fill: 0.85,
  format: 'jpg',
  rules: [
    help.required({ kind: 'pixels', max: 25 * MB }),
    help.required({ kind: 'longest_side', max: 5000 }),
    help.required({ kind: 'file_bytes', max: 20 * MB }),
    copies.recommended(
      { kind: 'pixels', max: 20 * MB },
      { rule: 'advised_pixels', note: 'The limit that older copies of the page give, with 4472 px a side.' },
    ),
    copies.recommended({ kind: 'shortest_side', min: 2048 }, { rule: 'advised_side', note: 'Looks best when square.' }),
    copies.recommended({ kind: 'format', any_of: ['jpg', 'png', 'webp'] }),
  ],
};
