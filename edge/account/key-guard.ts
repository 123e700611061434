/**
 * Keeps a client that tries unknown keys from waking an Account with each: the checksum of a key is public, so anyone
 * can make up keys of any account. One isolate's memory, bounded, and the platform's rate limiting binding where it is
 * configured, which counts for a whole location; the platform's own rules for traffic come before both.
 */
import { createBrake } from '../../shared/brake.ts';
import type { Clock } from '../../shared/clock.ts';
import { dropOldest } from '../../shared/drop-oldest.ts';
import { lineOf, networkOf } from '../../shared/network.ts';
import { edgeLimits } from '../limits.ts';

type KeyVerdict =
  | { readonly result: 'look_up' }
  /** Looked up a moment ago. */
  | { readonly result: 'unknown' }
  | { readonly result: 'wait'; readonly waitMs: number };

export type KeyGuard = {
  /** Whether the Account may be asked about this key. `address` is missing only where no platform is in front of us. */
  check(address: string | undefined, keyHash: string): Promise<KeyVerdict>;
  known(keyHash: string): void;
  unknown(address: string | undefined, keyHash: string): void;
};

/** Cloudflare's rate limiting binding. */
type LookUpLimiter = { limit(options: { key: string }): Promise<{ success: boolean }> };

const { unknownPerMinute, unknownPerNetworkMinute, addressesMax, knownKeysMax, unknownKeysMax } = edgeLimits.keyGuard;
const MINUTE_MS = 60_000;

export const createKeyGuard = (clock: Pick<Clock, 'nowMs'>, limiter?: LookUpLimiter): KeyGuard => {
  const lines = createBrake(clock, { perMinute: unknownPerMinute, namesMax: addressesMax });
  const networks = createBrake(clock, { perMinute: unknownPerNetworkMinute, namesMax: addressesMax });
  const knownKeys = new Set<string>();
  /** Until when each counts as unknown. Nobody is told a key before it is stored, so none becomes known later. */
  const unknownKeys = new Map<string, number>();

  return {
    async check(address, keyHash) {
      if (knownKeys.has(keyHash)) return { result: 'look_up' };
      if ((unknownKeys.get(keyHash) ?? 0) > clock.nowMs()) return { result: 'unknown' };
      if (address === undefined) return { result: 'look_up' };
      const waitMs = Math.max(lines.waitMs(lineOf(address)), networks.waitMs(networkOf(address)));
      if (waitMs > 0) return { result: 'wait', waitMs };
      const allowed = limiter === undefined || (await limiter.limit({ key: lineOf(address) })).success;
      return allowed ? { result: 'look_up' } : { result: 'wait', waitMs: MINUTE_MS };
    },
    known(keyHash) {
      // Re-inserted, so that the first of the set is the one unused for longest.
      knownKeys.delete(keyHash);
      knownKeys.add(keyHash);
      dropOldest(knownKeys, knownKeysMax);
    },
    unknown(address, keyHash) {
      unknownKeys.delete(keyHash);
      unknownKeys.set(keyHash, clock.nowMs() + MINUTE_MS);
      dropOldest(unknownKeys, unknownKeysMax);
      if (address === undefined) return;
      lines.count(lineOf(address));
      networks.count(networkOf(address));
    },
  };
};
