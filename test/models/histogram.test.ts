import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addValues, emptyHistogram, quantile } from '../../models/tools/histogram.ts';

describe('the growing histogram', () => {
  it('gives quantiles to within one bin, whatever the order the values came in', () => {
    const group = fc.array(fc.float({ min: -1000, max: 1000, noNaN: true }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 5 }), share, (groups, fraction) => {
        const histogram = emptyHistogram();
        for (const values of groups) addValues(histogram, Float32Array.from(values));
        const sorted = Float32Array.from(groups.flat()).sort();
        const exact = sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)]!;
        expect(histogram.total).toBe(sorted.length);
        expect(Math.abs(quantile(histogram, fraction) - exact)).toBeLessThanOrEqual((histogram.limit / 8192) * 1.01);
      }),
    );
  });

  it('excludes the few values beyond the wanted share', () => {
    const histogram = emptyHistogram();
    addValues(histogram, new Float32Array(99_999).fill(1));
    addValues(histogram, Float32Array.of(50));
    expect(quantile(histogram, 0.9999)).toBeCloseTo(1, 1);
    expect(quantile(histogram, 1)).toBeCloseTo(50, 0);
  });
});
