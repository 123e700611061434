/**
 * Probes that the database did not take, most likely because it is what is broken: they wait in the object store for the
 * next run, so that an outage of the database is in its own history. One object, rewritten by one run a minute.
 */
import type { Probe } from './judge.ts';

const KEY = 'status/unwritten.json';

/** Oldest first. */
export const readUnwritten = async (bucket: R2Bucket): Promise<readonly Probe[]> =>
  (await (await bucket.get(KEY))?.json<readonly Probe[]>()) ?? [];

/** The newest `max` of them; with none, nothing is left. */
export const keepUnwritten = async (bucket: R2Bucket, probes: readonly Probe[], max: number): Promise<void> => {
  if (probes.length > 0) await bucket.put(KEY, JSON.stringify(probes.slice(-max)));
  else await bucket.delete(KEY);
};
