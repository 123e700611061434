/**
 * A clock for tests of code that waits: time stands still until the code under test has nothing left to do, then jumps
 * to the next timer. An hour of waiting passes in milliseconds and in the same order every time.
 */
export const virtualClock = (startMs = 1_800_000_000_000) => {
  let nowMs = startMs;
  let timers: { atMs: number; callback: () => void }[] = [];
  const clock = {
    nowMs: () => nowMs,
    after(ms: number, callback: () => void) {
      const timer = { atMs: nowMs + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    wait: (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve)),
    /** Runs until `work` is settled. Throws where it waits for something that no timer will bring. */
    async run<T>(work: Promise<T>): Promise<T> {
      let settled = false;
      work.then(
        () => (settled = true),
        () => (settled = true),
      );
      for (let idleTurns = 0; !settled; ) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (settled) break;
        if (++idleTurns < 3) continue;
        idleTurns = 0;
        const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next) throw new Error('nothing is left to wait for');
        timers = timers.filter((other) => other !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.callback();
      }
      return work;
    },
  };
  return clock;
};
export type VirtualClock = ReturnType<typeof virtualClock>;
