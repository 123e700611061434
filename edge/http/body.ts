/** A text body of bounded size. */
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

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
  } catch {
    return fail(failure('malformed_request', 'The request body broke off or is not UTF-8 text'));
  }
};
