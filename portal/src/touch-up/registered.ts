/** Where an edited matte has the product, so that photo and result lie over each other. Pure. */
import { frameOf, type Gray, type Size } from '../../../shared/imaging/raster.ts';
import { coarseProductBox } from '../../../shared/imaging/stages/refine.ts';
import type { Registered } from '../components/registration.ts';

/** `plane`: over all of the photo. Undefined where it keeps nothing. */
export const registeredOf = (plane: Gray, photo: Size): Registered | undefined => {
  const productInPhoto = coarseProductBox({ plane, region: frameOf(photo), confidence: 1 });
  return productInPhoto && { photo, productInPhoto };
};
