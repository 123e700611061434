/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), structured fields of RFC 9651. */
import { type Item, serializeList } from 'structured-headers';
import { limits } from '../../shared/limits.ts';
import type { RateState } from '../account/rate.ts';

const POLICY = 'account';
const item = (parameters: Readonly<Record<string, number>>): Item => [POLICY, new Map(Object.entries(parameters))];

/** The bucket holds `burst` requests and refills in `w` seconds. */
const policy = serializeList([
  item({
    q: limits.rate.burst,
    w: Math.round((limits.rate.burst * limits.rate.windowMs) / limits.rate.requestsPerWindow / 1_000),
  }),
]);

export const rateHeaders = (rate: RateState): Record<string, string> => ({
  'RateLimit-Policy': policy,
  RateLimit: serializeList([item({ r: rate.remaining, t: Math.ceil(rate.resetMs / 1_000) })]),
});
