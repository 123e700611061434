/** A histogram whose range grows with what is added, for quantiles of more values than fit in memory. Pure. */

/** Bins on each side of zero. */
const BINS = 8192;

export type Histogram = { limit: number; counts: Float64Array; total: number };

export const emptyHistogram = (): Histogram => {
  return { limit: 0, counts: new Float64Array(2 * BINS), total: 0 };
};

/** Adds all values. */
export const addValues = (histogram: Histogram, values: Float32Array): void => {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!);
    if (size > largest) largest = size;
  }
  grow(histogram, largest);
  const { counts, limit } = histogram;
  const perUnit = BINS / limit;
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor(values[i]! * perUnit) + BINS;
    counts[Math.min(Math.max(bin, 0), 2 * BINS - 1)]! += 1;
  }
  histogram.total += values.length;
};

/** Doubles the range, pairs of bins becoming one, until `largest` fits. */
const grow = (histogram: Histogram, largest: number): void => {
  if (histogram.limit === 0) histogram.limit = largest || 1;
  while (histogram.limit < largest) {
    const wider = new Float64Array(2 * BINS);
    for (let bin = -BINS; bin < BINS; bin++) wider[Math.floor(bin / 2) + BINS]! += histogram.counts[bin + BINS]!;
    histogram.counts = wider;
    histogram.limit *= 2;
  }
};

/** The value below which `fraction` (0..1) of all values lie, to a bin's width (limit / 8192), rounded outwards. */
export const quantile = (histogram: Histogram, fraction: number): number => {
  const width = histogram.limit / BINS;
  const wanted = fraction * histogram.total;
  let below = 0;
  for (let bin = 0; bin < 2 * BINS; bin++) {
    const next = below + histogram.counts[bin]!;
    if (next >= wanted && next > 0) return (bin - BINS + (fraction < 0.5 ? 0 : 1)) * width;
    below = next;
  }
  return histogram.limit;
};
