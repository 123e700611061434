/** Reads a stream no slower than a minimum, and no longer than until a given time. */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import type { LogEvent } from '../log.ts';

export type PacedReadDeps = { readonly clock: Clock; readonly log: LogEvent };
type Read = () => Promise<Result<Uint8Array | undefined, Failure>>;

const { bytesPerSecondMin, speedWindowMs } = edgeLimits.inputUrl;
const windowBytesMin = (bytesPerSecondMin * speedWindowMs) / 1_000;

/**
 * One chunk per call, undefined at the end. Only time spent waiting for the sender counts against its speed; a window
 * that brought less than the minimum ends the read. Fails with `url_unreachable` or `url_timeout`.
 */
export const pacedRead = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  endsAtMs: number,
  { clock, log }: PacedReadDeps,
): Read => {
  let windowBytes = 0;
  let windowSpentMs = 0;
  return async () => {
    const pending = reader.read().catch((error: unknown) => {
      log('info', 'input_url_broke_off', { error: String(error) });
      return 'broken' as const;
    });
    for (;;) {
      const startedMs = clock.nowMs();
      const read = await withTimeout(pending, Math.min(endsAtMs - startedMs, speedWindowMs - windowSpentMs), clock);
      if (read === 'broken')
        return fail(failure('url_unreachable', 'The input_url broke off before the file was complete'));
      windowSpentMs += clock.nowMs() - startedMs;
      if (read !== TIMED_OUT) {
        windowBytes += read.value?.byteLength ?? 0;
        return ok(read.done ? undefined : read.value);
      }
      if (clock.nowMs() >= endsAtMs || windowBytes < windowBytesMin) return fail(failure('url_timeout'));
      windowBytes = 0;
      windowSpentMs = 0;
    }
  };
};
