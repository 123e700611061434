/** One call of the API: its tries, the pauses between them, and what it answers. */
import { ConnectionError, errorOf, PackshotError } from './errors.ts';

export type CallOptions = {
  /** Ends the call and everything it waits for. */
  readonly signal?: AbortSignal | undefined;
  /** For one try, ms. */
  readonly timeoutMs?: number | undefined;
  readonly retriesMax?: number | undefined;
};

export type Settings = {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly retriesMax: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export type Request = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A path of the API, or an absolute URL, to which the key is not sent. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  /** The answer's body is handed on: the time of a try ends with its headers. */
  readonly isStreamed?: boolean;
};

const PAUSE_MS_FIRST = 500;
const PAUSE_MS_MAX = 8_000;
/** An answer that asks for more patience than this is thrown, with its `retryAfterMs`. */
const RETRY_AFTER_MS_MAX = 60_000;
/** An earlier try that still runs ends within this: then its answer is this one's. It does not count as a retry. */
const IN_FLIGHT_MS_MAX = 150_000;

/**
 * Tries until an answer is 2xx or final, and gives it to `read`, whose failure (an answer that breaks off) is a failed
 * try as well. A request that may not be repeated comes with `retriesMax: 0`; any other changes nothing the second time, or
 * carries an Idempotency-Key.
 */
export const call = async <T>(
  settings: Settings,
  request: Request,
  options: CallOptions,
  read: (answer: Response) => Promise<T>,
): Promise<T> => {
  const retriesMax = options.retriesMax ?? settings.retriesMax;
  const startedAtMs = Date.now();
  for (let failures = 0; ; ) {
    try {
      return await attempt(settings, request, options, read);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof PackshotError) || !error.retryable) throw error;
      const isInFlight = error.code === 'idempotency_in_flight' && Date.now() - startedAtMs < IN_FLIGHT_MS_MAX;
      if (!isInFlight && ++failures > retriesMax) throw error;
      if ((error.retryAfterMs ?? 0) > RETRY_AFTER_MS_MAX) throw error;
      await sleep(error.retryAfterMs ?? pauseMs(failures), options.signal);
    }
  }
};

/** Doubles with each try, shortened at random by up to half. */
const pauseMs = (failures: number): number =>
  Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** Math.max(0, failures - 1)) * (1 - Math.random() / 2);

const attempt = async <T>(
  settings: Settings,
  request: Request,
  { signal, timeoutMs = settings.timeoutMs }: CallOptions,
  read: (answer: Response) => Promise<T>,
): Promise<T> => {
  const isOwn = request.url.startsWith('/');
  const { timeout, end } = request.isStreamed ? endableTimeout(timeoutMs) : { timeout: AbortSignal.timeout(timeoutMs) };
  try {
    const answer = await settings.fetch(isOwn ? settings.baseUrl + request.url : request.url, {
      method: request.method,
      headers: { ...(isOwn ? { authorization: `Bearer ${settings.apiKey}` } : {}), ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!answer.ok) throw await errorOf(answer);
    return await read(answer);
  } catch (cause) {
    if (cause instanceof PackshotError) throw cause;
    throw timeout.aborted
      ? new ConnectionError(`No answer within ${timeoutMs} ms`, { code: 'timeout', retryable: true, cause })
      : new ConnectionError('The service could not be reached, or the connection broke', {
          code: 'connection_failed',
          retryable: true,
          cause,
        });
  } finally {
    end?.();
  }
};

const endableTimeout = (ms: number) => {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), ms);
  return { timeout: ending.signal, end: () => clearTimeout(timer) };
};

/** Rejects with the signal's reason when it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** 128 random bits, also where a page is not a secure context. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
