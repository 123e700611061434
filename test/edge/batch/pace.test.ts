/** The consumer follows what origin says it can do. */
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../edge/batch/at-most.ts';
import { createPace } from '../../../edge/batch/pace.ts';
import { edgeLimits } from '../../../edge/limits.ts';

const { concurrencyMax, slowDownEveryMs } = edgeLimits.batch;

describe('the pace of the consumer', () => {
  it('halves when origin is busy, once for all images sent together, down to one, and rises again one by one', () => {
    let nowMs = 0;
    const pace = createPace(() => nowMs);
    expect(pace.imagesAtOnce()).toBe(concurrencyMax);
    for (let image = 0; image < concurrencyMax; image++) pace.busy();
    expect(pace.imagesAtOnce()).toBe(concurrencyMax / 2);
    for (let i = 0; i < 9; i++) {
      nowMs += slowDownEveryMs;
      pace.busy();
    }
    expect(pace.imagesAtOnce()).toBe(1);
    const seen: number[] = [];
    for (let image = 0; image < 100; image++) {
      pace.taken();
      seen.push(pace.imagesAtOnce());
    }
    for (const [i, next] of seen.entries()) expect(next - (seen[i - 1] ?? 1)).toBeLessThanOrEqual(1);
    expect(seen.at(-1)).toBe(concurrencyMax);
  });

  it('is never exceeded, and whoever waits goes on when it rises', async () => {
    let [max, running, most, done] = [2, 0, 0, 0];
    const slot = atMost(() => max);
    const gates: (() => void)[] = [];
    const all = Promise.all(
      Array.from({ length: 10 }, () =>
        slot(async () => {
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => void gates.push(resolve));
          running--;
          done++;
        }),
      ),
    );
    const open = async (): Promise<void> => {
      gates.shift()?.();
      for (let i = 0; i < 5; i++) await Promise.resolve();
    };
    await open();
    expect([most, running]).toEqual([2, 2]);
    max = 1;
    await open();
    expect(running).toBe(1);
    max = 4;
    await open();
    expect(running).toBe(4);
    while (done < 10) await open();
    await all;
    expect(most).toBe(4);
  });
});
