/** One attempt to tell a caller's server that a batch has ended. The batch decides whether and when there is another. */
import { TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type ErrorCode, type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { type AddressRules, publicUrl } from '../../shared/public-address.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { guardUrl, type UntrustedFetchDeps } from '../input-url/guard.ts';
import { fetchErrorText } from '../log.ts';
import { signedHeaders } from './signature.ts';

/** `gone`: the receiver answered 410 and wants no more. `failed`: anything but 2xx and 410, or no answer in time. */
type Delivery = 'delivered' | 'gone' | 'failed';

/**
 * The address as given, if it may be called; its name is resolved and checked again at every delivery. Fails with
 * `invalid_request`.
 */
export const checkWebhookUrl = (text: string, rules: AddressRules): Result<string, Failure> => {
  const checked = publicUrl(text, rules);
  if (checked.ok) return ok(text);
  const detail = checked.failure.code === 'url_forbidden' ? 'must lead to a public host' : checked.failure.detail;
  return fail(
    failure('invalid_request', `webhook_url: ${detail}`, {
      errors: [{ field: 'webhook_url', code: checked.failure.code, detail }],
    }),
  );
};

export type WebhookCall = {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
  /** The account's; two while it is being changed. */
  readonly secrets: readonly string[];
};

/** Why there was no answer: none in time, no connection, or the address may not be called, by the code of that. */
type NoAnswer = 'timeout' | 'connection_failed' | ErrorCode;
/** `status`: of the answer; null where there was none, for `failure`. */
export type Attempt = {
  readonly outcome: Delivery;
  readonly status: number | null;
  readonly failure: NoAnswer | null;
  readonly atMs: number;
  readonly ms: number;
};
type Answered = Pick<Attempt, 'status' | 'failure'>;

/** Guarded like an input URL; redirects are not followed and the answer's body is not read. Throws nothing. */
export const deliver = async (call: WebhookCall, deps: UntrustedFetchDeps): Promise<Attempt> => {
  const connection = new AbortController();
  const atMs = deps.clock.nowMs();
  const answer = await withTimeout(post(call, connection.signal, deps), limits.webhook.timeoutMs, deps.clock);
  connection.abort();
  const answered: Answered = answer === TIMED_OUT ? { status: null, failure: 'timeout' } : answer;
  return { ...answered, outcome: deliveryOf(answered.status), atMs, ms: Math.round(deps.clock.nowMs() - atMs) };
};

const deliveryOf = (status: number | null): Delivery => {
  if (status === 410) return 'gone';
  return status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
};

const post = async (call: WebhookCall, signal: AbortSignal, deps: UntrustedFetchDeps): Promise<Answered> => {
  const noAnswer = (why: NoAnswer, text: string): Answered => {
    if (!signal.aborted) deps.log('info', 'webhook_unreachable', { event_id: call.eventId, error: text });
    return { status: null, failure: why };
  };
  const guarded = await guardUrl(call.url, signal, deps);
  if (!guarded.ok) return noAnswer(guarded.failure.code, guarded.failure.code);
  try {
    const timestampSeconds = Math.floor(deps.clock.nowMs() / 1_000);
    const message = { id: call.eventId, timestampSeconds, body: call.body };
    const signature = await signedHeaders(message, ...call.secrets);
    const response = await deps.fetch(guarded.value.href, {
      method: 'POST',
      body: call.body,
      headers: { ...signature, 'content-type': 'application/json', 'user-agent': 'packshot/1' },
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return { status: response.status, failure: null };
  } catch (error) {
    return noAnswer('connection_failed', fetchErrorText(error, guarded.value));
  }
};
