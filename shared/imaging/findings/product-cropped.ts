/** product_cropped: the product reaches the frame along a line, not at a point. */
import type { Finding } from '../../findings.ts';
import { boundingBox } from '../box.ts';
import type { Gray } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, percent } from './finding.ts';

/** Alpha from which a sample is product. */
const PRODUCT_MIN = 128;
/** Contact with the frame, as share of the product's longer side, from which it is cut off. docs/findings.md. */
export const CONTACT_MIN = 0.04;

const sides = ['left', 'right', 'top', 'bottom'] as const;
export type Side = (typeof sides)[number];

/** Per side of the frame, samples of product on it, over the longer side of the product's box. */
export const frameContact = (alpha: Gray): Record<Side, number> => {
  const { data, width, height } = alpha;
  const box = boundingBox(alpha, PRODUCT_MIN);
  const contact = { left: 0, right: 0, top: 0, bottom: 0 };
  if (!box) return contact;
  const unit = 1 / Math.max(box.width, box.height);
  for (let x = 0; x < width; x++) {
    if (data[x]! >= PRODUCT_MIN) contact.top += unit;
    if (data[(height - 1) * width + x]! >= PRODUCT_MIN) contact.bottom += unit;
  }
  for (let y = 0; y < height; y++) {
    if (data[y * width]! >= PRODUCT_MIN) contact.left += unit;
    if (data[(y + 1) * width - 1]! >= PRODUCT_MIN) contact.right += unit;
  }
  return contact;
};

export const productCropped = ({ alpha, photo, product }: Evidence): Finding | undefined => {
  const contact = frameContact(alpha);
  const cut = sides.filter((side) => contact[side] >= CONTACT_MIN);
  if (cut.length === 0) return undefined;
  const told = cut.map((side) => `${side} (${percent(contact[side])} of its longer side)`).join(', ');
  return findingOf(
    'product_cropped',
    {
      detail: `The frame cuts the product at the ${told}`,
      remedy: 'Take the photo again with free space all round the product.',
      box: product,
    },
    photo,
  );
};
