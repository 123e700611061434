/**
 * Reads a body of unknown honesty into a store: block by block, so that a Worker never holds more than one block of an
 * image, with the size, speed and time
 * caps checked as bytes arrive. Blocks rather than a stream, because R2 takes a stream only with a known length, and a
 * server need not tell it.
 */

import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';

/**
 * Where an input goes. `open` is used only for what is larger than one block; nothing may be visible before `complete`.
 */
export type InputSink = {
  put(body: Uint8Array, contentType: string): Promise<void>;
  open(contentType: string): Promise<BlockWriter>;
};
/** Takes blocks of `edgeLimits.inputUrl.blockBytes`, the last one shorter. */
export type BlockWriter = {
  write(block: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
};

export type StoredInput = { readonly bytes: number; readonly contentType: string };

const { blockBytes, bytesPerSecondMin, speedWindowMs } = edgeLimits.inputUrl;
const bytesMax = limits.upload.fileBytesMax;

export const readInto = async (
  sink: InputSink,
  body: ReadableStream<Uint8Array>,
  endsAtMs: number,
  clock: Clock,
): Promise<Result<StoredInput, Failure>> => {
  const reader = body.getReader();
  const blocks = blockSpool(sink);
  const next = pacedRead(reader, endsAtMs, clock);
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

/**
 * One chunk per call, undefined at the end. Only time spent waiting for the sender counts against its speed; a window
 * that brought less than the minimum
 * ends the read.
 */
const pacedRead = (reader: ReadableStreamDefaultReader<Uint8Array>, endsAtMs: number, clock: Clock) => {
  let windowBytes = 0;
  let windowSpentMs = 0;
  return async (): Promise<Result<Uint8Array | undefined, Failure>> => {
    const pending = reader.read();
    for (;;) {
      const startedMs = clock.nowMs();
      const leftMs = endsAtMs - startedMs;
      const read = await withTimeout(
        pending.catch(() => 'broken' as const),
        Math.min(leftMs, speedWindowMs - windowSpentMs),
        clock,
      );
      if (read === 'broken')
        return fail(failure('url_unreachable', 'The input_url broke off before the file was complete'));
      windowSpentMs += clock.nowMs() - startedMs;
      if (read !== TIMED_OUT) {
        windowBytes += read.value?.byteLength ?? 0;
        return ok(read.done ? undefined : read.value);
      }
      if (clock.nowMs() >= endsAtMs || windowBytes < (bytesPerSecondMin * speedWindowMs) / 1_000)
        return fail(failure('url_timeout'));
      windowBytes = 0;
      windowSpentMs = 0;
    }
  };
};

/** Collects chunks to blocks and hands them on. `take(undefined)` ends the file and answers what was stored. */
const blockSpool = (sink: InputSink) => {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  let contentType: string | undefined;
  let writer: BlockWriter | undefined;

  const cut = (length: number): Uint8Array => {
    const all = concat(waiting, waitingBytes);
    waiting = [all.subarray(length)];
    waitingBytes -= length;
    return all.subarray(0, length);
  };
  const sniff = (): Result<string, Failure> => {
    contentType ??= sniffImage(concat(waiting, waitingBytes).subarray(0, SNIFF_BYTES));
    return contentType === undefined ? fail(failure('url_not_an_image')) : ok(contentType);
  };
  const finish = async (): Promise<Result<StoredInput, Failure>> => {
    if (bytes === 0) return fail(failure('file_empty'));
    const type = sniff();
    if (!type.ok) return type;
    if (writer === undefined) await sink.put(cut(waitingBytes), type.value);
    else {
      if (waitingBytes > 0) await writer.write(cut(waitingBytes));
      await writer.complete();
    }
    return ok({ bytes, contentType: type.value });
  };
  return {
    async take(chunk: Uint8Array | undefined): Promise<Result<StoredInput | undefined, Failure>> {
      if (chunk === undefined) return finish();
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(failure('file_too_large'));
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      if (contentType === undefined && bytes < SNIFF_BYTES) return ok(undefined);
      const type = sniff();
      if (!type.ok) return type;
      while (waitingBytes > blockBytes) {
        writer ??= await sink.open(type.value);
        await writer.write(cut(blockBytes));
      }
      return ok(undefined);
    },
    async abort(): Promise<void> {
      await writer?.abort();
    },
  };
};

const concat = (chunks: readonly Uint8Array[], length: number): Uint8Array => {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
};
