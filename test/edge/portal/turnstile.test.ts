/** Where Turnstile is configured, no stranger makes us check a password or send a mail without having passed it. */
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../edge/config.ts';
import { createPortal } from '../../../edge/portal/index.ts';
import { connect } from '../../../edge/services.ts';
import type { PortalConfig } from '../../../shared/portal-api.ts';
import { BASE, bindings } from '../support/service.ts';
import { answerOf, rows } from './customer.ts';

const noNetwork = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = noNetwork;
});

const { flows } = connect(bindings, readConfig(bindings));
const guarded = createPortal(
  { ...bindings, TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: 'secret of ours' },
  flows,
);

/** Cloudflare's answer to every token; what it was asked is kept. */
const cloudflare = (verdict: object | 'down'): { secret: string; response: string; remoteip?: string }[] => {
  const asked: { secret: string; response: string; remoteip?: string }[] = [];
  globalThis.fetch = async (input, init) => {
    expect(String(input)).toBe('https://challenges.cloudflare.com/turnstile/v0/siteverify');
    if (verdict === 'down') throw new TypeError('connection refused');
    asked.push(JSON.parse(String(init?.body)));
    return Response.json(verdict);
  };
  return asked;
};

const post = (path: string, body: unknown, token?: string, portal = guarded): Promise<Response> =>
  Promise.resolve(
    portal.request(`${BASE}/portal/api${path}`, {
      method: 'POST',
      headers: {
        origin: BASE,
        'content-type': 'application/json',
        'cf-connecting-ip': '192.0.2.77',
        ...(token === undefined ? {} : { 'x-captcha-response': token }),
      },
      body: JSON.stringify(body),
    }),
  );
const email = 'somebody@example.com';
const calls = [
  ['/auth/sign-in/email', { email, password: 'a wrong password' }, 401],
  ['/sign-up', { email }, 202],
  ['/auth/request-password-reset', { email: 'nobody@example.com' }, 200],
] as const;

describe('with Turnstile', () => {
  it('every such call needs a token, and costs nothing without one', async () => {
    const asked = cloudflare({ success: true, hostname: '127.0.0.1' });
    for (const [path, body] of calls) expect((await post(path, body)).status, path).toBe(400);
    expect(asked).toEqual([]);
    expect(await rows('select name from counters')).toEqual([]);
  });

  it('a token passes that Cloudflare confirms for our own host', async () => {
    for (const [path, body, status] of calls) {
      const asked = cloudflare({ success: true, hostname: '127.0.0.1' });
      expect((await post(path, body, 'the token')).status, path).toBe(status);
      expect(asked).toEqual([{ secret: 'secret of ours', response: 'the token', remoteip: '192.0.2.77' }]);
    }
  });

  it('a token that Cloudflare refuses, or that was made for another host, is none', async () => {
    cloudflare({ success: false, 'error-codes': ['timeout-or-duplicate'] });
    for (const [path, body] of calls) expect((await post(path, body, 'x')).status, path).toBe(403);
    cloudflare({ success: true, hostname: 'evil.example' });
    for (const [path, body] of calls) expect((await post(path, body, 'x')).status, path).toBe(403);
  });

  it('nobody is let through while Cloudflare cannot be asked', async () => {
    cloudflare('down');
    for (const [path, body] of calls) expect((await post(path, body, 'x')).status, path).toBe(503);
  });

  it('the page is told the public key, never the secret', async () => {
    const config = await (await guarded.request(`${BASE}/portal/api/config`)).text();
    expect(JSON.parse(config)).toMatchObject({ turnstile_site_key: 'site' });
    expect(config).not.toContain('secret of ours');
  });
});

describe('without Turnstile', () => {
  it('nothing is asked of anybody', async () => {
    const open = createPortal(bindings, flows);
    const config = await answerOf<PortalConfig>(Promise.resolve(open.request(`${BASE}/portal/api/config`)));
    expect(config.turnstile_site_key).toBeNull();
    for (const [path, body, status] of calls)
      expect((await post(path, body, undefined, open)).status, path).toBe(status);
  });

  it('half a configuration stops the start', () => {
    for (const half of [{ TURNSTILE_SITE_KEY: 'site' }, { TURNSTILE_SECRET_KEY: 'secret' }])
      expect(() => createPortal({ ...bindings, ...half }, flows)).toThrow(/TURNSTILE_\w+ is missing/);
  });
});
