/**
 * Keeps a client that tries unknown keys from waking an Account with each: the checksum of a key is public, so anyone
 * can make up keys of any account. One isolate's memory, bounded; the platform's own rules for traffic come before it.
 */
import type { Clock } from '../../shared/clock.ts';
import { edgeLimits } from '../limits.ts';

export type KeyGuard = {
  /** How long `address` has to wait before a key that is not known here is looked up for it; 0 where it need not. */
  waitMs(address: string, keyHash: string): number;
  known(keyHash: string): void;
  unknown(address: string): void;
};

const { unknownPerMinute, addressesMax, knownKeysMax } = edgeLimits.keyGuard;
const MINUTE_MS = 60_000;

type Failures = { count: number; readonly endsAtMs: number };

export const createKeyGuard = (clock: Pick<Clock, 'nowMs'>): KeyGuard => {
  const failures = new Map<string, Failures>();
  const knownKeys = new Set<string>();
  const current = (address: string): Failures | undefined => {
    const found = failures.get(address);
    if (found && found.endsAtMs <= clock.nowMs()) failures.delete(address);
    return failures.get(address);
  };
  return {
    waitMs(address, keyHash) {
      const found = knownKeys.has(keyHash) ? undefined : current(address);
      return found && found.count >= unknownPerMinute ? found.endsAtMs - clock.nowMs() : 0;
    },
    known(keyHash) {
      // Re-inserted, so that the first of the set is the one unused for longest.
      knownKeys.delete(keyHash);
      knownKeys.add(keyHash);
      dropOldest(knownKeys, knownKeysMax);
    },
    unknown(address) {
      const found = current(address);
      if (found) found.count++;
      else failures.set(address, { count: 1, endsAtMs: clock.nowMs() + MINUTE_MS });
      dropOldest(failures, addressesMax);
    },
  };
};

const dropOldest = (kept: Set<string> | Map<string, unknown>, max: number): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
};
