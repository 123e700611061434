/** The two measures that make up a matte's confidence: how far passes agree, and how decided the result is. */
import type { Gray } from './raster.ts';

/** Up to this value, 1/10, a sample counts as invisible. */
const INVISIBLE_MAX = 25;

/**
 * Mean certainty of the visible samples, 0..1: the mean of |2α − 1| where α is above 1/10; 0 where nothing is visible.
 */
export const certainty = ({ data }: Gray): number => {
  let sum = 0;
  let visible = 0;
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value <= INVISIBLE_MAX) continue;
    visible++;
    sum += Math.abs(2 * value - 255);
  }
  return visible === 0 ? 0 : sum / (255 * visible);
};

/** Intersection over union of two mattes binarised at one half, 0..1; 1 where both are empty. Same size. */
export const intersectionOverUnion = (a: Gray, b: Gray): number => {
  let intersection = 0;
  let union = 0;
  for (let i = 0; i < a.data.length; i++) {
    const inA = a.data[i]! > 127 ? 1 : 0;
    const inB = b.data[i]! > 127 ? 1 : 0;
    intersection += inA & inB;
    union += inA | inB;
  }
  return union === 0 ? 1 : intersection / union;
};
