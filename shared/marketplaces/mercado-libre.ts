import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const guide = rulesFrom({
  source: 'https://developers.mercadolibre.com.ar/en_us/working-with-pictures',
  as_of: '2024-02-02',
  evidence: 'official',
});

export const mercadoLibre: Marketplace = {
  label: 'Mercado Libre',
  canvas: square(1200),
  fill: 0.95,
  format: 'jpg',
  rules: [
    guide.required({ kind: 'shortest_side', min: 500 }),
    guide.required({ kind: 'file_bytes', max: 10 * MB }),
    guide.required({ kind: 'format', any_of: ['jpg', 'png'] }),
    guide.recommended(
      { kind: 'product_fill', min: 0.945 },
      { note: 'It writes 95 %; half a percent is the tolerance of the measurement.' },
    ),
    guide.recommended({ kind: 'longest_side', max: 1920 }, { note: 'Larger ones are reduced.' }),
    guide.recommended({ kind: 'shortest_side', min: 1200 }, { rule: 'advised_side' }),
  ],
};
