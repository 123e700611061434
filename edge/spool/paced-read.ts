/** Reads a stream no slower than a minimum, and no longer than until a given time. */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import type { Failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';

export type Pace = {
  /** A window that brings less than `bytesPerSecondMin` ends the read. */
  readonly windowMs: number;
  readonly endsAtMs: number;
  readonly clock: Clock;
  /** What the caller is told of a stream that broke off with `error`. */
  readonly brokenOff: (error: unknown) => Failure;
  readonly tooSlow: Failure;
  /** Others wait for the room that this body takes: it must then bring `wantedBytesPerSecondMin`. */
  readonly isWanted?: () => boolean;
};
type Read = () => Promise<Result<Uint8Array | undefined, Failure>>;

const { bytesPerSecondMin } = edgeLimits.spool;
const { wantedWindowMs, wantedBytesPerSecondMin } = edgeLimits.bodies;

/**
 * One chunk per call, undefined at the end. Only time spent waiting for the sender counts against its speed. Fails as
 * `pace` says.
 */
export const pacedRead = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { windowMs, endsAtMs, clock, brokenOff, tooSlow, isWanted = () => false }: Pace,
): Read => {
  const own = speedWindow(windowMs, bytesPerSecondMin);
  const wanted = speedWindow(wantedWindowMs, wantedBytesPerSecondMin);
  const spend = (ms: number, bytes: number): void => {
    own.spend(ms, bytes);
    wanted.spend(ms, bytes);
  };
  return async () => {
    const pending = reader.read().catch((error: unknown) => brokenOff(error));
    for (;;) {
      const startedMs = clock.nowMs();
      const leftMs = Math.min(endsAtMs - startedMs, own.leftMs(), wanted.leftMs());
      const read = await withTimeout(pending, leftMs, clock);
      if (read !== TIMED_OUT && 'code' in read) return fail(read);
      const bytes = read === TIMED_OUT ? 0 : (read.value?.byteLength ?? 0);
      spend(clock.nowMs() - startedMs, bytes);
      if (read !== TIMED_OUT) return ok(read.done ? undefined : read.value);
      const isTooSlow = own.endsTooSlow();
      const isInTheWay = wanted.endsTooSlow() && isWanted();
      if (clock.nowMs() >= endsAtMs || isTooSlow || isInTheWay) return fail(tooSlow);
    }
  };
};

const speedWindow = (windowMs: number, perSecondMin: number) => {
  let bytes = 0;
  let spentMs = 0;
  return {
    leftMs: () => windowMs - spentMs,
    spend: (ms: number, more: number): void => {
      spentMs += ms;
      bytes += more;
    },
    /** True where the window is over and brought less than it had to; the next one begins. */
    endsTooSlow: (): boolean => {
      if (spentMs < windowMs) return false;
      const isTooSlow = bytes < (perSecondMin * windowMs) / 1_000;
      bytes = spentMs = 0;
      return isTooSlow;
    },
  };
};
