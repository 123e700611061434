import { type Marketplace, MB, rulesFrom } from './rule.ts';

const guide = rulesFrom({
  source: 'https://partner.zalando.com/university/article/visual-content-and-post-production-guide',
  as_of: '2026-11-22',
  evidence: 'official',
});

export const zalando: Marketplace = {
  label: 'Zalando',
  canvas: { width: 1801, height: 2600 },
  fill: 0.85,
  format: 'jpg',
  rules: [
    guide.required({ kind: 'background_white', shadow: 'forbidden' }, { note: 'Of the first packshot.' }),
    guide.required({ kind: 'aspect', width: 1, height: 1.44 }),
    guide.required({ kind: 'size', min_width: 762, min_height: 1100 }),
    guide.required({ kind: 'file_bytes', max: 20 * MB }),
    guide.required({ kind: 'format', any_of: ['jpg'] }),
    guide.recommended({ kind: 'longest_side', min: 2600 }, { rule: 'advised_side', note: 'Best at 1801 × 2600.' }),
  ],
};
