/** When a batch's webhook is tried, by the pauses of webhooks/schedule.ts: 11 or 12 attempts within a day. Pure. */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { nextAttemptMs } from '../../webhooks/schedule.ts';

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
  const dueAtMs = nextAttemptMs({ attempts, firstAtMs: webhook.firstAtMs }, jitter, nowMs);
  return dueAtMs === null ? exhausted : { ...webhook, attempts, dueAtMs };
};
