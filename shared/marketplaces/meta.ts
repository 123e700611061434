import { type Marketplace, rulesFrom, square } from './rule.ts';

const cited = rulesFrom({
  source: 'https://productfeedspec.com/platforms/meta-catalog',
  as_of: '2026-11-22',
  evidence: 'secondary',
});
const copies = rulesFrom({
  source: 'https://brandee.edu.vn/glossary/481150918755515-facebook-en',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const meta: Marketplace = {
  label: 'Meta',
  canvas: square(1080),
  fill: 0.85,
  format: 'jpg',
  rules: [
    cited.recommended({ kind: 'shortest_side', min: 500 }),
    cited.recommended({ kind: 'aspect', width: 1, height: 1 }),
    copies.recommended({ kind: 'shortest_side', min: 1024 }, { rule: 'advised_side' }),
    copies.recommended({ kind: 'background_white', shadow: 'tolerated' }),
  ],
};
