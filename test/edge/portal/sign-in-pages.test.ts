/** Turnstile's script and frame are allowed where it is on, on the pages in front of a session, and nowhere else. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../edge/http/call.ts';
import { signInPages } from '../../../edge/routes/sign-in-pages.ts';
import { BASE, bindings } from '../support/service.ts';

const headersOf = async (path: string, hasTurnstile: boolean): Promise<Headers> => {
  const app = new Hono<HttpEnv>();
  signInPages(app, hasTurnstile);
  const page = await app.request(BASE + path, {}, bindings);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<title>');
  return page.headers;
};
const directives = (headers: Headers): Map<string, string> =>
  new Map(
    (headers.get('content-security-policy') ?? '').split('; ').map((text) => {
      const [name = '', ...values] = text.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('the pages in front of a session', () => {
  it('are the static files as they are while Turnstile is off', async () => {
    for (const path of ['/sign-in', '/sign-up', '/forgot-password']) {
      const headers = await headersOf(path, false);
      expect(headers.get('content-security-policy')).not.toContain('challenges.cloudflare.com');
      expect(directives(headers).get('script-src')).toMatch(/^'self' 'wasm-unsafe-eval'/);
      expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    }
  });

  it('allow its script and frame, and nothing else besides, while it is on', async () => {
    const before = directives(await headersOf('/sign-in', false));
    const headers = await headersOf('/sign-in', true);
    const after = directives(headers);
    expect(after.get('frame-src')).toBe('https://challenges.cloudflare.com');
    expect(after.get('script-src')).toBe(
      before.get('script-src')?.replace("'self'", "'self' https://challenges.cloudflare.com"),
    );
    for (const [name, value] of before) if (name !== 'script-src') expect(after.get(name), name).toBe(value);
    expect(headers.get('cross-origin-embedder-policy')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
