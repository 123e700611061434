/** product_cropped: the product reaches the frame along a line, not at a point. */
import type { Finding } from '../../findings.ts';
import { boundingBox } from '../box.ts';
import { cropGray, type Gray } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, percent } from './finding.ts';

/** Alpha from which a sample is product. */
const PRODUCT_MIN = 128;
/** Longest contact with the frame, as share of the product's longer side, from which it is cut off. docs/findings.md. */
const CONTACT_MIN = 0.07;

const sides = ['left', 'right', 'top', 'bottom'] as const;
type Side = (typeof sides)[number];

/** The model fades out at the very edge: this share of the picture's longer side counts as the frame. */
const FRAME_SHARE = 0.005;

/** Per side of the frame, the longest run of product along it, over the longer side of the product's box. */
const frameContact = (alpha: Gray): Record<Side, number> => {
  const { data, width, height } = alpha;
  const box = boundingBox(alpha, PRODUCT_MIN);
  if (!box) return { left: 0, right: 0, top: 0, bottom: 0 };
  const longer = Math.max(box.width, box.height);
  const frame = Math.max(1, Math.round(FRAME_SHARE * Math.max(width, height)));
  const share = (length: number, at: (i: number, depth: number) => number): number => {
    let longest = 0;
    for (let i = 0, run = 0; i < length; i++) {
      let peak = 0;
      for (let depth = 0; depth < frame; depth++) peak = Math.max(peak, data[at(i, depth)]!);
      run = peak >= PRODUCT_MIN ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest / longer;
  };
  return {
    left: share(height, (y, depth) => y * width + depth),
    right: share(height, (y, depth) => (y + 1) * width - 1 - depth),
    top: share(width, (x, depth) => depth * width + x),
    bottom: share(width, (x, depth) => (height - 1 - depth) * width + x),
  };
};

export const productCropped = ({ alpha, photo, product, cutBy }: Evidence): Finding | undefined => {
  const contact = frameContact(cutBy ? cropGray(alpha, cutBy) : alpha);
  const cut = sides.filter((side) => contact[side] >= CONTACT_MIN);
  if (cut.length === 0) return undefined;
  const told = cut.map((side) => `${side} (${percent(contact[side])} of its longer side)`).join(', ');
  return findingOf(
    'product_cropped',
    {
      detail: `The ${cutBy ? 'region' : 'frame'} cuts the product at the ${told}`,
      remedy: cutBy
        ? 'Draw the region around the whole product.'
        : 'Take the photo again with free space all round the product.',
      box: product,
    },
    photo,
  );
};
