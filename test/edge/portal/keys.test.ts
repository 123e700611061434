/** Secret keys as a customer handles them. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, KeyRow, LogPage, WebhookSecret } from '../../../shared/portal-api.ts';
import { BASE, worker } from '../support/service.ts';
import { answerOf, type Customer, mailsTo, registered } from './customer.ts';

const create = (customer: Customer, label = 'Catalogue', mode: 'live' | 'test' = 'live'): Promise<KeyCreated> =>
  answerOf(customer.call('POST', '/keys', { label, mode }));
const keysOf = async (customer: Customer): Promise<KeyRow[]> =>
  (await answerOf<{ keys: KeyRow[] }>(customer.call('GET', '/keys'))).keys;
const account = (secret: string): Promise<Response> =>
  worker.fetch(new Request(`${BASE}/api/v1/account`, { headers: { authorization: `Bearer ${secret}` } }));

describe('a key', () => {
  it('is shown in full once; afterwards only its ends are', async () => {
    const customer = await registered();
    const { key, secret } = await create(customer);
    expect(secret).toMatch(/^packshot_live_/);
    const listed = JSON.stringify(await keysOf(customer));
    expect(listed).not.toContain(secret);
    expect(listed).toContain(key.masked);
    expect(key.masked).toBe(`packshot_live_…${secret.slice(-4)}`);
  });

  it('works at once, and stops with the next request after it was revoked', async () => {
    const customer = await registered();
    const { key, secret } = await create(customer);
    expect((await account(secret)).status).toBe(200);
    expect((await customer.call('POST', `/keys/${key.key_id}/revoke`, {})).status).toBe(200);
    const refused = await account(secret);
    expect(refused.status).toBe(401);
    expect(((await refused.json()) as { code: string }).code).toBe('key_revoked');
    expect((await keysOf(customer))[0]?.revoked_at).not.toBeNull();
  });

  it('of the test kind starts with packshot_test_', async () => {
    expect((await create(await registered(), 'Trying', 'test')).secret).toMatch(/^packshot_test_/);
  });

  it('shows when it was last used', async () => {
    const customer = await registered();
    const { secret } = await create(customer);
    expect((await keysOf(customer))[0]?.last_used_at).toBeNull();
    await account(secret);
    expect((await keysOf(customer))[0]?.last_used_at).not.toBeNull();
  });

  it('can be renamed, but neither renamed nor revoked by another customer', async () => {
    const [owner, other] = [await registered(), await registered()];
    const { key, secret } = await create(owner);
    expect((await owner.call('PATCH', `/keys/${key.key_id}`, { label: 'Renamed' })).status).toBe(200);
    expect((await other.call('PATCH', `/keys/${key.key_id}`, { label: 'Mine now' })).status).toBe(404);
    expect((await other.call('POST', `/keys/${key.key_id}/revoke`, {})).status).toBe(404);
    expect((await keysOf(owner))[0]?.label).toBe('Renamed');
    expect((await account(secret)).status).toBe(200);
  });

  it('is made and changed with limits, which hold from its next request on', async () => {
    const [owner, other] = [await registered(), await registered()];
    const limited = { label: 'Limited', mode: 'live', scopes: ['account:read'], daily_credit_cap: 5 };
    const { key, secret } = await answerOf<KeyCreated>(owner.call('POST', '/keys', limited));
    expect(key).toMatchObject({ ...limited, credits_used_today: 0, expires_at: null, allowed_ips: null });
    expect((await account(secret)).status).toBe(200);
    const change = (customer: Customer, body: unknown) => customer.call('PATCH', `/keys/${key.key_id}`, body);
    expect((await change(other, { scopes: ['admin'] })).status).toBe(404);
    expect((await change(owner, { allowed_ips: ['nowhere'] })).status).toBe(400);
    expect((await change(owner, { allowed_ips: ['203.0.113.7'], daily_credit_cap: null })).status).toBe(200);
    expect(((await (await account(secret)).json()) as { code: string }).code).toBe('key_address_not_allowed');
    expect((await keysOf(owner))[0]).toMatchObject({ allowed_ips: ['203.0.113.7/32'], daily_credit_cap: null });
  });

  it('is rolled by its owner alone: the new secret is shown once, the old one ends with the overlap', async () => {
    const [owner, other] = [await registered(), await registered()];
    const { key, secret } = await create(owner);
    const roll = (customer: Customer, overlap_hours: number) =>
      customer.call('POST', `/keys/${key.key_id}/roll`, { overlap_hours });
    expect((await roll(other, 0)).status).toBe(404);
    expect((await roll(owner, 169)).status).toBe(400);
    const rolled = await answerOf<KeyCreated>(roll(owner, 24));
    expect(rolled.key).toMatchObject({ key_id: key.key_id, masked: `packshot_live_…${rolled.secret.slice(-4)}` });
    expect(JSON.stringify(await keysOf(owner))).not.toContain(rolled.secret);
    expect([(await account(secret)).status, (await account(rolled.secret)).status]).toEqual([200, 200]);
    const last = await answerOf<KeyCreated>(roll(owner, 0));
    expect([(await account(secret)).status, (await account(rolled.secret)).status]).toEqual([401, 401]);
    expect((await account(last.secret)).status).toBe(200);
    await owner.call('POST', `/keys/${key.key_id}/revoke`, {});
    expect((await roll(owner, 0)).status).toBe(409);
  });

  it('needs a label within its bounds', async () => {
    const customer = await registered();
    for (const label of ['', '   ', 'x'.repeat(limits.keys.labelCharsMax + 1)])
      expect((await customer.call('POST', '/keys', { label, mode: 'live' })).status, label).toBe(400);
  });

  it('is refused once the account has as many as it may', async () => {
    const customer = await registered();
    for (let i = 0; i < limits.keys.perAccountMax; i++) await create(customer, `key ${i}`);
    expect((await customer.call('POST', '/keys', { label: 'one more', mode: 'live' })).status).toBe(409);
  });

  it('stops working when its account is deleted', async () => {
    const customer = await registered();
    const { secret } = await create(customer);
    await customer.call('POST', '/account/delete', { password: 'correct horse battery', forfeited_credits: 0 });
    expect((await account(secret)).status).toBe(401);
  });
});

describe('the owner', () => {
  it('is told by mail of every key that is made or revoked and of a new webhook secret, never the secret itself', async () => {
    const customer = await registered();
    const { key, secret } = await create(customer, 'Catalogue');
    await customer.call('POST', `/keys/${key.key_id}/revoke`, {});
    await customer.call('POST', `/keys/${key.key_id}/revoke`, {});
    const { secret: webhook } = await answerOf<WebhookSecret>(customer.call('POST', '/webhook-secret/rotate', {}));
    const mails = await mailsTo(customer);
    expect(mails.slice(0, 3).map(({ subject }) => subject)).toEqual([
      'Your webhook secret was changed',
      'A key was revoked',
      'A key was made',
    ]);
    for (const { body } of mails.slice(0, 3)) {
      expect(body).toContain('If it was not you');
      expect(body).not.toContain(secret);
      expect(body).not.toContain(webhook);
    }
    expect(mails[2]?.body).toContain('Catalogue');
  });
});

describe('the owner of a key', () => {
  it('is told by mail of its new secret and of changed limits, not of a new label, never the secret itself', async () => {
    const customer = await registered();
    const { key } = await create(customer, 'Catalogue');
    await customer.call('PATCH', `/keys/${key.key_id}`, { label: 'Renamed', scopes: key.scopes });
    await customer.call('PATCH', `/keys/${key.key_id}`, { scopes: ['admin'] });
    const path = `/keys/${key.key_id}/roll`;
    const { secret } = await answerOf<KeyCreated>(customer.call('POST', path, { overlap_hours: 0 }));
    const mails = (await mailsTo(customer)).slice(0, 3);
    const subjects = ['A key has a new secret', 'A key was changed', 'A key was made'];
    expect(mails.map(({ subject }) => subject)).toEqual(subjects);
    for (const { body } of mails) expect(body).not.toContain(secret);
  });
});

describe('the log', () => {
  it('shows each request of a key, filtered by key and status, newest first', async () => {
    const customer = await registered();
    const [a, b] = [await create(customer, 'a'), await create(customer, 'b')];
    await account(a.secret);
    await worker.fetch(
      new Request(`${BASE}/api/v1/service-hero`, { method: 'POST', headers: { authorization: `Bearer ${b.secret}` } }),
    );
    const all = await answerOf<LogPage>(customer.call('GET', '/logs'));
    expect(all.rows.map((row) => row.status)).toEqual([415, 200]);
    const ofA = await answerOf<LogPage>(customer.call('GET', `/logs?key=${a.key.key_id}`));
    expect(ofA.rows.map((row) => row.path)).toEqual(['/api/v1/account']);
    const refused = await answerOf<LogPage>(customer.call('GET', '/logs?status=client_error'));
    expect(refused.rows.map((row) => row.error_code)).toEqual(['unsupported_content_type']);
    expect((await answerOf<LogPage>(customer.call('GET', '/logs?status=server_error'))).rows).toEqual([]);
  });

  it('hands out pages without gaps, and what came after a given request', async () => {
    const customer = await registered();
    const { secret } = await create(customer);
    for (let i = 0; i < edgeLimits.portal.logPageRows + 5; i++) await account(secret);
    const first = await answerOf<LogPage>(customer.call('GET', '/logs'));
    const second = await answerOf<LogPage>(customer.call('GET', `/logs?cursor=${first.next_cursor}`));
    const ids = [...first.rows, ...second.rows].map((row) => row.request_id);
    expect(new Set(ids).size).toBe(edgeLimits.portal.logPageRows + 5);
    expect(second.next_cursor).toBeNull();
    const after = await answerOf<LogPage>(customer.call('GET', `/logs?after=${ids[3]}`));
    expect(after.rows.map((row) => row.request_id)).toEqual(ids.slice(0, 3));
  });

  it('is shown to no other customer', async () => {
    const [owner, other] = [await registered(), await registered()];
    await account((await create(owner)).secret);
    const [row] = (await answerOf<LogPage>(owner.call('GET', '/logs'))).rows;
    expect((await other.call('GET', `/logs/${row?.request_id}`)).status).toBe(404);
    expect((await answerOf<LogPage>(other.call('GET', '/logs'))).rows).toEqual([]);
  });
});

describe('the webhook secret', () => {
  it('stays the same until it is rotated', async () => {
    const customer = await registered();
    const first = await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'));
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect((await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'))).secret).toBe(first.secret);
    const next = await answerOf<WebhookSecret>(customer.call('POST', '/webhook-secret/rotate', {}));
    expect(next.secret).not.toBe(first.secret);
    expect((await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'))).secret).toBe(next.secret);
  });
});
