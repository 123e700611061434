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

/** The model fades out at the very edge: so many px of the picture from it count as the frame. */
const FRAME_PX = 4;

/** Per side of the frame, samples along it with product next to it, over the longer side of the product's box. */
export const frameContact = (alpha: Gray): Record<Side, number> => {
  const { data, width, height } = alpha;
  const box = boundingBox(alpha, PRODUCT_MIN);
  if (!box) return { left: 0, right: 0, top: 0, bottom: 0 };
  const longer = Math.max(box.width, box.height);
  const share = (length: number, at: (i: number, depth: number) => number): number => {
    let touched = 0;
    for (let i = 0; i < length; i++)
      for (let depth = 0; depth < FRAME_PX; depth++) {
        if (data[at(i, depth)]! < PRODUCT_MIN) continue;
        touched++;
        break;
      }
    return touched / longer;
  };
  return {
    left: share(height, (y, depth) => y * width + depth),
    right: share(height, (y, depth) => (y + 1) * width - 1 - depth),
    top: share(width, (x, depth) => depth * width + x),
    bottom: share(width, (x, depth) => (height - 1 - depth) * width + x),
  };
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
