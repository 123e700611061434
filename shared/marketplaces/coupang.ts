import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const api = rulesFrom({
  source: 'https://developers.coupangcorp.com/hc/en-us/articles/360033877853-Product-Creation',
  as_of: '2026-07-12',
  evidence: 'secondary',
});
const notice = rulesFrom({
  source: 'https://kuajing365.cn/8385.html',
  as_of: '2023-09-22',
  evidence: 'secondary',
});

export const coupang: Marketplace = {
  label: 'Coupang',
  canvas: square(1000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    api.required({ kind: 'aspect', width: 1, height: 1 }),
    api.required({ kind: 'shortest_side', min: 500, max: 5000 }),
    api.required({ kind: 'file_bytes', max: 3 * MB }),
    notice.recommended({ kind: 'background_white', shadow: 'tolerated' }),
    notice.recommended({ kind: 'product_fill', min: 0.8 }),
    notice.recommended({ kind: 'format', any_of: ['jpg', 'png'] }),
  ],
};
