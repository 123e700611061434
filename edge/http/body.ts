/** Bodies of bounded size, as text and as checked JSON. */
import { z } from 'zod';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { logEvent } from '../log.ts';

/** Fails with body_too_large, or malformed_request where it breaks off or is not UTF-8. */
export const readText = async (request: Request, bytesMax: number): Promise<Result<string, Failure>> => {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return fail(failure('body_too_large'));
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(failure('body_too_large'));
      text += decoder.decode(chunk, { stream: true });
    }
    return ok(text + decoder.decode());
  } catch (error) {
    logEvent('info', 'request_body_unreadable', { bytes, error: String(error) });
    return fail(failure('malformed_request', 'The request body broke off or is not UTF-8 text'));
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
