/** Counts by name within a minute, in memory, bounded. What is counted beyond the limit waits for the minute's end. */
import type { Clock } from './clock.ts';
import { dropOldest } from './drop-oldest.ts';

const MINUTE_MS = 60_000;

export type Brake = {
  /** How long this name has to wait; 0 where it need not. */
  waitMs(name: string): number;
  count(name: string): void;
};

/** Of more than `namesMax` names the one counted first is forgotten. */
export const createBrake = (
  clock: Pick<Clock, 'nowMs'>,
  { perMinute, namesMax }: { readonly perMinute: number; readonly namesMax: number },
): Brake => {
  const counted = new Map<string, { count: number; readonly endsAtMs: number }>();
  const current = (name: string) => {
    const found = counted.get(name);
    if (found && found.endsAtMs <= clock.nowMs()) counted.delete(name);
    return counted.get(name);
  };
  return {
    waitMs(name) {
      const found = current(name);
      return found && found.count >= perMinute ? found.endsAtMs - clock.nowMs() : 0;
    },
    count(name) {
      const found = current(name);
      if (found) found.count++;
      else counted.set(name, { count: 1, endsAtMs: clock.nowMs() + MINUTE_MS });
      dropOldest(counted, namesMax);
    },
  };
};
