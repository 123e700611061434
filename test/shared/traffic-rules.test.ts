/** The platform's rules for traffic, put into a zone by a command; a local server plays Cloudflare's API. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { edgeLimits } from '../../edge/limits.ts';
import { paths } from '../../shared/paths.ts';

const root = join(import.meta.dirname, '..', '..');
const file = join(root, 'edge/deploy/traffic-rules.json');
type Rule = {
  ref: string;
  expression: string;
  action: string;
  ratelimit?: { requests_per_period: number; period: number; mitigation_timeout: number; characteristics: string[] };
};
const ours = JSON.parse(readFileSync(file, 'utf8')) as Record<
  'http_request_firewall_custom' | 'http_ratelimit',
  Rule[]
>;

/** A zone's rule sets by phase, as Cloudflare keeps them: every rule gets an id, a version and a time. */
const zone = new Map<string, object[]>();
const calls: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  calls.push(`${request.method} ${request.url}`);
  if (request.headers.authorization !== 'Bearer the-token') return answer(403, { success: false });
  const phase = /^\/zones\/zone-1\/rulesets\/phases\/(\w+)\/entrypoint$/.exec(request.url ?? '')?.[1];
  if (phase === undefined) return answer(404, { success: false });
  if (request.method === 'GET') {
    const rules = zone.get(phase);
    return rules ? answer(200, { success: true, result: { rules } }) : answer(404, { success: false });
  }
  const { rules } = JSON.parse(Buffer.concat(chunks).toString()) as { rules: { id?: string; version?: string }[] };
  if (rules.some(({ version }) => version !== undefined)) return answer(400, { success: false, errors: ['version'] });
  zone.set(
    phase,
    rules.map((rule, i) => ({ id: `id-${phase}-${i}`, ...rule, version: '1', last_updated: '2026-11-22T00:00:00Z' })),
  );
  return answer(200, { success: true, result: { rules: zone.get(phase) } });
});

beforeEach(async () => {
  zone.clear();
  calls.length = 0;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(() => new Promise((done) => server.close(done)));

const run = async (args: string[], env: Record<string, string> = {}) => {
  const { port } = server.address() as AddressInfo;
  return promisify(execFile)(process.execPath, ['edge/deploy/traffic-rules.ts', ...args], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      CLOUDFLARE_API_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_API_TOKEN: 'the-token',
      CLOUDFLARE_ZONE_ID: 'zone-1',
      ...env,
    },
  });
};
const refsOf = (phase: string): unknown[] => (zone.get(phase) ?? []).map((rule) => (rule as Rule).ref);

describe('the command', () => {
  it('puts every rule of the file into an empty zone, and changes nothing the second time', async () => {
    await run([]);
    for (const [phase, rules] of Object.entries(ours)) expect(zone.get(phase)).toMatchObject(rules);
    const before = JSON.stringify([...zone]);
    await run([]);
    expect(JSON.stringify([...zone])).toBe(before);
  });

  it('keeps the rules of others, before ours, and replaces earlier ones of ours', async () => {
    const other = { ref: 'shop', expression: 'true', action: 'log' };
    zone.set('http_ratelimit', [
      { ref: 'packshot_gone', expression: 'x', action: 'block' },
      { id: 'o', version: '3', ...other },
    ]);
    await run([]);
    expect(refsOf('http_ratelimit')).toEqual(['shop', ...ours.http_ratelimit.map(({ ref }) => ref)]);
    expect(zone.get('http_ratelimit')?.[0]).toMatchObject({ id: 'o', ...other });
  });

  it('with --dry-run prints what it would send, and changes nothing; without a token it calls nobody', async () => {
    zone.set('http_ratelimit', [{ ref: 'shop', expression: 'true', action: 'log' }]);
    const { stdout } = await run(['--dry-run']);
    expect(stdout).toContain('/zones/zone-1/rulesets/phases/http_ratelimit/entrypoint');
    expect(stdout).toContain('"shop"');
    for (const { ref } of Object.values(ours).flat()) expect(stdout).toContain(ref);
    expect(stdout).not.toContain('the-token');
    expect(calls.every((call) => call.startsWith('GET '))).toBe(true);
    calls.length = 0;
    expect((await run(['--dry-run'], { CLOUDFLARE_API_TOKEN: '' })).stdout).toContain('packshot_unknown_keys');
    expect(calls).toEqual([]);
  });

  it('fails, saying why, on a wrong token or a missing zone', async () => {
    await expect(run([], { CLOUDFLARE_API_TOKEN: 'another' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('403'),
    });
    await expect(run([], { CLOUDFLARE_ZONE_ID: '' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CLOUDFLARE_ZONE_ID is missing'),
    });
    expect([...zone]).toEqual([]);
  });
});

describe('the rules', () => {
  it("have refs of ours, and are looser than the Worker's own limits, which answer with more", () => {
    for (const { ref } of Object.values(ours).flat()) expect(ref).toMatch(/^packshot_[a-z_]+$/);
    const [keys, strangers] = ours.http_ratelimit;
    expect(keys?.ratelimit?.requests_per_period).toBeGreaterThan(edgeLimits.keyGuard.unknownPerMinute);
    expect(strangers?.ratelimit?.requests_per_period).toBeGreaterThan(edgeLimits.portal.authRequestsPerMinute);
  });

  it('name paths that are there', () => {
    const text = JSON.stringify(ours);
    for (const path of [paths.hero, paths.account]) expect(path.startsWith('/api/v1/')).toBe(true);
    expect(paths.removebg.startsWith('/v1.0/')).toBe(true);
    const portal = ['auth.ts', 'index.ts', 'routes/sign-up.ts', 'routes/stripe-webhook.ts'].map((name) =>
      readFileSync(join(root, 'edge/portal', name), 'utf8'),
    );
    for (const name of ['/request-password-reset', '/sign-in/email', '/sign-up', '/stripe/webhook']) {
      expect(text).toContain(`${name}\\"`);
      expect(
        portal.some((source) => source.includes(name)),
        name,
      ).toBe(true);
    }
  });
});
