/**
 * Latencies as a histogram on a logarithmic scale: each bucket is 10 % wider than the one before, so that a percentile
 * read from it is at most 5 % (and, in whole numbers, 1 ms) away from the exact one. Pure.
 */
const RATIO_LOG = Math.log(1.1);

/** Count of latencies by bucket. Some 140 buckets reach 10 minutes. */
export type Histogram = { readonly [bucket: string]: number };

/** Bucket 0 is up to 1 ms. */
const bucketOf = (ms: number): number => (ms <= 1 ? 0 : Math.round(Math.log(ms) / RATIO_LOG));

export const histogramOf = (latenciesMs: readonly number[]): Histogram => {
  const counts: Record<string, number> = {};
  for (const ms of latenciesMs) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
};

export const sumOf = (a: Histogram, b: Histogram): Histogram => {
  const sum: Record<string, number> = { ...a };
  for (const [bucket, count] of Object.entries(b)) sum[bucket] = (sum[bucket] ?? 0) + count;
  return sum;
};

/** The smallest latency, ms, that `share` (0 to 1) of all do not exceed; null where there are none. */
export const percentile = (histogram: Histogram, share: number): number | null => {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((a, b) => a.bucket - b.bucket);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { bucket, count } of buckets) {
    seen += count;
    if (seen >= total * share) return Math.round(Math.exp(bucket * RATIO_LOG));
  }
  return null;
};
