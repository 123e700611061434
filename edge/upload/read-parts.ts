/** Reads a multipart body to its end, no slower than a minimum, and hands on what its parts consist of. */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { edgeLimits } from '../limits.ts';
import { pacedRead } from '../spool/paced-read.ts';
import { MultipartError, multipartSplitter, type PartEvent } from './multipart.ts';

export type PartTaker = {
  /** What is wrong with the request because of this; undefined where it was taken. */
  take(event: PartEvent): Promise<Failure | undefined>;
  /** Removes what was written of a part that will not be complete. */
  abort(): Promise<void>;
};

/** Undefined once the whole body was taken. Throws only what `taker` throws. */
export const readParts = async (
  body: ReadableStream<Uint8Array> | null,
  contentType: string,
  { clock, bytesMax }: { readonly clock: Clock; readonly bytesMax: number },
  taker: PartTaker,
): Promise<Failure | undefined> => {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType);
  if (!body || !boundary) return failure('malformed_request', 'The multipart body or its boundary is missing');
  const splitter = multipartSplitter(boundary[1] ?? boundary[2] ?? '');
  const reader = body.getReader();
  const next = pacedRead(reader, {
    windowMs: edgeLimits.spool.clientWindowMs,
    endsAtMs: clock.nowMs() + edgeLimits.upload.bodyMsMax,
    clock,
    brokenOff: () => failure('malformed_request', 'The request body broke off'),
    tooSlow: failure('body_too_slow'),
  });
  try {
    let bytes = 0;
    for (;;) {
      const chunk = await next();
      if (!chunk.ok) return chunk.failure;
      if (chunk.value === undefined)
        return splitter.closed ? undefined : failure('malformed_request', 'The multipart body is damaged or cut off');
      bytes += chunk.value.length;
      if (bytes > bytesMax) return failure('body_too_large', `A request carries at most ${bytesMax / 1e6} MB`);
      const wrong = await takeAll(taker, splitter.push(chunk.value));
      if (wrong) return wrong;
    }
  } finally {
    reader.cancel().catch(() => {});
    // What cannot be aborted is an incomplete multipart upload, which R2 removes by itself after a week.
    await taker.abort().catch(() => {});
  }
};

const takeAll = async (taker: PartTaker, events: Iterable<PartEvent>): Promise<Failure | undefined> => {
  try {
    for (const event of events) {
      const wrong = await taker.take(event);
      if (wrong) return wrong;
    }
    return undefined;
  } catch (error) {
    if (error instanceof MultipartError) return failure('malformed_request', error.message, { cause: error });
    throw error;
  }
};
