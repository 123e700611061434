import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const cited = rulesFrom({
  source: 'https://www.kauflandglobalmarketplace.com/en/seller-university/selling/product-data/product-data-guideline/',
  as_of: '2026-07-12',
  evidence: 'secondary',
});

export const kaufland: Marketplace = {
  label: 'Kaufland',
  canvas: square(2048),
  fill: 0.85,
  format: 'jpg',
  rules: [
    cited.required({ kind: 'background_white', shadow: 'forbidden' }),
    cited.required({ kind: 'longest_side', min: 1024 }),
    cited.required({ kind: 'file_bytes', max: 10 * MB }),
    cited.recommended({ kind: 'longest_side', min: 2048 }, { rule: 'zoom_side' }),
  ],
};
