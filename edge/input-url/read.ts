/**
 * Reads a body from an untrusted server into a store: block by block, so that a Worker never holds more than one block
 * of an image, with the caps on size, speed and time checked as bytes arrive. Blocks rather than a stream, because R2
 * takes a stream only with a known length, and a server need not send one.
 */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import type { LogEvent } from '../log.ts';
import { blockSpool } from '../spool/block-spool.ts';
import { pacedRead } from '../spool/paced-read.ts';
import type { InputSink, StoredInput } from '../spool/sink.ts';

export type ReadDeps = { readonly clock: Clock; readonly log: LogEvent };

/**
 * Fails with `url_unreachable` (broke off), `url_timeout` (too slow), `url_not_an_image`, `unsupported_heic`, `file_empty` or
 * `file_too_large`; nothing is stored then. Throws only what the sink throws.
 */
export const readInto = async (
  sink: InputSink,
  body: ReadableStream<Uint8Array>,
  endsAtMs: number,
  { clock, log }: ReadDeps,
): Promise<Result<StoredInput, Failure>> => {
  const reader = body.getReader();
  const blocks = blockSpool(sink, 'url_not_an_image');
  const brokenOff = (error: unknown): Failure => {
    log('info', 'input_url_broke_off', { error: String(error) });
    return failure('url_unreachable', 'The input_url broke off before the file was complete');
  };
  const next = pacedRead(reader, {
    windowMs: edgeLimits.spool.serverWindowMs,
    endsAtMs,
    clock,
    brokenOff,
    tooSlow: failure('url_timeout'),
  });
  let stored = false;
  try {
    for (let chunk = await next(); ; chunk = await next()) {
      const taken = chunk.ok ? await blocks.take(chunk.value) : chunk;
      if (!taken.ok) return taken;
      if (taken.value !== undefined) {
        stored = true;
        return ok(taken.value);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
    if (!stored) await blocks.abort();
  }
};
