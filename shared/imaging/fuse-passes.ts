/** Fuses the mattes of several passes over one photo into one, once it is decided what is product. */
import { gaussianBlur } from './blur.ts';
import { applyTable, clamp, type Gray, levelsTable, type Size } from './raster.ts';

/** The matte of one pass on the common grid. `edgeWeight`: its say in where edges run; a coarse pass blurs them. */
export type Pass = { readonly matte: Gray; readonly edgeWeight: number };

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
  const own = cellRows(decision, grid, width);
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * grid.width;
    const drawn = own(y);
    for (let x = 0; x < width; x++, at++) {
      const cell = row + ((x / CELL) | 0);
      let sum = DECISION_WEIGHT * drawn[x]!;
      let total = DECISION_WEIGHT;
      for (let i = 0; i < passes.length; i++) {
        const weight = weights[i]![cell]!;
        sum += weight * passes[i]!.matte.data[at]!;
        total += weight;
      }
      data[at] = fusedLevels[(sum / total + 0.5) | 0]!;
    }
  }
  return { data, width, height };
};

/** One plane of weights for each pass, a value a cell. */
const passWeights = (passes: readonly Pass[], decision: Float32Array, { width, height }: Size): Float32Array[] => {
  const blurred = (plane: Float32Array): Float32Array => {
    gaussianBlur(plane, width, height, NEIGHBOURHOOD / CELL, 2);
    return plane;
  };
  const wanted = blurred(decision.slice());
  return passes.map(({ matte, edgeWeight }) =>
    blurred(cellMeans(matte)).map(
      (value, cell) => edgeWeight * Math.exp(-(((value - wanted[cell]!) / (TOLERANCE * 255)) ** 2)),
    ),
  );
};

/** Rows of a plane of cells, interpolated for every sample; each call overwrites the row of the last. */
const cellRows = (plane: Float32Array, grid: Size, width: number): ((y: number) => Float32Array) => {
  const blended = new Float32Array(grid.width);
  const row = new Float32Array(width);
  return (y) => {
    const gy = clamp((y + 0.5) / CELL - 0.5, 0, grid.height - 1);
    const top = (gy | 0) * grid.width;
    const below = (gy | 0) + 1 < grid.height ? top + grid.width : top;
    const share = gy - (gy | 0);
    for (let x = 0; x < grid.width; x++) blended[x] = (1 - share) * plane[top + x]! + share * plane[below + x]!;
    for (let x = 0; x < width; x++) {
      const gx = clamp((x + 0.5) / CELL - 0.5, 0, grid.width - 1);
      const left = gx | 0;
      const right = Math.min(left + 1, grid.width - 1);
      row[x] = blended[left]! + (gx - left) * (blended[right]! - blended[left]!);
    }
    return row;
  };
};
