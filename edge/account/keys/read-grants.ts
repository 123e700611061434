/** The limits of a key as a request writes them. Pure. */
import { type Failure, failure } from '../../../shared/errors.ts';
import type { KeyGrantsAsked } from '../../../shared/key-api.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { normalRange } from './addresses.ts';
import type { KeyGrants } from './grants.ts';

const invalid = (field: string, detail: string): Failure =>
  failure('invalid_request', detail, { errors: [{ field, code: 'invalid_request', detail }] });

/** Fails with invalid_request for an expiry that is over, or a range that is none. What was left out is left out. */
export const readGrants = (asked: KeyGrantsAsked, nowMs: number): Result<Partial<KeyGrants>, Failure> => {
  const { scopes, expires_at, allowed_ips, daily_credit_cap } = asked;
  const expiresAtMs = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at;
  if (typeof expiresAtMs === 'number' && !(expiresAtMs > nowMs))
    return fail(invalid('expires_at', 'expires_at must lie in the future'));
  const ranges = allowed_ips?.map((text) => ({ text, range: normalRange(text) }));
  const wrong = ranges?.find(({ range }) => range === undefined);
  if (wrong) return fail(invalid('allowed_ips', `"${wrong.text}" is no address or range such as 203.0.113.0/24`));
  const allowedIps = ranges ? [...new Set(ranges.map(({ range }) => range ?? ''))] : allowed_ips;
  return ok({
    ...(scopes && { scopes: [...new Set(scopes)] }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(allowedIps !== undefined && { allowedIps: allowedIps as readonly string[] | null }),
    ...(daily_credit_cap !== undefined && { creditsPerDayMax: daily_credit_cap }),
  });
};
