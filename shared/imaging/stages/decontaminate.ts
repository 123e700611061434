/** Stage 4: the product's own colours along its edge, so that the old background does not bleed into the new one. */
import { estimateForeground } from '../foreground.ts';
import type { Refined } from './types.ts';

/** In place. A cut-out that came with the file keeps its colours. */
export const decontaminate = ({ cutout, colours }: Refined): void => {
  if (colours) estimateForeground(cutout.rgb, cutout.alpha, colours);
};
