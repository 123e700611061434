/** Several looks at one photo → one matte. */
import { gaussianBlur } from './blur.ts';
import { type Gray, applyTable, levelsTable } from './raster.ts';

/** A matte of one run on the common grid. `trust` weighs its edges: a coarse run's are blurred. */
export type Pass = { readonly matte: Gray; readonly trust: number };

/** The neighbourhood in which passes are compared, samples, and the difference at which a pass loses its say there. */
const NEIGHBOURHOOD = 8;
const TOLERANCE = 0.12;
/** The network's background is not quite 0 and its product not quite 255. */
const passLevels = levelsTable(8, 247);
/** Sharpens what averaging blurred. */
const fusedLevels = levelsTable(30, 225);

/**
 * What any pass sees is there (a coarse pass sees wholes, a fine one parts); how its edge runs is said by the passes that agree with
 * that around it, the finer ones first. All mattes have the same size; they are overwritten.
 */
export const fusePasses = (passes: readonly Pass[]): Gray => {
  const { width, height } = passes[0]!.matte;
  for (const { matte } of passes) applyTable(matte.data, passLevels);
  const first = passes[0]!.matte;
  if (passes.length === 1) return first;
  const decision = new Float32Array(width * height);
  for (const { matte } of passes) for (let i = 0; i < decision.length; i++) decision[i] = Math.max(decision[i]!, matte.data[i]! / 255);
  gaussianBlur(decision, width, height, NEIGHBOURHOOD, 2);
  const sum = new Float32Array(width * height);
  const weights = new Float32Array(width * height).fill(1e-6);
  for (const { matte, trust } of passes) {
    const around = Float32Array.from(matte.data, (value) => value / 255);
    gaussianBlur(around, width, height, NEIGHBOURHOOD, 2);
    for (let i = 0; i < sum.length; i++) {
      const apart = (around[i]! - decision[i]!) / TOLERANCE;
      const weight = trust * Math.exp(-apart * apart) + 1e-6;
      sum[i]! += weight * matte.data[i]!;
      weights[i]! += weight;
    }
  }
  const data = new Uint8Array(width * height);
  for (let i = 0; i < data.length; i++) data[i] = fusedLevels[Math.round(sum[i]! / weights[i]!)]!;
  return { data, width, height };
};
