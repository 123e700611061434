/** One call to one node: sent, listened to within bounds of silence and size, and read into a reply. */
import { type Clock, type Fetch, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { edgeLimits } from '../limits.ts';

/**
 * What one node made of a call.
 * `failed`: a bug or a refusal that any other node would repeat.
 * `unhealthy`: the node cannot be reached, or is not what it should be; `status` where it said so itself.
 * `no_headers`: nothing came in time. The node is down, or the call was never sent: Cloudflare lets one invocation wait
 * for the headers of six connections and holds back the seventh, while our time for it already runs.
 * `timed_out`: the node may be well, but the call's time is over.
 */
export type NodeReply<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'unhealthy'; readonly why: string; readonly status?: number }
  | { readonly kind: 'no_headers'; readonly why: string }
  | { readonly kind: 'timed_out' };

/** `read`: what the text of a 200 says; undefined where no node of ours says that. */
export type NodeCall<T> = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly endsAtMs: number;
  readonly read: (text: string) => NodeReply<T> | undefined;
  /** Of the answer; `edgeLimits.origin.answerBytesMax` where nothing is said. */
  readonly answerBytesMax?: number;
};

export type CallNodeDeps = { readonly fetch: Fetch; readonly clock: Clock };

/** Listens until the node has answered, has been silent for too long, or the call's time is over. Throws nothing. */
export const callNode = async <T>({ fetch, clock }: CallNodeDeps, call: NodeCall<T>): Promise<NodeReply<T>> => {
  const { headersMsMax, silenceMsMax } = edgeLimits.origin;
  const connection = new AbortController();
  const listen = <V>(work: Promise<V>, msMax: number): Promise<V | typeof TIMED_OUT> =>
    withTimeout(work, Math.min(msMax, call.endsAtMs - clock.nowMs()), clock);
  const silent = (kind: 'no_headers' | 'unhealthy', msMax: number): NodeReply<T> =>
    clock.nowMs() >= call.endsAtMs ? { kind: 'timed_out' } : { kind, why: `silent for ${msMax} ms` };
  try {
    const { url, headers, body } = call;
    const sent = fetch(url, { method: 'POST', headers, body, signal: connection.signal });
    const response = await listen(sent, headersMsMax);
    if (response === TIMED_OUT) return silent('no_headers', headersMsMax);
    const { answerBytesMax = edgeLimits.origin.answerBytesMax } = call;
    const text = await readText(response, answerBytesMax, (part) => listen(part, silenceMsMax));
    if (text === TIMED_OUT) return silent('unhealthy', silenceMsMax);
    return text === undefined
      ? { kind: 'unhealthy', why: `answered more than ${answerBytesMax} bytes` }
      : replyOf(response, text, call.read);
  } catch (error) {
    return { kind: 'unhealthy', why: String(error) };
  } finally {
    connection.abort();
  }
};

type Listen = <V>(part: Promise<V>) => Promise<V | typeof TIMED_OUT>;

/** The whole body; TIMED_OUT where the node falls silent, undefined where the body is too large. */
const readText = async (
  response: Response,
  bytesMax: number,
  listen: Listen,
): Promise<string | typeof TIMED_OUT | undefined> => {
  const reader = (response.body ?? new Blob().stream()).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const part = await listen(reader.read());
    if (part === TIMED_OUT) return TIMED_OUT;
    if (part.done) return text + decoder.decode();
    bytes += part.value.byteLength;
    if (bytes > bytesMax) return undefined;
    text += decoder.decode(part.value, { stream: true });
  }
};

/** 502, 504 and everything above come from proxies in front of a node that does not answer them. */
const replyOf = <T>(response: Response, text: string, read: NodeCall<T>['read']): NodeReply<T> => {
  const { status } = response;
  if (status === 503 || status === 429) return busyFor(Number(response.headers.get('retry-after')));
  const why = `status ${status}: ${text.slice(0, 300)}`;
  if (status === 500) return { kind: 'failed', why };
  if (status > 500) return { kind: 'unhealthy', why };
  return (status === 200 ? read(text) : undefined) ?? { kind: 'unhealthy', why, status };
};

/** A node that names no time is asked again after a second. */
export const busyFor = (seconds: number) =>
  ({
    kind: 'busy',
    retryAfterMs: Math.min(seconds > 0 ? seconds * 1_000 : 1_000, edgeLimits.origin.retryAfterMsMax),
  }) as const;
