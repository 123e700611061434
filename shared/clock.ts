/** Time and network as arguments, so that tests drive both. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Clock = {
  nowMs(): number;
  /** Calls back once after `ms`; what it returns cancels. */
  after(ms: number, callback: () => void): () => void;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export const TIMED_OUT = Symbol('timed out');

/**
 * The result of `work`, or TIMED_OUT once `ms` have passed. Abandoned work goes on; if it fails later, the failure is
 * ignored.
 */
export const withTimeout = async <T>(
  work: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'after'>,
): Promise<T | typeof TIMED_OUT> => {
  let cancel = (): void => {};
  const late = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = clock.after(Math.max(0, ms), () => resolve(TIMED_OUT));
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
};

/** Resolves after `ms`. */
export const sleep = (clock: Pick<Clock, 'after'>, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

const DAY_MS = 86_400_000;
/** The UTC day as YYYY-MM-DD. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** When the UTC day after that of `nowMs` begins. */
export const nextUtcDayMs = (nowMs: number): number => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
