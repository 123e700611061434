/**
 * What a plain backdrop tells: a smooth colour field is fitted to what the passes agree is background, and every cell
 * is measured against it and its noise. Where no smooth field explains the background, there is no plain backdrop.
 */

/** Colour means on a grid of cells, 0..255, row-major. */
export type ColourGrid = {
  readonly r: Float32Array;
  readonly g: Float32Array;
  readonly b: Float32Array;
  readonly width: number;
  readonly height: number;
};

/** Per cell, in levels of 255. */
export type Backdrop = {
  /** Length of the colour difference from the backdrop. */
  readonly distance: Float32Array;
  /** Difference in brightness: below 0 the cell is darker, as in a shadow. */
  readonly light: Float32Array;
  /** Difference in colour once brightness is divided out: a shadow has none. */
  readonly chroma: Float32Array;
  /** Standard deviation of background cells around the field. */
  readonly noise: number;
};

/** Quadratic terms of the field: 1, x, y, x², xy, y². */
const TERMS = 6;
const RIDGE = 1e-3;
/** Residual at which a cell loses half of its say, level by level: a shadow or a prop must not bend the field. */
const TOLERANCES = [40, 16, 8, 5, 5] as const;
/** A calm backdrop tolerates less: this many times its median residual, and at least so many levels. */
const TOLERANCE_NOISE = 5;
const TOLERANCE_MIN = 1.5;
/** Fewer background cells than this share of the grid say too little. */
const BACKGROUND_SHARE_MIN = 0.04;
/** A background this far from any smooth field is a scene. Levels. */
const NOISE_MAX = 8;
/** Standard deviation of normal noise per median of its size. */
const NOISE_PER_MEDIAN = 1.4826;
/** Least noise assumed: rounding and compression, levels. */
const NOISE_MIN = 0.4;

/** Mean colours of a grid of `width` × `height` cells over an interleaved picture. */
export const colourGrid = (
  picture: { readonly data: Uint8Array; readonly width: number; readonly height: number },
  width: number,
  height: number,
): ColourGrid => {
  const plane = (): Float32Array => new Float32Array(width * height);
  const [r, g, b, count] = [plane(), plane(), plane(), plane()];
  const column = Int32Array.from({ length: picture.width }, (_, x) => Math.floor((x * width) / picture.width));
  for (let y = 0, at = 0; y < picture.height; y++) {
    const row = Math.floor((y * height) / picture.height) * width;
    for (let x = 0; x < picture.width; x++, at += 3) {
      const cell = row + column[x]!;
      r[cell]! += picture.data[at]!;
      g[cell]! += picture.data[at + 1]!;
      b[cell]! += picture.data[at + 2]!;
      count[cell]!++;
    }
  }
  for (const sums of [r, g, b]) for (let i = 0; i < sums.length; i++) sums[i]! /= Math.max(1, count[i]!);
  return { r, g, b, width, height };
};

/** `isBackground`: 1 for the cells that every pass calls background. Undefined where there is no plain backdrop. */
export const measureBackdrop = (colours: ColourGrid, isBackground: Uint8Array): Backdrop | undefined => {
  const { width, height } = colours;
  const cells: number[] = [];
  // Every second cell in both directions is enough for six terms.
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) if (isBackground[y * width + x]) cells.push(y * width + x);
  if (cells.length * 4 < BACKGROUND_SHARE_MIN * width * height) return undefined;
  const fields = fitFields(colours, cells);
  const noise = NOISE_PER_MEDIAN * median(residuals(colours, fields, cells, rootMeanSquare));
  if (noise > NOISE_MAX) return undefined;
  return { ...differences(colours, fields), noise: Math.max(NOISE_MIN, noise) };
};

type Fields = readonly [Float64Array, Float64Array, Float64Array];

const differences = (colours: ColourGrid, fields: Fields) => {
  const size = colours.width * colours.height;
  const [distance, light, chroma] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  const terms = new Float64Array(TERMS);
  for (let cell = 0; cell < size; cell++) {
    basis(cell, colours, terms);
    const [kr, kg, kb] = [dot(fields[0], terms), dot(fields[1], terms), dot(fields[2], terms)];
    const [r, g, b] = [colours.r[cell]!, colours.g[cell]!, colours.b[cell]!];
    distance[cell] = Math.hypot(r - kr, g - kg, b - kb);
    light[cell] = (r + g + b - kr - kg - kb) / 3;
    // The backdrop under less or more light: what is left is a difference of colour.
    const scale = (r * kr + g * kg + b * kb) / Math.max(1, kr * kr + kg * kg + kb * kb);
    chroma[cell] = Math.hypot(r - scale * kr, g - scale * kg, b - scale * kb);
  }
  return { distance, light, chroma };
};

/** Iteratively reweighted least squares; a cell has the same weight in all three channels. */
const fitFields = (colours: ColourGrid, cells: readonly number[]): Fields => {
  let weights = new Float64Array(cells.length).fill(1);
  let fields = solveFields(colours, cells, weights);
  for (const limit of TOLERANCES) {
    const off = residuals(colours, fields, cells, largest);
    const tolerance = Math.min(limit, Math.max(TOLERANCE_MIN, TOLERANCE_NOISE * median(off)));
    weights = off.map((value) => 1 / (1 + (value / tolerance) ** 2) ** 2);
    fields = solveFields(colours, cells, weights);
  }
  return fields;
};

type Size3 = (r: number, g: number, b: number) => number;
const largest: Size3 = (r, g, b) => Math.max(Math.abs(r), Math.abs(g), Math.abs(b));
const rootMeanSquare: Size3 = (r, g, b) => Math.sqrt((r * r + g * g + b * b) / 3);

/** Of each cell, the size of its difference from the field, levels. */
const residuals = (colours: ColourGrid, fields: Fields, cells: readonly number[], size: Size3): Float64Array => {
  const terms = new Float64Array(TERMS);
  return Float64Array.from(cells, (cell) => {
    basis(cell, colours, terms);
    return size(
      colours.r[cell]! - dot(fields[0], terms),
      colours.g[cell]! - dot(fields[1], terms),
      colours.b[cell]! - dot(fields[2], terms),
    );
  });
};

const basis = (
  cell: number,
  { width, height }: { width: number; height: number },
  into: Float64Array,
): Float64Array => {
  const x = (2 * ((cell % width) + 0.5)) / width - 1;
  const y = (2 * (Math.floor(cell / width) + 0.5)) / height - 1;
  into[0] = 1;
  into[1] = x;
  into[2] = y;
  into[3] = x * x;
  into[4] = x * y;
  into[5] = y * y;
  return into;
};

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < TERMS; i++) sum += a[i]! * b[i]!;
  return sum;
};

const solveFields = (colours: ColourGrid, cells: readonly number[], weights: Float64Array): Fields => {
  const normal = new Float64Array(TERMS * TERMS);
  const right = [0, 1, 2].map(() => new Float64Array(TERMS));
  const terms = new Float64Array(TERMS);
  for (let k = 0; k < cells.length; k++) {
    const cell = cells[k]!;
    const weight = weights[k]!;
    basis(cell, colours, terms);
    for (let i = 0; i < TERMS; i++) {
      const weighted = weight * terms[i]!;
      for (let j = 0; j < TERMS; j++) normal[i * TERMS + j]! += weighted * terms[j]!;
      right[0]![i]! += weighted * colours.r[cell]!;
      right[1]![i]! += weighted * colours.g[cell]!;
      right[2]![i]! += weighted * colours.b[cell]!;
    }
  }
  // A little ridge keeps slope and curvature finite where the background is a strip.
  for (let i = 1; i < TERMS; i++) normal[i * TERMS + i]! += RIDGE * (1 + normal[0]!);
  return right.map((of) => solve(normal.slice(), of)) as unknown as Fields;
};

/** Gaussian elimination of a symmetric positive definite system; both arguments are overwritten. */
const solve = (matrix: Float64Array, right: Float64Array): Float64Array => {
  for (let k = 0; k < TERMS; k++) {
    for (let i = k + 1; i < TERMS; i++) {
      const factor = matrix[i * TERMS + k]! / matrix[k * TERMS + k]!;
      for (let j = k; j < TERMS; j++) matrix[i * TERMS + j]! -= factor * matrix[k * TERMS + j]!;
      right[i]! -= factor * right[k]!;
    }
  }
  for (let i = TERMS - 1; i >= 0; i--) {
    for (let j = i + 1; j < TERMS; j++) right[i]! -= matrix[i * TERMS + j]! * right[j]!;
    right[i]! /= matrix[i * TERMS + i]!;
  }
  return right;
};

const median = (values: ArrayLike<number>): number => Float64Array.from(values).sort()[values.length >> 1]!;
