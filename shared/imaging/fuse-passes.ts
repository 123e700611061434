/** Fuses the mattes of several passes over one photo into one. */
import { gaussianBlur } from './blur.ts';
import { applyTable, type Gray, levelsTable } from './raster.ts';

/** The matte of one pass on the common grid. `edgeWeight`: its say in where edges run; a coarse pass blurs them. */
export type Pass = { readonly matte: Gray; readonly edgeWeight: number };

/** Standard deviation of the neighbourhood in which passes are compared, samples of the grid. */
const NEIGHBOURHOOD = 16;
/** Difference from the maximum, 0..1, at which a pass's weight falls to 1/e. */
const TOLERANCE = 0.12;
/** The comparison is smooth, so it is made on a grid this many times coarser. */
const DOWNSAMPLING = 4;
/** The network's background is not quite 0 and its product not quite 255. */
const passLevels = levelsTable(8, 247);
/** Sharpens what averaging blurred. */
const fusedLevels = levelsTable(30, 225);

/** Stretches a pass's matte so that its background is 0 and its product 255, in place. */
export const normaliseMatte = (matte: Gray): Gray => {
  applyTable(matte.data, passLevels);
  return matte;
};

/**
 * What any pass sees is product: coarse passes see whole objects where fine ones see parts, and missing parts are the
 * commonest error. Edges come from the passes that agree with the maximum around them, fine passes first: a weighted
 * mean, each weight a Gaussian of the local difference. All mattes have the same size and went through
 * `normaliseMatte`.
 */
export const fusePasses = (passes: readonly Pass[]): Gray => {
  const { width, height, data: first } = passes[0]!.matte;
  if (passes.length === 1) return passes[0]!.matte;
  const gridWidth = Math.ceil(width / DOWNSAMPLING);
  const gridHeight = Math.ceil(height / DOWNSAMPLING);
  const weights = passWeights(passes, gridWidth, gridHeight);
  const data = new Uint8Array(first.length);
  const total = new Float32Array(gridWidth);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / DOWNSAMPLING) * gridWidth;
    for (let x = 0; x < gridWidth; x++) total[x] = 1 / weights.reduce((sum, plane) => sum + plane[row + x]!, 0);
    for (let x = 0; x < width; x++, at++) {
      const cell = (x / DOWNSAMPLING) | 0;
      let sum = 0;
      for (let i = 0; i < passes.length; i++) sum += weights[i]![row + cell]! * passes[i]!.matte.data[at]!;
      data[at] = fusedLevels[(sum * total[cell]! + 0.5) | 0]!;
    }
  }
  return { data, width, height };
};

/** One plane of weights for each pass, on the coarse grid; never 0. */
const passWeights = (passes: readonly Pass[], gridWidth: number, gridHeight: number): Float32Array[] => {
  const local = passes.map(({ matte }) => downsample(matte, gridWidth, gridHeight));
  const decision = maximum(local);
  for (const plane of [...local, decision]) gaussianBlur(plane, gridWidth, gridHeight, NEIGHBOURHOOD / DOWNSAMPLING, 2);
  return passes.map(({ edgeWeight }, i) =>
    local[i]!.map((value, at) => edgeWeight * Math.exp(-(((value - decision[at]!) / (TOLERANCE * 255)) ** 2)) + 1e-6),
  );
};

/** Means of DOWNSAMPLING × DOWNSAMPLING samples. */
const downsample = ({ data, width, height }: Gray, gridWidth: number, gridHeight: number): Float32Array => {
  const plane = new Float32Array(gridWidth * gridHeight);
  const share = 1 / (DOWNSAMPLING * DOWNSAMPLING);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / DOWNSAMPLING) * gridWidth;
    for (let x = 0; x < width; x++, at++) plane[row + ((x / DOWNSAMPLING) | 0)]! += data[at]! * share;
  }
  return plane;
};

/** Pixelwise maximum. */
const maximum = (planes: readonly Float32Array[]): Float32Array => {
  const most = planes[0]!.slice();
  for (const plane of planes) for (let i = 0; i < most.length; i++) if (plane[i]! > most[i]!) most[i] = plane[i]!;
  return most;
};
