/**
 * From a caller's address to the response that carries the file: at most `redirectsMax` redirects, each one guarded
 * like the first address.
 */
import { TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { fetchErrorText } from '../log.ts';
import { mayCarryAuthorization } from './authorization.ts';
import type { InputSource } from './fetch-input.ts';
import { guardUrl, type UntrustedFetchDeps } from './guard.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept:
    'image/avif,image/webp,image/png,image/jpeg,image/tiff,image/gif,image/bmp,image/vnd.adobe.photoshop,image/jxl,*/*;q=0.1',
  'user-agent': 'packshot/1',
};

/** A response with a 2xx status. Fails with any of the `url_…` codes. `endsAtMs` bounds all redirects together. */
export const follow = async (
  source: InputSource,
  endsAtMs: number,
  signal: AbortSignal,
  deps: UntrustedFetchDeps,
): Promise<Result<Response, Failure>> => {
  let next = source;
  for (let redirects = 0; redirects <= limits.inputUrl.redirectsMax; redirects++) {
    const hop = await oneHop(
      next,
      Math.min(edgeLimits.inputUrl.headersMsMax, endsAtMs - deps.clock.nowMs()),
      signal,
      deps,
    );
    if (!hop.ok) return hop;
    if (!REDIRECTS.has(hop.value.response.status)) return checkStatus(hop.value.response);
    const location = hop.value.response.headers.get('location');
    await hop.value.response.body?.cancel();
    if (location === null || !URL.canParse(location, hop.value.url))
      return fail(failure('url_status', 'The input_url redirects to nowhere'));
    const { href, origin } = new URL(location, hop.value.url);
    // Once it leads elsewhere the header is given up, also where it leads back.
    next = { url: href, authorization: origin === hop.value.url.origin ? next.authorization : undefined };
  }
  return fail(failure('url_too_many_redirects'));
};

type Hop = { readonly url: URL; readonly response: Response };

const oneHop = async (
  source: InputSource,
  ms: number,
  signal: AbortSignal,
  deps: UntrustedFetchDeps,
): Promise<Result<Hop, Failure>> => {
  const hop = await withTimeout(requestHop(source, signal, deps), ms, deps.clock);
  return hop === TIMED_OUT ? fail(failure('url_timeout')) : hop;
};

const requestHop = async (
  { url, authorization }: InputSource,
  signal: AbortSignal,
  deps: UntrustedFetchDeps,
): Promise<Result<Hop, Failure>> => {
  const guarded = await guardUrl(url, signal, deps);
  if (!guarded.ok) return guarded;
  const carries = authorization !== undefined && mayCarryAuthorization(guarded.value, deps.rules);
  try {
    // Redirects are followed here, not by `fetch`, so that each target is guarded; no shared cache is read or written.
    const response = await deps.fetch(guarded.value.href, {
      headers: carries ? { ...HEADERS, authorization } : HEADERS,
      redirect: 'manual',
      cache: 'no-store',
      signal,
    });
    return ok({ url: guarded.value, response });
  } catch (error) {
    const { host } = guarded.value;
    // An aborted call was given up by us, and its failure is answered already.
    if (!signal.aborted)
      deps.log('info', 'input_url_unreachable', { host, error: fetchErrorText(error, guarded.value) });
    return fail(failure('url_unreachable'));
  }
};

const checkStatus = (response: Response): Result<Response, Failure> => {
  const { status } = response;
  if (response.ok) return ok(response);
  const detail = `The input_url answered with status ${status}`;
  return fail(failure(status >= 500 || status === 408 || status === 429 ? 'url_server_error' : 'url_status', detail));
};
