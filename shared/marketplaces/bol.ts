import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

/** bol.com's guide as Channable's help cites it to sellers. */
const cited = rulesFrom({
  source:
    'https://helpcenter.channable.com/list-advertise/bol/list-items-on-bol/how-to-select-image-views-and-assets-for-bol-in-channable',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const bol: Marketplace = {
  label: 'bol',
  canvas: square(2000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    cited.required({ kind: 'background_white', shadow: 'forbidden' }),
    cited.required(
      { kind: 'product_side', min: 500, max: 6000 },
      { note: 'White around the product does not count; measured on the longer side of its box.' },
    ),
    cited.required({ kind: 'file_bytes', min: 30_000, max: 10 * MB }),
    cited.recommended({ kind: 'format', any_of: ['jpg', 'png'] }),
  ],
};
