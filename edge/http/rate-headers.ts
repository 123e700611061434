/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), structured fields of RFC 9651. */
import { type Item, serializeList } from 'structured-headers';
import { limits } from '../../shared/limits.ts';
import type { Quota } from '../account/checks/port.ts';
import type { RateState } from '../account/rate.ts';

const item = (policy: string, parameters: Readonly<Record<string, number>>): Item => [
  policy,
  new Map(Object.entries(parameters)),
];
const seconds = (ms: number): number => Math.ceil(ms / 1_000);

const POLICY = 'account';
/** The bucket holds `burst` requests and refills in `w` seconds. */
const accountPolicy = item(POLICY, {
  q: limits.rate.burst,
  w: Math.round((limits.rate.burst * limits.rate.windowMs) / limits.rate.requestsPerWindow / 1_000),
});

/** `quotas`: further allowances that this request counted against. */
export const rateHeaders = (rate: RateState, quotas: readonly Quota[] = []): Record<string, string> => ({
  'RateLimit-Policy': serializeList([
    accountPolicy,
    ...quotas.map(({ policy, perWindow, windowMs }) => item(policy, { q: perWindow, w: seconds(windowMs) })),
  ]),
  RateLimit: serializeList([
    item(POLICY, { r: rate.remaining, t: seconds(rate.resetMs) }),
    ...quotas.map(({ policy, remaining, resetMs }) => item(policy, { r: remaining, t: seconds(resetMs) })),
  ]),
});
