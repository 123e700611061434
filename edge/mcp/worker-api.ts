/** The public API for the tools of POST /mcp: the Worker's own routes, called with the caller's key. */
import { type BatchCreated, type BatchStatusResponse, problemSchema } from '../../shared/api.ts';
import type { CheckAnswer } from '../../shared/check-api.ts';
import { paths, statusPath } from '../../shared/paths.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Api, Refusal } from './tools.ts';

type Call = { readonly path: string; readonly init?: RequestInit; readonly signal: AbortSignal };

/** `caller`: the headers that say whose key it is, and from where it came. `fetchRoute` runs a request through the route table, with its authentication, rate, log and idempotency. */
export const workerApi = (
  fetchRoute: (request: Request) => Response | Promise<Response>,
  baseUrl: string,
  caller: Readonly<Record<string, string>>,
  newKey: () => string,
): Api => {
  const call = async <T>({ path, init = {}, signal }: Call): Promise<Result<T, Refusal>> => {
    signal.throwIfAborted();
    const headers = { ...init.headers, ...caller };
    const answer = await fetchRoute(new Request(baseUrl + path, { ...init, headers }));
    const body: unknown = await answer.json();
    if (answer.ok) return ok(body as T);
    const { code, detail, retryable, status } = problemSchema.parse(body);
    return fail({ code, detail, retryable, status });
  };
  return {
    createBatch: (url, options, signal) =>
      call<BatchCreated>({
        path: paths.hero,
        init: {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': newKey() },
          body: JSON.stringify({ input_url: url, options }),
        },
        signal,
      }),
    batchStatus: (batchId, waitSeconds, signal) =>
      call<BatchStatusResponse>({ path: `${statusPath(encodeURIComponent(batchId))}?wait=${waitSeconds}`, signal }),
    check: (url, options, signal) =>
      call<CheckAnswer>({
        path: paths.check,
        init: {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input_url: url, options }),
        },
        signal,
      }),
    account: (signal) => call({ path: paths.account, signal }),
  };
};
