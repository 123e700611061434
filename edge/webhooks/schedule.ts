/** When a webhook that was not accepted is tried again. Pure. */
import { backoffMs } from '../../shared/backoff.ts';
import { limits } from '../../shared/limits.ts';
import { edgeLimits } from '../limits.ts';

const backoff = { baseMs: edgeLimits.webhook.backoffBaseMs, factor: 3 };

/**
 * `attempts`: made so far, at least 1. Pauses triple from 5 s, each shortened at random by up to half (`jitter` in 0..1);
 * the last attempt is made when the window, a day from the first, ends. Null: none is left.
 */
export const nextAttemptMs = (
  { attempts, firstAtMs }: { readonly attempts: number; readonly firstAtMs: number },
  jitter: number,
  nowMs: number,
): number | null => {
  const endMs = firstAtMs + limits.webhook.windowMs;
  if (attempts >= limits.webhook.attemptsMax || nowMs >= endMs) return null;
  return Math.min(nowMs + Math.ceil(backoffMs(attempts - 1, backoff, jitter)), endMs);
};
