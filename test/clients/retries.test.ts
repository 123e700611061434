/** How one call is tried again. The network is the client's own `fetch` option; clocks are not waited for. */
import { describe, expect, it, vi } from 'vitest';
import {
  AuthenticationError,
  ChecksumError,
  ConnectionError,
  CreditsError,
  IdempotencyError,
  ImageError,
  NotFoundError,
  Packshot,
  type PackshotError,
  RateLimitError,
  RequestError,
  ServiceError,
} from '../../clients/typescript/src/index.ts';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { photo, sha256 } from './support/node.ts';

type Sent = { readonly url: string; readonly headers: Headers };
const account = { success: true, available_credits: 7 };

/** Answers each try with the next of `answers`, the last one for ever. */
const network = (answers: readonly (() => Response | Promise<Response>)[]) => {
  const sent: Sent[] = [];
  const packshot = new Packshot({
    apiKey: 'sk_test_x',
    baseUrl: 'https://api.example/',
    fetch: async (url, init) => {
      sent.push({ url, headers: new Headers(init.headers) });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return (answer ?? (() => Promise.reject(new Error('no answer left'))))();
    },
  });
  return { sent, packshot };
};

const problem =
  (code: ErrorCode, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      { type: '', detail: code, code, request_id: 'req_1', success: false, ...errors[code], ...more },
      { status: errors[code].status, headers },
    );
const broken = () => Promise.reject(new TypeError('fetch failed'));

/** Runs the pauses of `work` at once and says how long they would have been. */
const withoutWaiting = async <T>(work: () => Promise<T>): Promise<{ result: T; pausesMs: number[] }> => {
  const pausesMs: number[] = [];
  const real = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) => {
    pausesMs.push(ms);
    return real(callback, 0);
  }) as never);
  try {
    return { result: await work(), pausesMs };
  } finally {
    spy.mockRestore();
  }
};

describe('a call', () => {
  it('is tried again under one Idempotency-Key until it is answered, with growing pauses', async () => {
    const made = () => Response.json({ batch_id: 'bat_1', images: [] }, { status: 202 });
    const { sent, packshot } = network([broken, problem('not_ready'), () => new Response('', { status: 502 }), made]);
    const { pausesMs } = await withoutWaiting(() => packshot.createBatch(['https://shop.example/a.jpg']));
    expect(sent).toHaveLength(4);
    const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')));
    expect([keys.size, [...keys][0]?.length]).toEqual([1, 32]);
    for (const [tries, most] of [500, 1_000, 2_000].entries()) {
      expect(pausesMs[tries]).toBeGreaterThanOrEqual(most / 2);
      expect(pausesMs[tries]).toBeLessThanOrEqual(most);
    }
  });

  it('waits as long as Retry-After asks', async () => {
    const { packshot } = network([problem('rate_limited', {}, { 'retry-after': '7' }), () => Response.json(account)]);
    const { result, pausesMs } = await withoutWaiting(() => packshot.account());
    expect([result.available_credits, pausesMs]).toEqual([7, [7_000]]);
  });

  it('waits for an earlier try that still runs, which is not one of its retries', async () => {
    const busy = problem('idempotency_in_flight', {}, { 'retry-after': '10' });
    const made = () => Response.json({ batch_id: 'bat_1', images: [] }, { status: 202 });
    const { sent, packshot } = network([busy, busy, busy, made]);
    const { pausesMs } = await withoutWaiting(() =>
      packshot.createBatch(['https://shop.example/a.jpg'], {}, { retriesMax: 0 }),
    );
    expect([sent.length, pausesMs]).toEqual([4, [10_000, 10_000, 10_000]]);
  });

  it('is not tried again where the API says that it is of no use', async () => {
    const { sent, packshot } = network([problem('insufficient_credits', { credits_required: 1 })]);
    const error = await packshot.create(photo('a')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CreditsError);
    expect((error as CreditsError).problem?.['credits_required']).toBe(1);
    expect(sent).toHaveLength(1);
  });

  it('gives up after its retries, and says why', async () => {
    const { sent, packshot } = network([broken]);
    const { result } = await withoutWaiting(() => packshot.account({ retriesMax: 2 }).catch((error) => error));
    expect(result).toBeInstanceOf(ConnectionError);
    expect([result.code, sent.length]).toEqual(['connection_failed', 3]);
  });

  it('ends at once when its signal is aborted, with the reason', async () => {
    const stop = new AbortController();
    const { packshot } = network([
      () => {
        stop.abort(new Error('closed'));
        return broken();
      },
    ]);
    await expect(packshot.account({ signal: stop.signal })).rejects.toThrow('closed');
  });

  it('is a ConnectionError with code timeout where no answer comes in time', async () => {
    const packshot = new Packshot({
      apiKey: 'sk_test_x',
      baseUrl: 'https://api.example',
      fetch: (_, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    const error = await packshot.account({ timeoutMs: 5, retriesMax: 0 }).catch((thrown) => thrown);
    expect([error instanceof ConnectionError, error.code]).toEqual([true, 'timeout']);
  });

  it.each([
    ['key_unknown', AuthenticationError],
    ['insufficient_credits', CreditsError],
    ['rate_limited', RateLimitError],
    ['batch_not_found', NotFoundError],
    ['idempotency_mismatch', IdempotencyError],
    ['invalid_options', RequestError],
    ['internal_error', ServiceError],
  ] as const)('that fails with %s throws its family, with code, status and request id', async (code, family) => {
    const { packshot } = network([problem(code)]);
    const error: PackshotError = await packshot.account({ retriesMax: 0 }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(family);
    expect(error).toMatchObject({ code, status: errors[code].status, requestId: 'req_1', name: family.name });
  });

  it('whose image cannot be used throws ImageError', async () => {
    const { packshot } = network([
      problem('no_product_found', { errors: [{ field: 'files[0]', code: '', detail: '' }] }),
    ]);
    await expect(packshot.create(photo('a'))).rejects.toBeInstanceOf(ImageError);
  });
});

describe('a download', () => {
  const image = { batch_id: 'bat_1', image_id: 'img_1', url: 'https://files.example/a', sha256: sha256('right') };

  it('is fetched again where its digest is wrong, without the key', async () => {
    const { sent, packshot } = network([() => new Response('wrong'), () => new Response('right')]);
    const { result } = await withoutWaiting(() => packshot.download(image));
    expect(new TextDecoder().decode(result)).toBe('right');
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([null, null]);
  });

  it('that stays wrong is a ChecksumError', async () => {
    const { packshot } = network([() => new Response('wrong')]);
    const { result } = await withoutWaiting(() => packshot.download(image).catch((error) => error));
    expect(result).toBeInstanceOf(ChecksumError);
  });

  it('whose link has expired goes on with a fresh one', async () => {
    const status = () =>
      Response.json({
        images: [{ image_id: 'img_1', status: 'completed', clean_download_url: 'https://files.example/fresh' }],
      });
    const { sent, packshot } = network([problem('download_expired'), status, () => new Response('right')]);
    await packshot.download(image);
    expect(sent.map(({ url }) => url)).toEqual([
      'https://files.example/a',
      'https://api.example/api/v1/service-hero/status/bat_1?wait=0',
      'https://files.example/fresh',
    ]);
  });
});
