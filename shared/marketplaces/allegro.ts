import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const cited = rulesFrom({
  source: 'https://help.allegro.com/en/sell//c/rules-for-images',
  as_of: '2026-07-12',
  evidence: 'secondary',
});

export const allegro: Marketplace = {
  label: 'Allegro',
  canvas: square(2048),
  fill: 0.85,
  format: 'jpg',
  rules: [
    cited.required({ kind: 'longest_side', min: 500 }),
    cited.required({ kind: 'pixels', max: 26 * MB }),
    cited.recommended({ kind: 'longest_side', max: 2560 }, { rule: 'advised_side', note: 'Shown at most so large.' }),
    cited.recommended({ kind: 'background_white', shadow: 'tolerated' }),
  ],
};
