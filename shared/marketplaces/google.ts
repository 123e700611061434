import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const merchant = rulesFrom({
  source: 'https://support.google.com/merchants/answer/6324350',
  as_of: '2026-11-22',
  evidence: 'official',
});
const cited = rulesFrom({
  source: 'https://sharpfeed.io/docs/fields/image-link',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const google: Marketplace = {
  label: 'Google',
  canvas: square(1500),
  fill: 0.85,
  format: 'jpg',
  rules: [
    merchant.required(
      { kind: 'shortest_side', min: 500 },
      { note: 'From 31 January 2027; until then 100, and 250 for clothing.' },
    ),
    merchant.required({ kind: 'pixels', max: 64 * MB }),
    merchant.required({ kind: 'file_bytes', max: 16 * MB }),
    merchant.required({ kind: 'format', any_of: ['jpg', 'png', 'webp'] }),
    merchant.recommended({ kind: 'shortest_side', min: 1500 }, { rule: 'advised_side' }),
    cited.recommended({ kind: 'product_fill', min: 0.75, max: 0.9 }),
    cited.recommended({ kind: 'background_white', shadow: 'tolerated' }, { note: 'White or transparent.' }),
  ],
};
