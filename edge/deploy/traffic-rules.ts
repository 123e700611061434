/**
 * Puts traffic-rules.json into the zone: npm run deploy:traffic [-- --dry-run]. Needs CLOUDFLARE_ZONE_ID and
 * CLOUDFLARE_API_TOKEN ("Zone WAF: Edit"). Rules of ours are those whose ref begins with `packshot_`: they are replaced;
 * all others stay, before ours. Repeated, it changes nothing. A dry run reads the zone and prints what it would send; without a token it
 * prints our rules alone and calls nobody.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Rule = { readonly ref?: string; readonly [field: string]: unknown };

const OURS = 'packshot_';
/** What Cloudflare adds to a rule and does not take back. */
const ADDED = ['version', 'last_updated'];
const CALL_MS_MAX = 30_000;

const rulesOf = (): Record<string, readonly Rule[]> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'traffic-rules.json'), 'utf8'));

const need = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
};

const call = async (method: 'GET' | 'PUT', url: string, token: string, body?: unknown): Promise<Response> =>
  fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });

/** The rules of others, as they are to be sent again. A phase that has no rules yet answers 404. */
const rulesOfOthers = async (url: string, token: string): Promise<Rule[]> => {
  const answer = await call('GET', url, token);
  if (answer.status === 404) return [];
  if (!answer.ok) throw new Error(`GET ${url} answered ${answer.status}: ${await answer.text()}`);
  const { result } = (await answer.json()) as { result: { rules?: Rule[] } };
  return (result.rules ?? [])
    .filter(({ ref }) => !ref?.startsWith(OURS))
    .map((rule) => Object.fromEntries(Object.entries(rule).filter(([field]) => !ADDED.includes(field))));
};

const main = async (): Promise<void> => {
  const isDry = process.argv.includes('--dry-run');
  const token = isDry ? process.env['CLOUDFLARE_API_TOKEN'] : need('CLOUDFLARE_API_TOKEN');
  const zone = isDry && !token ? '<zone>' : need('CLOUDFLARE_ZONE_ID');
  const api = process.env['CLOUDFLARE_API_URL'] || 'https://api.cloudflare.com/client/v4';
  for (const [phase, ours] of Object.entries(rulesOf())) {
    const url = `${api}/zones/${zone}/rulesets/phases/${phase}/entrypoint`;
    const others = token ? await rulesOfOthers(url, token) : [];
    // Rate limits must come last.
    const body = { rules: [...others, ...ours] };
    if (isDry || !token) {
      console.log(`PUT ${url}\n${JSON.stringify(body, null, 2)}\n`);
      continue;
    }
    const answer = await call('PUT', url, token, body);
    if (!answer.ok) throw new Error(`PUT ${url} answered ${answer.status}: ${await answer.text()}`);
    console.log(`${phase}: ${ours.length} rules of ours, ${others.length} of others`);
  }
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
