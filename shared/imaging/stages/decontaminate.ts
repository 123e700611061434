/** Stage 4: the product's own colours along its edge, so that nothing of the old background bleeds into the new one. */
import { estimateForeground } from '../foreground.ts';
import type { Refined } from './types.ts';

/** Works in place. A cut-out that came with the file keeps its colours. */
export const decontaminate = ({ cutout, colours }: Refined): void => {
  if (colours) estimateForeground(cutout.rgb, cutout.alpha, colours);
};
