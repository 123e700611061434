import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const cited = rulesFrom({
  source:
    'https://helpcenter.noon.partners/en/category/product-listing/image-requirements-and-rejection-reasons-for-the-seller-sku',
  as_of: '2026-07-12',
  evidence: 'secondary',
});

export const noon: Marketplace = {
  label: 'noon',
  canvas: square(1200),
  fill: 0.75,
  format: 'jpg',
  rules: [
    cited.required({ kind: 'background_white', shadow: 'tolerated' }, { note: 'Light grey for fashion.' }),
    cited.required({ kind: 'size', min_width: 660, min_height: 1 }),
    cited.required({ kind: 'file_bytes', max: 10 * MB }),
    cited.required({ kind: 'format', any_of: ['jpg'] }),
    cited.recommended({ kind: 'product_fill', min: 0.7, max: 0.8 }),
  ],
};
