import { type Marketplace, rulesFrom, square } from './rule.ts';

const guide = rulesFrom({
  source: 'https://ads.shopee.com.br/learn/faq/323/1462',
  as_of: '2026-07-12',
  evidence: 'secondary',
});
const mall = rulesFrom({
  source: 'https://global.lianlianpay.com/channel/31-23264.html',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const shopee: Marketplace = {
  label: 'Shopee',
  canvas: square(1024),
  fill: 0.85,
  format: 'jpg',
  rules: [
    guide.recommended({ kind: 'aspect', width: 1, height: 1 }),
    guide.recommended({ kind: 'shortest_side', min: 1024 }, { rule: 'advised_side' }),
    mall.recommended({ kind: 'product_fill', min: 0.6 }, { note: 'Of Shopee Mall.' }),
  ],
};
