/** Waits between tries of the same thing: doubling, capped, spread. Pure. */

/** `factor` is 2 unless said otherwise; without `capMs` the wait grows for as long as there are attempts. */
export type Backoff = { readonly baseMs: number; readonly capMs?: number; readonly factor?: number };

/**
 * Milliseconds to wait before the next attempt; `attempt` counts from 0. `random` in 0..1 spreads the wait over its
 * upper half (1: no jitter). `askedMs` is what the other side asked for; the wait is never shorter.
 */
export const backoffMs = (
  attempt: number,
  { baseMs, capMs = Number.POSITIVE_INFINITY, factor = 2 }: Backoff,
  random = 1,
  askedMs = 0,
): number => Math.max(askedMs, Math.min(baseMs * factor ** attempt, capMs) * (0.5 + random / 2));
