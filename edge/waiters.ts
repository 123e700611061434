/** Calls that wait for something to happen in their object. In memory: an object that is reset answers none of them. */
import { systemClock, withTimeout } from '../shared/clock.ts';

/** At most `max` at once; beyond it nobody waits. */
export const createWaiters = (max: number) => {
  const waiting = new Set<() => void>();
  return {
    /** Resolves with `wake`, or after `ms`; false at once where too many wait. No storage is read meanwhile. */
    wait: async (ms: number): Promise<boolean> => {
      if (waiting.size >= max) return false;
      let wake = (): void => {};
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      waiting.add(wake);
      await withTimeout(woken, ms, systemClock);
      waiting.delete(wake);
      return true;
    },
    wake: (): void => {
      for (const wake of [...waiting]) wake();
    },
  };
};
