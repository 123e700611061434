/**
 * How fast jobs are really done, from the times between completions while there was always something to do. Pure but
 * for its clock.
 */
import { limits } from '../../shared/limits.ts';

export type RateMeter = {
  /**
   * A job is done. `busy`: others were waiting or being worked on, so that the time to the next completion says
   * something about the rate.
   */
  completed(busy: boolean): void;
  /** Whole seconds until `jobs` more are done, 1 at least, limits.origin.retryAfterSecondsMax at most. */
  secondsFor(jobs: number): number;
  msPerJob(): number;
};

/** Weight of the newest sample; about the last ten completions count. */
const NEWEST_WEIGHT = 0.2;
/** Assumed until the first two completions. */
const FIRST_GUESS_MS = 1_000;

export const createRateMeter = (now: () => number): RateMeter => {
  let averageMs: number | undefined;
  let lastAt: number | undefined;
  const msPerJob = (): number => averageMs ?? FIRST_GUESS_MS;
  return {
    completed: (busy) => {
      const at = now();
      if (lastAt !== undefined)
        averageMs = averageMs === undefined ? at - lastAt : averageMs + NEWEST_WEIGHT * (at - lastAt - averageMs);
      lastAt = busy ? at : undefined;
    },
    secondsFor: (jobs) =>
      Math.min(limits.origin.retryAfterSecondsMax, Math.max(1, Math.ceil((jobs * msPerJob()) / 1000))),
    msPerJob,
  };
};
