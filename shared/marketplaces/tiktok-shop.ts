import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const policy = rulesFrom({
  source: 'https://seller-us.tiktok.com/university/essay?knowledge_id=3196690250417921',
  as_of: '2026-07-12',
  evidence: 'secondary',
});
const cited = rulesFrom({
  source: 'https://emberfeed.com/specs/tiktok-shop-image-requirements-2026',
  as_of: '2026-05-07',
  evidence: 'secondary',
});

export const tiktokShop: Marketplace = {
  label: 'TikTok Shop',
  canvas: square(1000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    policy.recommended({ kind: 'background_white', shadow: 'forbidden' }),
    policy.recommended({ kind: 'aspect', width: 1, height: 1 }),
    cited.recommended({ kind: 'shortest_side', min: 600 }),
    cited.recommended({ kind: 'product_fill', min: 0.8 }),
    cited.recommended({ kind: 'file_bytes', max: 5 * MB }),
    cited.recommended({ kind: 'format', any_of: ['jpg', 'png'] }),
    cited.recommended({ kind: 'shortest_side', min: 800 }, { rule: 'advised_side' }),
  ],
};
