/**
 * A client that sends a request again as the documentation tells it to: the same body and Idempotency-Key after a broken
 * connection or an answer that says `retryable`, no sooner than Retry-After asks.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type Final = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
};
export type Send = (path: string, init: RequestInit) => Promise<Final>;
export type Traffic = {
  requests: number;
  sentAgain: number;
  /** Answers by status and code, and what connections ended with. */
  readonly answers: Map<string, number>;
  slowestMs: number;
  /** Requests without a final answer: path and what their last try brought. */
  readonly waiting: Map<symbol, string>;
};

const TRY_MS_MAX = 90_000;
const PAUSE_MS_FIRST = 500;
const PAUSE_MS_MAX = 8_000;

export const newTraffic = (): Traffic => ({
  requests: 0,
  sentAgain: 0,
  answers: new Map(),
  slowestMs: 0,
  waiting: new Map(),
});

const count = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

/** Undefined where there was no answer, or one that our service does not give: something between it and us does. */
const attempt = async (url: string, init: RequestInit, traffic: Traffic): Promise<Final | undefined> => {
  const startedAtMs = performance.now();
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TRY_MS_MAX) });
    const text = await answer.text();
    traffic.slowestMs = Math.max(traffic.slowestMs, performance.now() - startedAtMs);
    const body = JSON.parse(text) as Record<string, unknown>;
    count(traffic.answers, answer.ok ? String(answer.status) : `${answer.status} ${body['code']}`);
    return { status: answer.status, body, headers: answer.headers };
  } catch (error) {
    count(traffic.answers, error instanceof SyntaxError ? 'an answer that is no document' : 'no answer');
    return undefined;
  }
};

const isRetryable = ({ status, body }: Final): boolean => status >= 400 && body['retryable'] === true;

const retryAfterMs = (headers: Headers): number => Number(headers.get('retry-after') ?? 0) * 1_000;

/** Until an answer is final. Throws where there was none until `giveUpAt()`, Unix time in ms. */
export const createClient =
  (baseUrl: string, apiKey: string, traffic: Traffic, giveUpAt: () => number, isPassing = isRetryable): Send =>
  async (path, init) => {
    traffic.requests++;
    const headers = { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string> | undefined) };
    const id = Symbol(path);
    try {
      for (let failures = 0; ; failures++) {
        traffic.waiting.set(id, `${path} (try ${failures + 1})`);
        const answer = await attempt(`${baseUrl}${path}`, { ...init, headers }, traffic);
        if (answer && !isPassing(answer)) return answer;
        const last = answer ? `${answer.status} ${answer.body['code']}` : 'no answer';
        if (Date.now() > giveUpAt()) throw new Error(`no final answer of ${path}; the last one: ${last}`);
        traffic.sentAgain++;
        traffic.waiting.set(id, `${path} (${last})`);
        const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** failures);
        await sleep(Math.max(pauseMs, answer ? retryAfterMs(answer.headers) : 0));
      }
    } finally {
      traffic.waiting.delete(id);
    }
  };
