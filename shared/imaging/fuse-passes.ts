/** Fuses the mattes of several passes over one photo into one, once it is decided what is product. */
import { gaussianBlur } from './blur.ts';
import { applyTable, clamp, type Gray, levelsTable, type Size } from './raster.ts';

/**
 * The matte of one pass on the common grid, and its means over cells. `edgeWeight`: its say in where edges run; a coarse
 * pass blurs them.
 */
export type Pass = { readonly matte: Gray; readonly means: Float32Array; readonly edgeWeight: number };

/** The decision is made on cells of this many samples a side. */
const CELL = 4;
/** Standard deviation of the neighbourhood in which passes are compared with the decision, samples of the grid. */
const NEIGHBOURHOOD = 16;
/** Difference from the decision, 0..1, at which a pass's weight falls to 1/e. */
const TOLERANCE = 0.12;
/** The decision's own weight: where no pass agrees with it, it draws the matte itself, with the edges of cells. */
const DECISION_WEIGHT = 0.01;
/** The network's background is not quite 0 and its product not quite 255. */
const passLevels = levelsTable(8, 247);
/** Sharpens what averaging blurred. */
const fusedLevels = levelsTable(30, 225);

/** Stretches a pass's matte so that its background is 0 and its product 255, in place. */
export const normaliseMatte = (matte: Gray): Gray => {
  applyTable(matte.data, passLevels);
  return matte;
};

/** The grid of cells over a matte. */
export const cellGrid = ({ width, height }: Size): Size => ({
  width: Math.ceil(width / CELL),
  height: Math.ceil(height / CELL),
});

/** Means of a matte over the cells of its grid. */
export const cellMeans = (matte: Gray): Float32Array => {
  const { data, width, height } = matte;
  const grid = cellGrid(matte);
  const plane = new Float32Array(grid.width * grid.height);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * grid.width;
    for (let x = 0; x < width; x++, at++) plane[row + ((x / CELL) | 0)]! += data[at]!;
  }
  for (let y = 0, at = 0; y < grid.height; y++) {
    const rows = Math.min(CELL, height - y * CELL);
    for (let x = 0; x < grid.width; x++, at++) plane[at]! /= rows * Math.min(CELL, width - x * CELL);
  }
  return plane;
};

/**
 * Edges come from the passes that agree with the decision around them, fine passes first: a weighted mean, each weight
 * a Gaussian of the local difference. `decision`: alpha of each cell, 0..255. All mattes have the same size and went
 * through `normaliseMatte`.
 */
export const fusePasses = (passes: readonly Pass[], decision: Float32Array): Gray => {
  const { width, height } = passes[0]!.matte;
  const grid = cellGrid(passes[0]!.matte);
  const weights = passWeights(passes, decision, grid);
  const settled = settledCells(passes, decision, grid);
  const fused = { data: new Uint8Array(width * height), width, height };
  for (let row = 0; row < grid.height; row++) {
    for (let column = 0; column < grid.width; column++) {
      const cell = row * grid.width + column;
      const value = settled[cell]!;
      if (value === 0) continue;
      const [left, right] = [column * CELL, Math.min((column + 1) * CELL, width)];
      for (let y = row * CELL; y < Math.min((row + 1) * CELL, height); y++) {
        if (value > 0) fused.data.fill(value, y * width + left, y * width + right);
        else fuseSamples(fused, { passes, weights, decision, grid, cell }, y, left, right);
      }
    }
  }
  return fused;
};

type Fusing = {
  readonly passes: readonly Pass[];
  readonly weights: readonly Float32Array[];
  readonly decision: Float32Array;
  readonly grid: Size;
  readonly cell: number;
};

/** Samples `left` to `right` of row `y`, all of one cell. */
const fuseSamples = (
  { data, width }: Gray,
  { passes, weights, decision, grid, cell }: Fusing,
  y: number,
  left: number,
  right: number,
): void => {
  for (let x = left; x < right; x++) {
    let sum = DECISION_WEIGHT * interpolated(decision, grid, x, y);
    let total = DECISION_WEIGHT;
    for (let i = 0; i < passes.length; i++) {
      const weight = weights[i]![cell]!;
      sum += weight * passes[i]!.matte.data[y * width + x]!;
      total += weight;
    }
    data[y * width + x] = fusedLevels[(sum / total + 0.5) | 0]!;
  }
};

/** A cell about which nothing is left to decide: all passes and the decision around it say 0, or all 255. Else −1. */
const settledCells = (passes: readonly Pass[], decision: Float32Array, { width, height }: Size): Int16Array => {
  const settled = new Int16Array(width * height).fill(-1);
  for (let y = 0, cell = 0; y < height; y++) {
    for (let x = 0; x < width; x++, cell++) {
      const value = decision[cell]!;
      if (value !== 0 && value !== 255) continue;
      if (passes.some(({ means }) => means[cell] !== value)) continue;
      if (isSurrounded(decision, { width, height }, x, y)) settled[cell] = value;
    }
  }
  return settled;
};

/** Whether the decision is the same in the cells about one, from which its samples are interpolated. */
const isSurrounded = (decision: Float32Array, { width, height }: Size, x: number, y: number): boolean => {
  const value = decision[y * width + x];
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++)
      if (decision[row * width + column] !== value) return false;
  return true;
};

/** One plane of weights for each pass, a value a cell. */
const passWeights = (passes: readonly Pass[], decision: Float32Array, { width, height }: Size): Float32Array[] => {
  const blurred = (plane: Float32Array): Float32Array => {
    const copy = plane.slice();
    gaussianBlur(copy, width, height, NEIGHBOURHOOD / CELL, 2);
    return copy;
  };
  const wanted = blurred(decision);
  return passes.map(({ means, edgeWeight }) =>
    blurred(means).map((value, cell) => edgeWeight * Math.exp(-(((value - wanted[cell]!) / (TOLERANCE * 255)) ** 2))),
  );
};

/** A plane of cells at a sample of the matte. */
const interpolated = (plane: Float32Array, grid: Size, x: number, y: number): number => {
  const gy = clamp((y + 0.5) / CELL - 0.5, 0, grid.height - 1);
  const gx = clamp((x + 0.5) / CELL - 0.5, 0, grid.width - 1);
  const top = (gy | 0) * grid.width;
  const below = (gy | 0) + 1 < grid.height ? top + grid.width : top;
  const left = gx | 0;
  const right = Math.min(left + 1, grid.width - 1);
  const share = gy - (gy | 0);
  const at = (column: number): number =>
    Math.fround((1 - share) * plane[top + column]! + share * plane[below + column]!);
  return Math.fround(at(left) + (gx - left) * (at(right) - at(left)));
};
