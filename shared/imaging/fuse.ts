/** Several looks at one photo → one matte. */
import { gaussianBlur } from './blur.ts';
import { applyTable, type Gray, levelsTable } from './raster.ts';

/** A matte of one run on the common grid. `trust` weighs its edges: a coarse run's are blurred. */
export type Pass = { readonly matte: Gray; readonly trust: number };

/**
 * The neighbourhood in which passes are compared, samples of the grid, and the difference at which a pass loses its say
 * there.
 */
const NEIGHBOURHOOD = 16;
const TOLERANCE = 0.12;
/** The comparison is smooth, so it is made at this fraction of the grid. */
const REDUCTION = 4;
/** The network's background is not quite 0 and its product not quite 255. */
const passLevels = levelsTable(8, 247);
/** Sharpens what averaging blurred. */
const fusedLevels = levelsTable(30, 225);

/** Makes the network's background 0 and its product 255, in place. */
export const level = (matte: Gray): Gray => {
  applyTable(matte.data, passLevels);
  return matte;
};

/**
 * What any pass sees is product: a coarse pass sees wholes where a fine one sees parts, and parts left out are the
 * commonest
 * error. How the edge runs is said by the passes that agree with that around it, the finer ones first. All mattes have
 * the same size and went
 * through `level`.
 */
export const fusePasses = (passes: readonly Pass[]): Gray => {
  const { width, height, data: first } = passes[0]!.matte;
  if (passes.length === 1) return passes[0]!.matte;
  const gridWidth = Math.ceil(width / REDUCTION);
  const gridHeight = Math.ceil(height / REDUCTION);
  const around = passes.map(({ matte }) => reduced(matte, gridWidth, gridHeight));
  const votes = largest(around);
  for (const plane of [...around, votes]) gaussianBlur(plane, gridWidth, gridHeight, NEIGHBOURHOOD / REDUCTION, 2);
  const weights = passes.map(({ trust }, i) =>
    around[i]!.map((value, at) => trust * Math.exp(-(((value - votes[at]!) / (TOLERANCE * 255)) ** 2)) + 1e-6),
  );
  const data = new Uint8Array(first.length);
  const total = new Float32Array(gridWidth);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / REDUCTION) * gridWidth;
    for (let x = 0; x < gridWidth; x++) total[x] = 1 / weights.reduce((sum, plane) => sum + plane[row + x]!, 0);
    for (let x = 0; x < width; x++, at++) {
      const cell = (x / REDUCTION) | 0;
      let sum = 0;
      for (let i = 0; i < passes.length; i++) sum += weights[i]![row + cell]! * passes[i]!.matte.data[at]!;
      data[at] = fusedLevels[(sum * total[cell]! + 0.5) | 0]!;
    }
  }
  return { data, width, height };
};

/** Means of REDUCTION × REDUCTION samples. */
const reduced = ({ data, width, height }: Gray, gridWidth: number, gridHeight: number): Float32Array => {
  const plane = new Float32Array(gridWidth * gridHeight);
  const share = 1 / (REDUCTION * REDUCTION);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / REDUCTION) * gridWidth;
    for (let x = 0; x < width; x++, at++) plane[row + ((x / REDUCTION) | 0)]! += data[at]! * share;
  }
  return plane;
};

const largest = (planes: readonly Float32Array[]): Float32Array => {
  const most = planes[0]!.slice();
  for (const plane of planes) for (let i = 0; i < most.length; i++) if (plane[i]! > most[i]!) most[i] = plane[i]!;
  return most;
};

/** How far two mattes agree on what is product: intersection ÷ union at one half; 1 where both are empty. Same size. */
export const agreement = (a: Gray, b: Gray): number => {
  let both = 0;
  let either = 0;
  for (let i = 0; i < a.data.length; i++) {
    const inA = a.data[i]! > 127 ? 1 : 0;
    const inB = b.data[i]! > 127 ? 1 : 0;
    both += inA & inB;
    either += inA | inB;
  }
  return either === 0 ? 1 : both / either;
};
