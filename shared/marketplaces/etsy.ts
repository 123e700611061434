import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

/** Cited by others; the page itself could not be read, so nothing of it is called required. */
const help = rulesFrom({
  source:
    'https://help.etsy.com/hc/en-gb/articles/115015663347-Requirements-and-Best-Practices-for-Images-in-Your-Etsy-Shop',
  as_of: '2026-07-12',
  evidence: 'secondary',
});
const copies = rulesFrom({
  source: 'https://hauld.app/blog/etsy-listing-photo-checklist',
  as_of: '2026-05-26',
  evidence: 'secondary',
});

export const etsy: Marketplace = {
  label: 'Etsy',
  canvas: square(2000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    help.recommended({ kind: 'shortest_side', min: 2000 }, { rule: 'advised_side' }),
    copies.recommended({ kind: 'file_bytes', max: 10 * MB }),
    copies.recommended({ kind: 'format', any_of: ['jpg', 'png'] }),
  ],
};
