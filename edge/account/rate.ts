/**
 * Token bucket of one account. Pure. `limits.rate`: `burst` tokens at most, refilled evenly with `requestsPerWindow`
 * per `windowMs`.
 */
import { limits } from '../../shared/limits.ts';

export type Bucket = { readonly tokens: number; readonly atMs: number };
export const fullBucket = (nowMs: number): Bucket => ({ tokens: limits.rate.burst, atMs: nowMs });

/**
 * As the RateLimit headers show it: whole requests left, ms until the bucket is full, ms until one request is allowed
 * (0 = now).
 */
export type RateState = { readonly remaining: number; readonly resetMs: number; readonly retryAfterMs: number };

const MS_PER_TOKEN = limits.rate.windowMs / limits.rate.requestsPerWindow;

/** Takes one token if there is one. A clock that went back refills nothing. */
export const take = (
  bucket: Bucket,
  nowMs: number,
): { readonly allowed: boolean; readonly bucket: Bucket; readonly rate: RateState } => {
  const refilled = Math.min(limits.rate.burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / MS_PER_TOKEN);
  const allowed = refilled >= 1;
  const tokens = allowed ? refilled - 1 : refilled;
  const rate = {
    remaining: Math.floor(tokens),
    resetMs: Math.ceil((limits.rate.burst - tokens) * MS_PER_TOKEN),
    retryAfterMs: allowed ? 0 : Math.ceil((1 - tokens) * MS_PER_TOKEN),
  };
  return { allowed, bucket: { tokens, atMs: nowMs }, rate };
};
