/**
 * The alarm of one object: at least once, so also late and twice; a handler that throws, or dies with its object, is
 * called again after 2, 4, 8 … 64 s, six times; then the platform drops it.
 */
import type { Scheduler, Timer } from './scheduler.ts';

const RETRIES_MAX = 6;
const RETRY_MS = 2_000;
const LATE_MS_MAX = 3 * 3_600_000;

type AlarmInfo = { readonly isRetry: boolean; readonly retryCount: number };
/** Resolves when the handler has ended well; rejects where it threw or its object was reset in it. */
export type RunAlarm = (info: AlarmInfo) => Promise<void>;

/** `skewMs`: the alarm goes by the clock of the machine that its object lives on. */
export const createAlarm = (world: Scheduler, name: string, skewMs: number, run: RunAlarm) => {
  let setMs: number | null = null;
  let timer: Timer | undefined;
  let wasLost = false;

  const cancel = (): void => {
    if (timer) timer.cancelled = true;
    timer = undefined;
  };
  const arm = (atMs: number, retryCount: number): void => {
    cancel();
    const lateMs = world.chance('alarmLate') ? world.random.between(1_000, LATE_MS_MAX) : world.random.between(0, 20);
    timer = world.at(Math.max(atMs - skewMs, world.now() + 1) + lateMs, () => ring(retryCount));
  };

  const ring = (retryCount: number): void => {
    timer = undefined;
    setMs = null;
    if (world.chance('alarmLost')) {
      wasLost = true;
      world.tally('alarm lost');
      world.trace(() => `${name}: the platform loses its alarm`);
      return;
    }
    world.tally(`alarms of ${name.slice(0, name.indexOf(' '))}`);
    world.trace(() => `${name}: alarm${retryCount > 0 ? ` (retry ${retryCount})` : ''}`);
    run({ isRetry: retryCount > 0, retryCount }).then(
      () => void (world.chance('alarmTwice') && setMs === null && again(0)),
      () => failed(retryCount),
    );
  };
  const again = (retryCount: number): void => {
    world.after(world.random.between(1, 5_000), () => void run({ isRetry: true, retryCount }).catch(() => {}));
  };
  const failed = (retryCount: number): void => {
    world.tally('alarm failed');
    // What the handler itself has set takes the place of the retry.
    if (setMs !== null) return;
    if (retryCount >= RETRIES_MAX) {
      world.tally('alarm dropped');
      world.trace(() => `${name}: the platform drops its alarm after ${retryCount} retries`);
      return;
    }
    arm(world.now() + skewMs + RETRY_MS * 2 ** retryCount, retryCount + 1);
  };

  return {
    /** As committed. */
    set: (atMs: number | null): void => {
      setMs = atMs;
      if (atMs === null) cancel();
      else arm(atMs, 0);
    },
    at: (): number | null => setMs,
    /** The platform broke its promise. */
    wasLost: (): boolean => wasLost,
  };
};
