import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histogramOf, percentile, sumOf } from '../../../edge/account/requests/latency.ts';

const latencies = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 300 });
const exact = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
};

describe('a percentile of the latency histogram', () => {
  it.each([0.5, 0.95])('%d is at most 5 % and 1 ms away from the exact one', (share) => {
    fc.assert(
      fc.property(latencies, (values) => {
        const truth = exact(values, share);
        expect(Math.abs((percentile(histogramOf(values), share) ?? Number.NaN) - truth)).toBeLessThanOrEqual(
          truth * 0.05 + 1,
        );
      }),
    );
  });

  it('is the same whether the histogram was made at once or in parts', () => {
    fc.assert(
      fc.property(latencies, latencies, (a, b) => {
        expect(sumOf(histogramOf(a), histogramOf(b))).toEqual(histogramOf([...a, ...b]));
      }),
    );
  });

  it('of no latency at all is none', () => {
    expect(percentile({}, 0.5)).toBeNull();
  });
});
