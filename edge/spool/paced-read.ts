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
};
type Read = () => Promise<Result<Uint8Array | undefined, Failure>>;

/**
 * One chunk per call, undefined at the end. Only time spent waiting for the sender counts against its speed. Fails as
 * `pace` says.
 */
export const pacedRead = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { windowMs, endsAtMs, clock, brokenOff, tooSlow }: Pace,
): Read => {
  const windowBytesMin = (edgeLimits.spool.bytesPerSecondMin * windowMs) / 1_000;
  let windowBytes = 0;
  let windowSpentMs = 0;
  return async () => {
    const pending = reader.read().catch((error: unknown) => brokenOff(error));
    for (;;) {
      const startedMs = clock.nowMs();
      const read = await withTimeout(pending, Math.min(endsAtMs - startedMs, windowMs - windowSpentMs), clock);
      if (read !== TIMED_OUT && 'code' in read) return fail(read);
      windowSpentMs += clock.nowMs() - startedMs;
      if (read !== TIMED_OUT) {
        windowBytes += read.value?.byteLength ?? 0;
        return ok(read.done ? undefined : read.value);
      }
      if (clock.nowMs() >= endsAtMs || windowBytes < windowBytesMin) return fail(tooSlow);
      windowBytes = 0;
      windowSpentMs = 0;
    }
  };
};
