/** Resampling of mattes with a sub-pixel source window. */
import type { Box, Gray, Size } from './raster.ts';

type Taps = { readonly first: Int32Array; readonly weights: Float32Array; readonly count: number };

/** Triangle filter: bilinear when enlarging, its support scaled when reducing. The edge sample repeats outside. */
const triangleTaps = (start: number, length: number, source: number, target: number): Taps => {
  const step = length / target;
  const support = Math.max(1, step);
  const count = Math.ceil(support * 2) + 1;
  const first = new Int32Array(target);
  const weights = new Float32Array(target * count);
  for (let i = 0; i < target; i++) {
    const centre = start + (i + 0.5) * step - 0.5;
    const from = Math.ceil(centre - support);
    // The taps are moved inside the source; the weight of those outside goes to the edge sample.
    const base = Math.min(Math.max(from, 0), Math.max(0, source - count));
    first[i] = base;
    let sum = 0;
    for (let tap = 0; tap < count; tap++) {
      const weight = Math.max(0, 1 - Math.abs(from + tap - centre) / support);
      const at = Math.min(Math.max(from + tap, 0), source - 1) - base;
      weights[i * count + Math.min(at, count - 1)]! += weight;
      sum += weight;
    }
    for (let tap = 0; tap < count; tap++) weights[i * count + tap]! /= sum;
  }
  return { first, weights, count };
};

/**
 * The part `window` of a matte resized to `size`, by a separable triangle filter. The window is in source pixels, may
 * be fractional and may leave the source, where the edge repeats. Source rows are filtered once and kept while in use.
 */
export const resampleGray = (source: Gray, window: Box, size: Size): Gray => {
  const across = triangleTaps(window.x, window.width, source.width, size.width);
  const down = triangleTaps(window.y, window.height, source.height, size.height);
  const rows = new Map<number, Float32Array>();
  const spare: Float32Array[] = [];
  const rowAt = (at: number): Float32Array => {
    const known = rows.get(at);
    if (known) return known;
    const row = spare.pop() ?? new Float32Array(size.width);
    resampleRow(source, at, across, row);
    rows.set(at, row);
    return row;
  };
  const data = new Uint8Array(size.width * size.height);
  const sum = new Float32Array(size.width);
  for (let y = 0; y < size.height; y++) {
    const first = down.first[y]!;
    for (const [at, row] of rows)
      if (at < first) {
        rows.delete(at);
        spare.push(row);
      }
    const used: Weighted[] = [];
    for (let tap = 0; tap < down.count; tap++) {
      const weight = down.weights[y * down.count + tap]!;
      if (weight !== 0) used.push({ weight, row: rowAt(first + tap) });
    }
    addRows(used, sum, data.subarray(y * size.width, (y + 1) * size.width));
  }
  return { data, width: size.width, height: size.height };
};

type Weighted = { readonly weight: number; readonly row: Float32Array };

/** The rounded sum of weighted rows. Enlarging takes two at most, which are added in one go, rounded as they would be. */
const addRows = (rows: readonly Weighted[], sum: Float32Array, into: Uint8Array): void => {
  const [first, second, third] = rows;
  if (first && second && !third) {
    const { weight: above, row: top } = first;
    const { weight: below, row: bottom } = second;
    for (let x = 0; x < into.length; x++)
      into[x] = Math.fround(Math.fround(0.5 + above * top[x]!) + below * bottom[x]!);
    return;
  }
  sum.fill(0.5);
  for (const { weight, row } of rows) for (let x = 0; x < into.length; x++) sum[x]! += weight * row[x]!;
  for (let x = 0; x < into.length; x++) into[x] = sum[x]!;
};

const resampleRow = (source: Gray, y: number, taps: Taps, into: Float32Array): void => {
  const { first, weights, count } = taps;
  const row = source.data.subarray(y * source.width, (y + 1) * source.width);
  if (count === 3 && source.width >= 3) {
    for (let x = 0, i = 0; x < into.length; x++, i += 3) {
      const at = first[x]!;
      into[x] = weights[i]! * row[at]! + weights[i + 1]! * row[at + 1]! + weights[i + 2]! * row[at + 2]!;
    }
    return;
  }
  for (let x = 0; x < into.length; x++) {
    let sum = 0;
    for (let tap = 0; tap < count; tap++) {
      const weight = weights[x * count + tap]!;
      if (weight !== 0) sum += weight * row[first[x]! + tap]!;
    }
    into[x] = sum;
  }
};

/** Resamples a matte that covers box `from` of the photo onto a grid over box `to`. Both in the photo's pixels. */
export const resampleOnto = (source: Gray, from: Box, to: Box, size: Size): Gray => {
  const x = source.width / from.width;
  const y = source.height / from.height;
  return resampleGray(
    source,
    { x: (to.x - from.x) * x, y: (to.y - from.y) * y, width: to.width * x, height: to.height * y },
    size,
  );
};
