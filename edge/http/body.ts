/** Bodies of bounded size, as text and as checked JSON. */
import { z } from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { pacedRead } from '../spool/paced-read.ts';

const unreadable = (error: unknown): Failure => {
  logEvent('info', 'request_body_unreadable', { error: String(error) });
  return failure('malformed_request', 'The request body broke off or is not UTF-8 text');
};

/** Fails with body_too_large, body_too_slow, or malformed_request where it breaks off or is not UTF-8. */
export const readText = async (
  request: Pick<Request, 'headers' | 'body'>,
  bytesMax: number,
): Promise<Result<string, Failure>> => {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return fail(failure('body_too_large'));
  if (!request.body) return ok('');
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  const reader = request.body.getReader();
  const next = pacedRead(reader, {
    windowMs: edgeLimits.spool.clientWindowMs,
    endsAtMs: systemClock.nowMs() + edgeLimits.jsonBody.msMax,
    clock: systemClock,
    brokenOff: unreadable,
    tooSlow: failure('body_too_slow'),
  });
  try {
    let text = '';
    for (let bytes = 0; ; ) {
      const chunk = await next();
      if (!chunk.ok) return chunk;
      if (chunk.value === undefined) return ok(text + decoder.decode());
      bytes += chunk.value.byteLength;
      if (bytes > bytesMax) return fail(failure('body_too_large'));
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch (error) {
    return fail(unreadable(error));
  } finally {
    reader.cancel().catch(() => {});
  }
};

/**
 * The JSON body as `schema` has it; an empty body counts as `{}`. Fails with body_too_large, malformed_request (not
 * JSON) or invalid_request, which names what is wrong.
 */
export const readJson = async <T>(
  request: Request,
  schema: z.ZodType<T>,
  bytesMax: number,
): Promise<Result<T, Failure>> => {
  const text = await readText(request, bytesMax);
  if (!text.ok) return text;
  let body: unknown;
  try {
    body = JSON.parse(text.value || '{}');
  } catch {
    return fail(failure('malformed_request'));
  }
  const parsed = schema.safeParse(body);
  return parsed.success ? ok(parsed.data) : fail(failure('invalid_request', z.prettifyError(parsed.error)));
};
