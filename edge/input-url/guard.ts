/**
 * Whether a URL from outside may be fetched right now: its text by `publicUrl`, its name by DNS. Every request to an
 * address that a caller gave (input images, each redirect on the way, webhooks) passes here first.
 *
 * A Worker cannot pin the address it checked: `fetch` resolves the name again. (A socket could be pinned, but Workers'
 * sockets refuse Cloudflare's own addresses, behind which many shops are.) Between check and fetch a hostile name
 * server may change its answer. What closes that gap:
 *  - On Cloudflare, `fetch` leaves from the edge network: no private network, loopback service or metadata host can be
 *    reached from there; names that point to prohibited addresses are answered with error 1000, bare addresses with
 *    1003. Our own hosts are refused by name, and origin accepts signed jobs only.
 *  - A self-hosted workerd enforces it at the socket: its `network` service allows "public" peers only, unless
 *    configured otherwise.
 *  - `wrangler dev` allows private peers. The check still applies, but does not hold against a changing answer: local
 *    mode is for one's own machine.
 * Where no resolver answers (an air-gapped machine), names are refused with `url_unreachable`; only `LOCAL_INPUT_HOSTS`
 * pass.
 */
import type { Clock, Fetch } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import {
  type AddressRules,
  addressOfHost,
  isLocalHost,
  isPublicAddress,
  publicUrl,
} from '../../shared/public-address.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { LogEvent } from '../log.ts';
import type { ResolveHost } from './resolve.ts';

export type GuardDeps = { readonly rules: AddressRules; readonly resolve: ResolveHost };
/** What a guarded call needs. */
export type UntrustedFetchDeps = GuardDeps & { readonly fetch: Fetch; readonly clock: Clock; readonly log: LogEvent };

/**
 * The URL to fetch. Fails with `url_invalid`, `url_forbidden` (also where any one of the name's addresses is not
 * public) or `url_unreachable` (the name does not resolve).
 */
export const guardUrl = async (text: string, signal: AbortSignal, deps: GuardDeps): Promise<Result<URL, Failure>> => {
  const checked = publicUrl(text, deps.rules);
  if (!checked.ok) return checked;
  const url = checked.value;
  if (isLocalHost(url, deps.rules) || addressOfHost(url.hostname) !== undefined) return checked;
  const resolved = await deps.resolve(url.hostname, signal);
  if (!resolved.ok) return resolved;
  return resolved.value.every(isPublicAddress) ? ok(url) : fail(failure('url_forbidden'));
};
