/**
 * When a batch's webhook is tried. Pure. Pauses triple from 5 s, each shortened at random by up to half; the last attempt
 * is made when the window, a day from the first attempt, ends. That makes 11 or 12 attempts.
 */
import { backoffMs } from '../../../shared/backoff.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';

export type WebhookState =
  | { readonly state: 'none' }
  /** The batch is still running. */
  | { readonly state: 'armed' }
  | { readonly state: 'due'; readonly attempts: number; readonly firstAtMs: number; readonly dueAtMs: number }
  | { readonly state: 'delivered' }
  /** `gone`: the receiver answered 410. `exhausted`: no attempt is left. `removed`: the batch was deleted. */
  | { readonly state: 'given_up'; readonly why: 'gone' | 'exhausted' | 'removed' };
type DueWebhook = Extract<WebhookState, { state: 'due' }>;

export const armed: WebhookState = { state: 'armed' };

export const nextWebhookMs = (webhook: WebhookState): number | null =>
  webhook.state === 'due' ? webhook.dueAtMs : null;

/** State once an attempt has been sent off: if its answer is lost, another follows when the attempt must be over. */
export const attempting = (webhook: WebhookState, nowMs: number): WebhookState =>
  webhook.state === 'due'
    ? { ...webhook, dueAtMs: nowMs + limits.webhook.timeoutMs + edgeLimits.batch.redriveAfterMs }
    : webhook;

const windowEndMs = ({ firstAtMs }: DueWebhook): number => firstAtMs + limits.webhook.windowMs;

/** True once the next attempt lies beyond the window: attempts whose answers were all lost end here too. */
export const isSpent = (webhook: DueWebhook): boolean => webhook.dueAtMs > windowEndMs(webhook);

export const removedBefore: WebhookState = { state: 'given_up', why: 'removed' };
export const exhausted: WebhookState = { state: 'given_up', why: 'exhausted' };

/** State after one attempt. `jitter` in 0..1 shortens the pause before the next one. Late answers change nothing. */
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
  const endMs = windowEndMs(webhook);
  if (attempts >= limits.webhook.attemptsMax || nowMs >= endMs) return exhausted;
  return { ...webhook, attempts, dueAtMs: Math.min(nowMs + pauseMs(attempts, jitter), endMs) };
};

const backoff = { baseMs: edgeLimits.webhook.backoffBaseMs, factor: 3 };

/** 5 s, 15 s, 45 s … */
const pauseMs = (attempts: number, jitter: number): number => Math.ceil(backoffMs(attempts - 1, backoff, jitter));
