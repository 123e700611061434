/**
 * Names to addresses by DNS over HTTPS (JSON form, as 1.1.1.1 and 8.8.8.8 answer it). `node:dns` in workerd does the
 * same, but always asks 1.1.1.1; asking ourselves keeps the resolver configurable (`DNS_OVER_HTTPS_URL`) and the wait
 * bounded.
 */
import { z } from 'zod';
import type { Fetch } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import type { LogEvent } from '../log.ts';

/** Every A and AAAA address of a name, at least one. Fails with `url_unreachable`. */
export type ResolveHost = (name: string, signal: AbortSignal) => Promise<Result<readonly string[], Failure>>;

export const DEFAULT_RESOLVER = 'https://cloudflare-dns.com/dns-query';

/** Record types of RFC 1035 and RFC 3596; CNAME records come in the same answer and are skipped. */
const TYPES = { A: 1, AAAA: 28 } as const;
const answerSchema = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

const unreachable = (detail: string): Result<never, Failure> => fail(failure('url_unreachable', detail));

export const dnsOverHttps = (endpoint: string, fetch: Fetch, log: LogEvent): ResolveHost => {
  const ask = async (name: string, type: keyof typeof TYPES, signal: AbortSignal): Promise<string[]> => {
    const response = await fetch(`${endpoint}?name=${encodeURIComponent(name)}&type=${type}`, {
      headers: { accept: 'application/dns-json' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(edgeLimits.inputUrl.dnsMsMax)]),
    });
    if (!response.ok) throw new Error(`resolver answered ${response.status}`);
    const answer = answerSchema.parse(await response.json());
    return (answer.Answer ?? []).filter((record) => record.type === TYPES[type]).map((record) => record.data);
  };
  return async (name, signal) => {
    try {
      const addresses = (await Promise.all([ask(name, 'A', signal), ask(name, 'AAAA', signal)])).flat();
      return addresses.length > 0 ? ok(addresses) : unreachable('The host of the address does not resolve');
    } catch (error) {
      if (!signal.aborted) log('warn', 'name_not_resolved', { name, error: String(error) });
      return unreachable('The host of the address could not be resolved');
    }
  };
};
