import { type Marketplace, rulesFrom, square } from './rule.ts';

const guide = rulesFrom({
  source: 'https://sellercentral.amazon.com/help/hub/reference/G9FUUH87RBNXGKB7',
  as_of: '2026-11-01',
  evidence: 'official',
});
const dimensions = rulesFrom({
  source: 'https://sellercentral.amazon.com/help/hub/reference/GLZCW6ZLJBDYS922',
  as_of: '2026-11-22',
  evidence: 'official',
});
const background = rulesFrom({
  source: 'https://sellercentral.amazon.com/help/hub/reference/G75PWC4THA8J269P',
  as_of: '2026-11-01',
  evidence: 'official',
});
/** The 85 % is in every copy of the guide; the guide itself could not be read there. */
const copies = rulesFrom({
  source: 'https://sellercentral.amazon.com/help/hub/reference/G1881',
  as_of: '2026-11-22',
  evidence: 'secondary',
});

export const amazon: Marketplace = {
  label: 'Amazon',
  canvas: square(2000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    background.required(
      { kind: 'background_white', shadow: 'tolerated' },
      { note: 'Pure white; a minimal shadow of the product is tolerated, one at the frame is not.' },
    ),
    copies.required(
      { kind: 'product_fill', min: 0.845 },
      { note: 'Amazon writes 85 %, as a floor; half a percent is the tolerance of the measurement.' },
    ),
    dimensions.required({ kind: 'longest_side', min: 500, max: 10_000 }),
    dimensions.recommended(
      { kind: 'longest_side', min: 1000 },
      { rule: 'zoom_side', note: 'Zoom works from here on.' },
    ),
    guide.required({ kind: 'format', any_of: ['jpg', 'png'] }, { note: 'Amazon takes TIFF and still GIF too.' }),
  ],
};
