import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const guide = rulesFrom({
  source:
    'https://marketplacelearn.walmart.com/guides/Item%20setup/Item%20content,%20imagery,%20and%20media/Product-detail-page:-Image-guidelines-&-requirements',
  as_of: '2025-07-15',
  evidence: 'official',
});

export const walmart: Marketplace = {
  label: 'Walmart',
  canvas: square(2200),
  fill: 0.85,
  format: 'jpg',
  rules: [
    guide.required({ kind: 'background_white', shadow: 'forbidden' }, { note: 'Seamless white, 255/255/255.' }),
    guide.required({ kind: 'aspect', width: 1, height: 1 }),
    guide.required({ kind: 'file_bytes', max: 5 * MB }),
    guide.required({ kind: 'format', any_of: ['jpg', 'png'] }, { note: 'Walmart takes BMP too.' }),
    guide.required({ kind: 'bit_depth' }),
    guide.recommended({ kind: 'shortest_side', min: 1500 }, { rule: 'zoom_side', note: 'Zoom works from here on.' }),
    guide.recommended({ kind: 'shortest_side', min: 2200 }, { rule: 'advised_side' }),
  ],
};
