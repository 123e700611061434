/** Reads a multipart body to its end, no slower than a minimum, and hands on what its parts consist of. */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { ok } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { type BodyRoom, inRoom, type OpenRoom } from '../spool/bodies.ts';
import { pacedRead } from '../spool/paced-read.ts';
import { MultipartError, type MultipartSplitter, multipartSplitter, type PartEvent } from './multipart.ts';

export type PartTaker = {
  /** What is wrong with the request because of this; undefined where it was taken. */
  take(event: PartEvent): Promise<Failure | undefined>;
  /** Removes what was written of a part that will not be complete. */
  abort(): Promise<void>;
};

/** A request's body, and what tells of it. */
export type IncomingBody = {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly contentType: string;
  /** As declared, if it was. */
  readonly bytes: number | undefined;
};
/** With what it is read: `openRoom` of its account. */
export type Reading = { readonly clock: Clock; readonly openRoom: OpenRoom };

const { blockBytes } = edgeLimits.spool;
const { besideBlockBytes } = edgeLimits.bodies;

/** Undefined once the whole body was taken. Throws only what `taker` throws. */
export const readParts = async (
  incoming: IncomingBody,
  reading: Reading,
  bytesMax: number,
  taker: PartTaker,
): Promise<Failure | undefined> => {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(incoming.contentType);
  if (!incoming.body || !boundary) return failure('malformed_request', 'The multipart body or its boundary is missing');
  const splitter = multipartSplitter(boundary[1] ?? boundary[2] ?? '');
  const source = { body: incoming.body, bytes: incoming.bytes, bytesMax, clock: reading.clock };
  const read = await inRoom(reading.openRoom, async (room) => ok(await readAll(source, room, splitter, taker)));
  return read.ok ? read.value : read.failure;
};

type Source = {
  readonly body: ReadableStream<Uint8Array>;
  readonly bytes: number | undefined;
  readonly bytesMax: number;
  readonly clock: Clock;
};
const readAll = async (
  { body, bytes: declared = Number.POSITIVE_INFINITY, bytesMax, clock }: Source,
  room: BodyRoom,
  splitter: MultipartSplitter,
  taker: PartTaker,
): Promise<Failure | undefined> => {
  const reader = body.getReader();
  const next = pacedRead(reader, {
    windowMs: edgeLimits.spool.clientWindowMs,
    endsAtMs: clock.nowMs() + edgeLimits.upload.bodyMsMax,
    clock,
    brokenOff: () => failure('malformed_request', 'The request body broke off'),
    tooSlow: failure('body_too_slow'),
    isWanted: room.isWanted,
  });
  try {
    for (let bytes = 0; ; ) {
      const chunk = await next();
      if (!chunk.ok) return chunk.failure;
      if (chunk.value === undefined)
        return splitter.closed ? undefined : failure('malformed_request', 'The multipart body is damaged or cut off');
      bytes += chunk.value.length;
      if (bytes > bytesMax) return failure('body_too_large', `A request carries at most ${bytesMax / 1e6} MB`);
      const wrong =
        (await room.need(bytes, Math.min(declared, blockBytes) + besideBlockBytes)) ??
        (await takeAll(taker, splitter.push(chunk.value)));
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
