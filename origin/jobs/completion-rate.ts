/**
 * How fast jobs are really done, from the times between completions while there was always something to do. Pure but
 * for its clock.
 */
import type { Clock } from '../../shared/clock.ts';
import { originLimits } from '../limits.ts';

export type CompletionRate = {
  /**
   * A job is done. `busy`: others were waiting or being worked on, so that the time to the next completion says
   * something about the rate.
   */
  completed(busy: boolean): void;
  /** Whole seconds until `jobs` more are done, 1 at least, originLimits.jobs.retryAfterSecondsMax at most. */
  secondsFor(jobs: number): number;
  msPerJob(): number;
};

/** Weight of the newest sample; about the last ten completions count. */
const NEWEST_WEIGHT = 0.2;
/** Assumed until the first two completions. */
const FIRST_GUESS_MS = 1_000;

export const createCompletionRate = (clock: Pick<Clock, 'nowMs'>): CompletionRate => {
  let averageMs: number | undefined;
  let lastAtMs: number | undefined;
  const msPerJob = (): number => averageMs ?? FIRST_GUESS_MS;
  const sampled = (sampleMs: number): number =>
    averageMs === undefined ? sampleMs : averageMs + NEWEST_WEIGHT * (sampleMs - averageMs);
  return {
    completed: (busy) => {
      const nowMs = clock.nowMs();
      if (lastAtMs !== undefined) averageMs = sampled(nowMs - lastAtMs);
      lastAtMs = busy ? nowMs : undefined;
    },
    secondsFor: (jobs) =>
      Math.min(originLimits.jobs.retryAfterSecondsMax, Math.max(1, Math.ceil((jobs * msPerJob()) / 1000))),
    msPerJob,
  };
};
