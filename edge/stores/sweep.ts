/** Removes files past their life, oldest first, a bounded number in each scheduled run. */

import { limits } from '../../shared/limits.ts';
import { edgeLimits } from '../limits.ts';
import { objectTimeMs } from './object-keys.ts';

/** Deletes the expired among the oldest `max` objects under `prefix`; answers how many. */
export type RemoveExpired = (prefix: string, isExpired: (key: string) => boolean, max: number) => Promise<number>;

const lives = {
  'inputs/': limits.downloads.inputObjectMs,
  // The batches delete theirs when their account wants it; this is for what they could not.
  'results/': limits.retention.daysMax * 86_400_000,
  'checks/': limits.downloads.checkObjectMs,
} as const;

export const sweep = async (
  removeExpired: RemoveExpired,
  nowMs: number,
): Promise<Record<keyof typeof lives, number>> => {
  const run = (prefix: keyof typeof lives): Promise<number> =>
    removeExpired(
      prefix,
      (key) => (objectTimeMs(key) ?? Number.POSITIVE_INFINITY) + lives[prefix] <= nowMs,
      edgeLimits.downloads.sweepObjectsMax,
    );
  return { 'inputs/': await run('inputs/'), 'results/': await run('results/'), 'checks/': await run('checks/') };
};
