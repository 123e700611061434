/** How much of a matte is decided. */
import type { Gray } from './raster.ts';

/**
 * Share of the visible samples that are decided, 0..1: the mean of |2α − 1| where α is above 1/10; 0 where nothing is
 * visible.
 */
export const certainty = ({ data }: Gray): number => {
  let decided = 0;
  let visible = 0;
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value <= 25) continue;
    visible++;
    decided += Math.abs(2 * value - 255);
  }
  return visible === 0 ? 0 : decided / (255 * visible);
};
