/** Only a signed-in customer acts for a customer: no other site, no other customer, nobody without a session. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import type { KeyCreated } from '../../../shared/portal-api.ts';
import { BASE, worker } from '../support/service.ts';
import { answerOf, newCustomer, PORTAL, registered } from './customer.ts';

const changes = [
  ['POST', '/keys', { label: 'x', mode: 'live' }],
  ['POST', '/webhook-secret/rotate', {}],
  ['POST', '/invitations', { email: 'eve@example.com', role: 'billing' }],
  ['POST', '/members/leave', {}],
  ['POST', '/session/account', { account_id: 'acc_x' }],
  ['POST', '/checkout', { attempt_id: crypto.randomUUID() }],
  ['POST', '/account/delete', { password: 'x', forfeited_credits: 0 }],
] as const;
const reads = [
  '/usage',
  '/keys',
  '/logs',
  '/ledger',
  '/ledger.csv',
  '/payments',
  '/webhook-secret',
  '/members',
  '/audit.csv',
];

describe('a request of another site', () => {
  it('changes nothing, whatever it calls', async () => {
    const customer = await registered();
    for (const [method, path, body] of changes) {
      const answer = await customer.call(method, path, body, { origin: 'https://evil.example' });
      expect(answer.status, path).toBe(403);
    }
    expect((await answerOf<{ keys: unknown[] }>(customer.call('GET', '/keys'))).keys).toEqual([]);
  });

  it('changes nothing without an origin either, nor as a form', async () => {
    const customer = await registered();
    const bare = await worker.fetch(
      new Request(`${BASE}${PORTAL}/keys`, {
        method: 'POST',
        headers: { cookie: customer.cookies(), 'content-type': 'application/json' },
        body: '{"label":"x","mode":"live"}',
      }),
    );
    expect(bare.status).toBe(403);
    const form = await worker.fetch(
      new Request(`${BASE}${PORTAL}/keys`, {
        method: 'POST',
        headers: { cookie: customer.cookies(), origin: BASE, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'label=x&mode=live',
      }),
    );
    expect(form.status).toBe(415);
  });

  it('cannot sign anybody out or change a password', async () => {
    const customer = await registered();
    expect((await customer.call('POST', '/auth/sign-out', {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect(
      (
        await customer.call(
          'POST',
          '/auth/change-password',
          { currentPassword: 'x', newPassword: 'brand new password' },
          { origin: 'https://evil.example' },
        )
      ).status,
    ).toBe(403);
  });
});

describe('without a session', () => {
  it('nothing of an account is read or changed', async () => {
    const nobody = newCustomer();
    for (const path of reads) expect((await nobody.call('GET', path)).status, path).toBe(401);
    for (const [method, path, body] of changes) expect((await nobody.call(method, path, body)).status, path).toBe(401);
  });

  it('an API key opens nothing here', async () => {
    const customer = await registered();
    const { secret } = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'x', mode: 'live' }));
    expect((await newCustomer().call('GET', '/keys', undefined, { authorization: `Bearer ${secret}` })).status).toBe(
      401,
    );
  });
});

describe('every answer', () => {
  it('is kept out of caches and frames', async () => {
    const { headers } = await newCustomer().call('GET', '/session');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('refuses a body that is larger than any form', async () => {
    const customer = await registered();
    const answer = await customer.call('POST', '/keys', {
      label: 'x'.repeat(edgeLimits.portal.bodyBytesMax),
      mode: 'live',
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('is a 404 where nothing is', async () => {
    expect((await (await registered()).call('GET', '/nothing-here')).status).toBe(404);
  });
});
