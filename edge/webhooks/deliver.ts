/** One attempt to tell a caller's server that a batch has ended. The batch decides whether and when there is another. */
import { TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { webhookEventId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { type AddressRules, publicUrl } from '../../shared/public-address.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { guardUrl, type UntrustedFetchDeps } from '../input-url/guard.ts';
import { fetchErrorText } from '../log.ts';
import { signedHeaders } from './signature.ts';

/** `gone`: the receiver answered 410 and wants no more. `failed`: anything but 2xx and 410, or no answer in time. */
export type Delivery = 'delivered' | 'gone' | 'failed';

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
  readonly batchId: string;
  readonly body: string;
  /** The account's; two while it is being changed. */
  readonly secrets: readonly string[];
};

/** Guarded like an input URL; redirects are not followed and the answer's body is not read. Throws nothing. */
export const deliver = async (call: WebhookCall, deps: UntrustedFetchDeps): Promise<Delivery> => {
  const connection = new AbortController();
  const status = await withTimeout(post(call, connection.signal, deps), limits.webhook.timeoutMs, deps.clock);
  connection.abort();
  if (status === TIMED_OUT) return 'failed';
  if (status === 410) return 'gone';
  return status >= 200 && status < 300 ? 'delivered' : 'failed';
};

/** Status of the answer; 0 where there was none. */
const post = async (call: WebhookCall, signal: AbortSignal, deps: UntrustedFetchDeps): Promise<number> => {
  const noAnswer = (why: string): 0 => {
    if (!signal.aborted) deps.log('info', 'webhook_unreachable', { batch_id: call.batchId, error: why });
    return 0;
  };
  const guarded = await guardUrl(call.url, signal, deps);
  if (!guarded.ok) return noAnswer(guarded.failure.code);
  try {
    const timestampSeconds = Math.floor(deps.clock.nowMs() / 1_000);
    const message = { id: webhookEventId(call.batchId), timestampSeconds, body: call.body };
    const signature = await signedHeaders(message, ...call.secrets);
    const response = await deps.fetch(guarded.value.href, {
      method: 'POST',
      body: call.body,
      headers: { ...signature, 'content-type': 'application/json', 'user-agent': 'packshot/1' },
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return noAnswer(fetchErrorText(error, guarded.value));
  }
};
