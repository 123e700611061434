/** product_cropped: the product reaches the frame along a line, not at a point. */
import type { Finding } from '../../findings.ts';
import { boundingBox, longerSide } from '../box.ts';
import { frameOf } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, percent } from './finding.ts';
import { type Contact, frameContact, PRODUCT_MIN } from './frame-contact.ts';
import { type FrameSide, frameSides } from './frame-edge.ts';

/** Longest contact with the frame, as share of the product's longer side, from which it is cut off. docs/findings.md. */
const CONTACT_MIN = 0.07;
/** The same of a thin part, a leg or a strap, that is as wide behind the frame and has the product's colours. */
const THIN_CONTACT_MIN = 0.02;

type Cut = { readonly side: FrameSide; readonly share: number };

const cutsOf = ({ alpha, picture, cutBy }: Evidence): Cut[] => {
  const frame = cutBy ?? frameOf(alpha);
  const box = boundingBox(alpha, PRODUCT_MIN);
  if (!box) return [];
  const contact = frameContact(picture, alpha, frame);
  return frameSides.flatMap((side) => {
    const share = cutShare(contact[side], longerSide(box));
    return share === undefined ? [] : [{ side, share }];
  });
};

/** What the frame cuts, over the product's longer side; undefined where it cuts nothing. */
const cutShare = ({ whole, thin, beyond }: Contact, longer: number): number | undefined => {
  const samples = Math.max(whole, beyond);
  if (samples >= CONTACT_MIN * longer) return samples / longer;
  return thin >= THIN_CONTACT_MIN * longer ? thin / longer : undefined;
};

export const productCropped = (evidence: Evidence): Finding | undefined => {
  const cuts = cutsOf(evidence);
  if (cuts.length === 0) return undefined;
  const { photo, product, cutBy } = evidence;
  const told = cuts.map(({ side, share }) => `${side} (${percent(share)} of its longer side)`).join(', ');
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
