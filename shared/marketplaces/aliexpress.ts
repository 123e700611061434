import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const cited = rulesFrom({
  source: 'https://open.alitrip.com/docs/api.htm?apiId=30197&scopeId=12781',
  as_of: '2026-07-12',
  evidence: 'secondary',
});

export const aliexpress: Marketplace = {
  label: 'AliExpress',
  canvas: square(800),
  fill: 0.85,
  format: 'jpg',
  rules: [
    cited.required({ kind: 'file_bytes', max: 5 * MB }),
    cited.recommended({ kind: 'shortest_side', min: 800 }, { rule: 'advised_side' }),
    cited.recommended({ kind: 'product_fill', min: 0.7 }),
    cited.recommended({ kind: 'background_white', shadow: 'tolerated' }, { note: 'White or of one colour.' }),
  ],
};
