/** Box blurs of float planes, in place, by running sums; three in a row are within 3 % of a Gaussian (Wells 1986). */

/**
 * One box blur of 2·radius + 1 samples in each direction; the border repeats. `scratch` holds max(width, height)
 * floats.
 */
const boxBlur = (plane: Float32Array, width: number, height: number, radius: number, scratch: Float32Array): void => {
  for (let y = 0; y < height; y++) blurLine(plane, y * width, 1, width, radius, scratch);
  blurColumns(plane, width, height, radius);
};

const blurLine = (
  plane: Float32Array,
  start: number,
  step: number,
  length: number,
  radius: number,
  scratch: Float32Array,
): void => {
  const inverse = 1 / (2 * radius + 1);
  for (let i = 0; i < length; i++) scratch[i] = plane[start + i * step]!;
  const last = length - 1;
  let sum = scratch[0]! * (radius + 1);
  for (let i = 1; i <= radius; i++) sum += scratch[Math.min(i, last)]!;
  for (let i = 0; i < length; i++) {
    plane[start + i * step] = sum * inverse;
    sum += scratch[Math.min(i + radius + 1, last)]! - scratch[Math.max(i - radius, 0)]!;
  }
};

/** All columns at once, so that memory is read row by row. */
const blurColumns = (plane: Float32Array, width: number, height: number, radius: number): void => {
  const inverse = 1 / (2 * radius + 1);
  const source = plane.slice();
  const sum = new Float32Array(width);
  const row = (y: number): number => (y < 0 ? 0 : y >= height ? height - 1 : y) * width;
  for (let y = -radius; y <= radius; y++) for (let x = 0, at = row(y); x < width; x++) sum[x]! += source[at + x]!;
  for (let y = 0; y < height; y++) {
    const out = y * width;
    const enters = row(y + radius + 1);
    const leaves = row(y - radius);
    for (let x = 0; x < width; x++) {
      const value = sum[x]!;
      plane[out + x] = value * inverse;
      sum[x] = value + source[enters + x]! - source[leaves + x]!;
    }
  }
};

/** Approximate Gaussian of standard deviation `sigma` samples, in place. */
export const gaussianBlur = (
  plane: Float32Array,
  width: number,
  height: number,
  sigma: number,
  passes: 2 | 3 = 3,
): void => {
  // A box of radius r has variance r(r + 1)/3; `passes` of them add up.
  const radius = Math.max(1, Math.round((Math.sqrt(1 + (12 * sigma * sigma) / passes) - 1) / 2));
  const scratch = new Float32Array(Math.max(width, height));
  for (let pass = 0; pass < passes; pass++) boxBlur(plane, width, height, radius, scratch);
};
