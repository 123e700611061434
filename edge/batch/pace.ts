/**
 * How many images one invocation of the consumer has at origin at once, by what origin says: half as many whenever the fleet
 * is busy, and slowly more again while it takes what it is sent. Kept by the Worker's instance for all its invocations.
 */
import { edgeLimits } from '../limits.ts';

const { concurrencyMax, slowDownEveryMs } = edgeLimits.batch;

export type Pace = ReturnType<typeof createPace>;

export const createPace = (nowMs: () => number) => {
  let limit: number = concurrencyMax;
  let slowedAtMs = Number.NEGATIVE_INFINITY;
  return {
    /** At least 1: what origin says is heard only by asking it. */
    imagesAtOnce: (): number => Math.floor(limit),
    taken(): void {
      limit = Math.min(concurrencyMax, limit + 1 / limit);
    },
    /** Images that were sent together hear it together, which counts once. */
    busy(): void {
      if (nowMs() - slowedAtMs < slowDownEveryMs) return;
      slowedAtMs = nowMs();
      limit = Math.max(1, limit / 2);
    },
  };
};
