/**
 * When a batch's webhook is tried. Pure. Backoff doubles with jitter from 5 s and ends with
 * `limits.webhook.attemptsMax` or its window, whichever is first.
 */
import { limits } from '../../../shared/limits.ts';

export type WebhookState =
  | { readonly state: 'none' }
  /** The batch is still running. */
  | { readonly state: 'armed' }
  | { readonly state: 'due'; readonly attempts: number; readonly firstAtMs: number; readonly dueAtMs: number }
  | { readonly state: 'delivered' }
  /** `gone`: the receiver answered 410. `exhausted`: no attempt is left. */
  | { readonly state: 'given_up'; readonly why: 'gone' | 'exhausted' };

export const armed: WebhookState = { state: 'armed' };

export const nextWebhookMs = (webhook: WebhookState): number | null =>
  webhook.state === 'due' ? webhook.dueAtMs : null;

/** State once an attempt has been sent off: if its answer is lost, another follows when the attempt must be over. */
export const attempting = (webhook: WebhookState, nowMs: number): WebhookState =>
  webhook.state === 'due'
    ? { ...webhook, dueAtMs: nowMs + limits.webhook.timeoutMs + limits.batch.redriveAfterMs }
    : webhook;

/** True once the window is over: attempts whose answers were all lost end here too. */
export const isSpent = (webhook: WebhookState, nowMs: number): boolean =>
  webhook.state === 'due' && nowMs > webhook.firstAtMs + limits.webhook.windowMs;

export const exhausted: WebhookState = { state: 'given_up', why: 'exhausted' };

/**
 * State after one attempt. `jitter` in 0..1 spreads the next one over the upper half of its backoff. Late answers
 * change nothing.
 */
export const afterAnswer = (
  webhook: WebhookState,
  answer: 'delivered' | 'gone' | 'failed',
  jitter: number,
  nowMs: number,
): WebhookState => {
  if (webhook.state !== 'due') return webhook;
  if (answer === 'delivered') return { state: 'delivered' };
  if (answer === 'gone') return { state: 'given_up', why: 'gone' };
  const attempts = webhook.attempts + 1;
  const dueAtMs = nowMs + backoffMs(attempts, jitter);
  if (attempts >= limits.webhook.attemptsMax || dueAtMs > webhook.firstAtMs + limits.webhook.windowMs) return exhausted;
  return { ...webhook, attempts, dueAtMs };
};

/** 5 s, 15 s, 45 s … tripling: ten attempts span a little under a day. */
const backoffMs = (attempts: number, jitter: number): number =>
  Math.ceil(limits.webhook.backoffBaseMs * 3 ** (attempts - 1) * (0.5 + jitter / 2));
