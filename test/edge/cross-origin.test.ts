/** Which pages of other origins may call what. */
import { describe, expect, it } from 'vitest';
import { publicRoutes } from '../../edge/app.ts';
import { call, newAccount } from './support/service.ts';

const page = { origin: 'https://tool.example' };
const preflight = (path: string, method: string): Promise<Response> =>
  call(path, {
    method: 'OPTIONS',
    headers: {
      ...page,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key,prefer',
    },
  });

describe('a page of another origin', () => {
  it.each(Object.entries(publicRoutes))(
    'may call %s by %s, with a key in a header and never with cookies',
    async (route, methods) => {
      for (const method of methods) {
        const answer = await preflight(route.replaceAll(/:\w+/g, 'x'), method);
        expect(answer.status).toBe(204);
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        expect(answer.headers.get('access-control-allow-methods')?.split(',')).toContain(method);
        for (const name of ['authorization', 'idempotency-key'])
          expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(name);
      }
    },
  );

  it('may read what it needs of an answer, a refusal included', async () => {
    const { apiKey } = await newAccount(1);
    for (const authorization of [`Bearer ${apiKey}`, 'Bearer wrong']) {
      const answer = await call('/api/v1/account', { headers: { ...page, authorization } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase() ?? '';
      for (const name of ['request-id', 'retry-after', 'x-credits-remaining', 'ratelimit'])
        expect(exposed).toContain(name);
    }
  });

  it.each(['/portal/api/session', '/portal/api/keys', '/api/local/accounts', '/mcp'])(
    'reads nothing of %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        for (const answer of [await preflight(path, method), await call(path, { method, headers: page })])
          expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
    },
  );
});
