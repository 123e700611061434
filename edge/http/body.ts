/** Bodies of bounded size, as text and as checked JSON. */
import type { z } from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { bodyFailure } from '../batch/body.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { blockBuffer } from '../spool/block-buffer.ts';
import { type BodyRoom, inRoom, type OpenRoom, uncounted } from '../spool/bodies.ts';
import { pacedRead } from '../spool/paced-read.ts';

const unreadable = (error: unknown): Failure => {
  logEvent('info', 'request_body_unreadable', { error: String(error) });
  return failure('malformed_request', 'The request body broke off or is not UTF-8 text');
};

/** Length of the body as its sender declared it; undefined where it did not. */
export const declaredBytes = ({ headers }: Pick<Request, 'headers'>): number | undefined => {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
};

export type TextBody = { readonly body: ReadableStream<Uint8Array> | null; readonly bytes: number | undefined };
/** `factor`: how many times its bytes a text takes while it is read and used. */
export type TextBounds = { readonly openRoom: OpenRoom; readonly bytesMax: number; readonly factor: number };

/**
 * What `use` makes of the text, in whose time it is still held. Fails with body_too_large, body_too_slow, not_ready (no
 * room for it), or malformed_request where it breaks off or is not UTF-8.
 */
export const withText = <T>(
  { body, bytes = Number.POSITIVE_INFINITY }: TextBody,
  { openRoom, bytesMax, factor }: TextBounds,
  use: (text: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> => {
  if (Number.isFinite(bytes) && bytes > bytesMax) return Promise.resolve(fail(failure('body_too_large')));
  if (!body) return use('');
  return inRoom(openRoom, async (room) => {
    const text = await textOf(body, room, { bytesMax, roomBytes: factor * Math.min(bytes, bytesMax) });
    return text.ok ? use(text.value) : text;
  });
};

/** A text that is small enough to be held once more while it is used. Fails as `withText` does. */
export const readText = (
  request: Pick<Request, 'headers' | 'body'>,
  bytesMax: number,
  openRoom: OpenRoom = uncounted,
): Promise<Result<string, Failure>> =>
  withText({ body: request.body, bytes: declaredBytes(request) }, { openRoom, bytesMax, factor: 1 }, async (text) =>
    ok(text),
  );

/** Copied into a buffer of its own first: a string that grew by one character at a time would take some 30 bytes for each. */
const textOf = async (
  body: ReadableStream<Uint8Array>,
  room: BodyRoom,
  { bytesMax, roomBytes }: { readonly bytesMax: number; readonly roomBytes: number },
): Promise<Result<string, Failure>> => {
  const buffer = blockBuffer(bytesMax);
  const reader = body.getReader();
  const next = pacedRead(reader, {
    windowMs: edgeLimits.spool.clientWindowMs,
    endsAtMs: systemClock.nowMs() + edgeLimits.jsonBody.msMax,
    clock: systemClock,
    brokenOff: unreadable,
    tooSlow: failure('body_too_slow'),
    isWanted: room.isWanted,
  });
  try {
    for (;;) {
      const chunk = await next();
      if (!chunk.ok) return chunk;
      if (chunk.value === undefined) return ok(utf8.decode(buffer.bytes()));
      const wrong = await room.need(buffer.length + chunk.value.length, roomBytes);
      if (wrong) return fail(wrong);
      if (buffer.push(chunk.value) < chunk.value.length) return fail(failure('body_too_large'));
    }
  } catch (error) {
    return fail(unreadable(error));
  } finally {
    reader.cancel().catch(() => {});
  }
};
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * The JSON body as `schema` has it; an empty body counts as `{}`. Fails with body_too_large, malformed_request (not
 * JSON) or invalid_request, which names what is wrong, field by field.
 */
export const readJson = async <T>(
  request: Request,
  schema: z.ZodType<T>,
  bytesMax: number,
  openRoom: OpenRoom = uncounted,
): Promise<Result<T, Failure>> => {
  const text = await readText(request, bytesMax, openRoom);
  if (!text.ok) return text;
  let body: unknown;
  try {
    body = JSON.parse(text.value || '{}');
  } catch {
    return fail(failure('malformed_request'));
  }
  const parsed = schema.safeParse(body);
  return parsed.success ? ok(parsed.data) : fail(bodyFailure(parsed.error));
};
