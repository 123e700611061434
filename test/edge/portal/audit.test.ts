/** What was done to an account is on record, for its owner and nobody else, and stays so. */
import { describe, expect, it } from 'vitest';
import { auditRecorder } from '../../../edge/audit/record.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { sweepPortal } from '../../../edge/portal/sweep.ts';
import type { AuditPage, AuditRow, KeyCreated } from '../../../shared/portal-api.ts';
import { BASE, bindings, call, newAccount } from '../support/service.ts';
import { codeAt } from './authenticators.ts';
import {
  accountIdOf,
  answerOf,
  type Customer,
  mailsTo,
  newCustomer,
  PASSWORD,
  registered,
  rows,
  signIn,
  tokenIn,
} from './customer.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const { keptMs, addressKeptMs } = edgeLimits.audit;

const pageOf = (customer: Customer, query = ''): Promise<AuditPage> =>
  answerOf<AuditPage>(customer.call('GET', `/audit${query}`));
const actionsOf = async (customer: Customer, query = ''): Promise<string[]> =>
  (await pageOf(customer, query)).rows.map(({ action }) => action);

describe('the audit log', () => {
  it('has sign-ins and failed ones, with where they came from, and no password', async () => {
    const owner = await registered();
    await signIn(newCustomer(owner.email, '198.51.100.20'), 'of somebody else');
    const [failed] = (await pageOf(owner)).rows;
    expect(failed).toMatchObject({
      action: 'access.sign_in_failed',
      actor: 'somebody',
      address: '198.51.100.20',
      detail: 'wrong password',
    });
    expect(await actionsOf(owner)).toEqual(['access.sign_in_failed', 'access.signed_in', 'access.registered']);
    const stored = JSON.stringify(await rows('select * from audit_events'));
    expect(stored).not.toContain('of somebody else');
    expect(stored).not.toContain(PASSWORD);
  });

  it('is not filled by whoever tries more often than is looked at', async () => {
    const owner = await registered();
    const attacker = newCustomer(owner.email);
    for (let i = 0; i < edgeLimits.portal.signIn.freeTries + 6; i++) await signIn(attacker, 'a wrong password');
    const failures = (await actionsOf(owner)).filter((action) => action === 'access.sign_in_failed');
    expect(failures).toHaveLength(edgeLimits.portal.signIn.freeTries);
  });

  it('has second factors and wrong codes', async () => {
    const owner = await registered();
    const { totpURI } = await answerOf<{ totpURI: string }>(
      owner.call('POST', '/auth/two-factor/enable', { password: PASSWORD }),
    );
    const code = await codeAt(totpURI);
    await owner.call('POST', '/auth/two-factor/verify-totp', { code });
    const visitor = newCustomer(owner.email);
    await signIn(visitor);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    await visitor.call('POST', '/auth/two-factor/verify-totp', { code: wrong });
    await visitor.call('POST', '/auth/two-factor/verify-totp', { code });
    const { rows: [signedIn, failed, on] = [] } = await pageOf(owner);
    expect(signedIn).toMatchObject({ action: 'access.signed_in', detail: 'password and code' });
    expect(failed).toMatchObject({ action: 'access.sign_in_failed', actor: 'somebody', detail: 'wrong code' });
    expect(on).toMatchObject({ action: 'access.two_factor_on', actor: 'owner' });
  });

  it('has changed passwords and addresses, ended sessions, and keys', async () => {
    const owner = await registered();
    await owner.call('POST', '/account/sessions/end-others', {});
    await owner.call('POST', '/auth/change-password', { currentPassword: PASSWORD, newPassword: 'brand new password' });
    const renamed = newCustomer();
    await owner.call('POST', '/account/address', { email: renamed.email, password: 'brand new password' });
    await newCustomer().call('POST', '/address/confirm', { token: tokenIn((await mailsTo(renamed))[0]) });
    const made = await answerOf<KeyCreated>(owner.call('POST', '/keys', { label: 'Catalogue', mode: 'live' }));
    await owner.call('PATCH', `/keys/${made.key.key_id}`, { label: 'Shop' });
    await owner.call('POST', `/keys/${made.key.key_id}/revoke`, {});
    await owner.call('POST', '/webhook-secret/rotate', {});
    expect((await actionsOf(owner)).slice(0, 8)).toEqual([
      'keys.webhook_secret_rotated',
      'keys.revoked',
      'keys.changed',
      'keys.made',
      'access.address_changed',
      'access.address_asked',
      'access.password_changed',
      'access.other_sessions_ended',
    ]);
    expect(JSON.stringify(await rows('select * from audit_events'))).not.toContain(made.secret);
  });

  it('has every movement of money once, however often it is told', async () => {
    const owner = await registered();
    const { url } = await answerOf<{ url: string }>(
      owner.call('POST', '/checkout', { attempt_id: crypto.randomUUID() }),
    );
    const id = new URL(url, BASE).searchParams.get('id');
    await owner.call('POST', `/local/checkouts/${id}/pay`, {});
    await owner.call('POST', `/local/checkouts/${id}/pay`, {});
    const money = (await pageOf(owner, '?group=money')).rows;
    expect(money).toHaveLength(1);
    expect(money[0]).toMatchObject({ action: 'money.test_purchase', actor: 'payments', detail: '1000 credits' });
  });

  it('has what an operator did', async () => {
    const account = await newAccount();
    await call(`/api/local/accounts/${account.accountId}/ledger`, {
      headers: { authorization: `Bearer ${bindings.LOCAL_ADMIN_TOKEN}` },
    });
    const stored = await rows<AuditRow>(
      'select action, actor from audit_events where account_id = ? order by id',
      account.accountId,
    );
    expect(stored).toEqual([
      { action: 'operator.account_opened', actor: 'operator' },
      { action: 'operator.ledger_read', actor: 'operator' },
    ]);
  });

  it('has what an API key did to keys and data, and which key it was', async () => {
    const owner = await registered();
    const { secret, key } = await answerOf<KeyCreated>(
      owner.call('POST', '/keys', { label: 'Robot', mode: 'live', scopes: ['admin'] }),
    );
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const send = (method: string, path: string, body?: object): Promise<Response> =>
      call(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const made = await send('POST', '/api/v1/keys', { label: 'Shop', mode: 'live' });
    expect(made.status).toBe(201);
    const refused = await send('POST', '/api/v1/keys', { label: '', mode: 'live' });
    expect(refused.status).toBe(400);
    expect((await send('DELETE', '/api/v1/account/data')).status).toBe(202);
    expect((await send('PATCH', '/api/v1/account/retention', { retention_days: 3 })).status).toBe(200);
    expect((await send('PATCH', '/api/v1/account/retention', { retention_days: 31 })).status).toBe(400);
    const [kept, deleted, created] = (await pageOf(owner)).rows;
    expect(kept).toMatchObject({
      action: 'data.retention_changed',
      actor: 'key',
      detail: `3 days, by ${key.key_id}`,
    });
    expect(deleted).toMatchObject({ action: 'data.deleted', actor: 'key', subject: 'everything' });
    expect(created).toMatchObject({ action: 'keys.made', actor: 'key', detail: `by ${key.key_id}` });
    expect((await actionsOf(owner)).filter((action) => action === 'keys.made')).toHaveLength(2);
  });

  it('is shown to its owner alone', async () => {
    const [owner, other] = [await registered(), await registered()];
    const [event] = (await pageOf(owner)).rows;
    expect(JSON.stringify(await pageOf(other))).not.toContain(event?.id);
    expect((await newCustomer().call('GET', '/audit')).status).toBe(401);
    expect((await newCustomer().call('GET', '/audit.csv')).status).toBe(401);
  });

  it('is handed out in pages without gaps, and filtered', async () => {
    const owner = await registered();
    const accountId = await accountIdOf(owner);
    let nowMs = Date.now();
    const record = auditRecorder(bindings.DB, () => nowMs++);
    for (let i = 0; i < edgeLimits.portal.logPageRows + 7; i++)
      await record({ of: { accountId }, actor: 'owner', action: 'keys.made', subject: `key_${i}` });
    const first = await pageOf(owner, '?group=keys');
    const second = await pageOf(owner, `?group=keys&cursor=${first.next_cursor}`);
    const subjects = [...first.rows, ...second.rows].map(({ subject }) => subject);
    expect(subjects).toEqual(Array.from({ length: 57 }, (_, i) => `key_${56 - i}`));
    expect(second.next_cursor).toBeNull();
    expect((await pageOf(owner, '?group=money')).rows).toEqual([]);
    expect((await owner.call('GET', '/audit?group=keys%25')).status).toBe(400);
  });

  it('is exported whole as CSV, and nothing in it runs in a spreadsheet', async () => {
    const owner = await registered();
    await owner.call('POST', '/keys', { label: '=HYPERLINK("https://evil.example")', mode: 'live' });
    const accountId = await accountIdOf(owner);
    await auditRecorder(
      bindings.DB,
      Date.now,
    )({ of: { accountId }, actor: 'owner', action: 'keys.changed', detail: '=1+1' });
    const answer = await owner.call('GET', '/audit.csv');
    expect(answer.headers.get('content-disposition')).toContain('packshot-activity-');
    const lines = (await answer.text()).trim().split('\r\n');
    expect(lines[0]).toBe('at,actor,action,subject,detail,address,country,id,member,member_id');
    expect(lines).toHaveLength(1 + (await pageOf(owner)).rows.length);
    expect(lines[1]).toContain(`,'=1+1,`);
    expect(lines[2]).toContain('"live: =HYPERLINK(""https://evil.example"")"');
  });
});

describe('an event', () => {
  const insert = (id: string, at: number, address = '198.51.100.9'): Promise<unknown> =>
    bindings.DB.prepare(
      `insert into audit_events (id, account_id, at, actor, action, address) values (?, 'acc_x', ?, 'owner', 'keys.made', ?)`,
    )
      .bind(id, at, address)
      .run();
  const stored = (id: string) => rows<AuditRow>('select * from audit_events where id = ?', id);

  it('cannot be changed or deleted, in the database itself', async () => {
    await insert('aud_new', Date.now());
    for (const statement of [
      `update audit_events set action = 'keys.changed' where id = 'aud_new'`,
      `update audit_events set at = 0 where id = 'aud_new'`,
      `update audit_events set address = null where id = 'aud_new'`,
      `delete from audit_events where id = 'aud_new'`,
      `delete from audit_events`,
    ])
      await expect(bindings.DB.prepare(statement).run(), statement).rejects.toThrow(/audit events/);
    expect(await stored('aud_new')).toMatchObject([{ action: 'keys.made', address: '198.51.100.9' }]);
  });

  it('loses its address after 90 days and goes after 400, not before', async () => {
    expect([addressKeptMs, keptMs]).toEqual([90 * DAY_MS, 400 * DAY_MS]);
    const nowMs = Date.now();
    await insert('aud_89', nowMs - 89 * DAY_MS);
    await insert('aud_91', nowMs - 91 * DAY_MS);
    await insert('aud_401', nowMs - 401 * DAY_MS);
    await sweepPortal(bindings.DB, nowMs);
    expect(await stored('aud_89')).toMatchObject([{ address: '198.51.100.9' }]);
    expect(await stored('aud_91')).toMatchObject([{ address: null, action: 'keys.made' }]);
    expect(await stored('aud_401')).toEqual([]);
  });
});
