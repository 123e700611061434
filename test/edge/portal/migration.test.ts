/** Accounts of the version before sign in after the upgrade; registrations that nobody confirmed are gone. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { membershipOf } from '../../../edge/portal/team/membership.ts';
import type { AuditPage, SecurityOverview } from '../../../shared/portal-api.ts';
import { bindings } from '../support/service.ts';
import { answerOf, me, newCustomer, PASSWORD, registered, rows, signIn } from './customer.ts';

type Migration = { readonly name: string; readonly queries: readonly string[] };
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: readonly Migration[] };
const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();

type Row = Record<string, unknown>;
const insert = (table: string, row: Row) =>
  run(
    `insert into "${table}" (${Object.keys(row).map((name) => `"${name}"`)}) values (${Object.keys(row).map(() => '?')})`,
    ...Object.values(row),
  );
const OF_BEFORE: Readonly<Record<string, readonly string[]>> = {
  user: ['id', 'name', 'email', 'emailVerified', 'image', 'createdAt', 'updatedAt', 'account_id'],
  account: ['id', 'accountId', 'providerId', 'userId', 'password', 'createdAt', 'updatedAt'],
  session: ['id', 'expiresAt', 'token', 'createdAt', 'updatedAt', 'ipAddress', 'userAgent', 'userId'],
};

/** The tables as 0001 made them, with these rows in them, then 0004, 0005, 0007 and 0010. */
const upgraded = async (before: Readonly<Record<string, readonly Row[]>>): Promise<void> => {
  const added = [
    'members',
    'invitations',
    'audit_events',
    'passkey',
    'twoFactor',
    'mailed_links',
    'sign_in_trails',
    'known_networks',
    'counters',
  ];
  for (const table of [...added, 'session', 'account', 'verification', 'rateLimit', 'outbox', 'user'])
    await run(`drop table "${table}"`);
  for (const name of ['0001', '0004', '0005', '0007', '0010']) {
    for (const query of TEST_MIGRATIONS.find((migration) => migration.name.startsWith(name))?.queries ?? [])
      await run(query);
    if (name === '0001')
      for (const [table, kept] of Object.entries(before)) for (const row of kept) await insert(table, row);
  }
};

describe('the upgrade', () => {
  it('keeps accounts, passwords and sessions, and drops registrations that nobody confirmed', async () => {
    const owner = await registered();
    const before: Record<string, Row[]> = {};
    for (const [table, columns] of Object.entries(OF_BEFORE))
      before[table] = await rows<Row>(`select ${columns.map((name) => `"${name}"`)} from "${table}"`);
    const [user = {}] = before['user'] ?? [];
    const [account = {}] = before['account'] ?? [];
    const prepared = {
      ...user,
      id: 'prepared',
      email: 'victim@example.com',
      emailVerified: 0,
      account_id: 'acc_prepared',
    };
    before['user']?.push(prepared);
    before['account']?.push({ ...account, id: 'prepared', accountId: 'prepared', userId: 'prepared' });
    await upgraded(before);

    expect((await me(owner)).me).toMatchObject({
      user: { email: owner.email },
      role: 'owner',
      accounts: [{ is_own: true }],
    });
    expect(await rows('select account_id, role from members where user_id = ?', user['id'])).toEqual([
      { account_id: user['account_id'], role: 'owner' },
    ]);
    expect((await signIn(newCustomer(owner.email))).status).toBe(200);
    expect(await answerOf<SecurityOverview>(owner.call('GET', '/account/security'))).toMatchObject({
      two_factor: false,
      passkeys: [],
      sessions: [{}, {}],
    });
    expect((await answerOf<AuditPage>(owner.call('GET', '/audit'))).rows).toMatchObject([
      { action: 'access.signed_in' },
    ]);
    expect(await rows('select id from "user" where id = ?', 'prepared')).toEqual([]);
    expect(await rows('select id from "account" where id = ?', 'prepared')).toEqual([]);
    expect((await signIn(newCustomer('victim@example.com'), PASSWORD)).status).toBe(401);
  });

  it('to members leaves the Worker of the version before its writes: who registers there owns their account', async () => {
    const now = new Date().toISOString();
    const userId = crypto.randomUUID();
    const user = {
      id: userId,
      name: 'x',
      email: `${userId}@example.com`,
      emailVerified: 1,
      createdAt: now,
      updatedAt: now,
    };
    await insert('user', { ...user, account_id: `acc_${userId}` });
    await insert('session', { id: userId, expiresAt: now, token: userId, createdAt: now, updatedAt: now, userId });
    await insert('audit_events', {
      id: `aud_${userId}`,
      account_id: `acc_${userId}`,
      at: 1,
      actor: 'owner',
      action: 'keys.made',
    });
    const membership = await membershipOf(bindings.DB, userId, userId);
    expect(membership).toEqual({ accountId: `acc_${userId}`, ownAccountId: `acc_${userId}`, role: 'owner' });
    await run('update audit_events set address = null where id = ?', `aud_${userId}`);
    await run('delete from "user" where "id" = ?', userId);
    expect(await rows('select 1 from members where user_id = ?', userId)).toEqual([]);
  });
});
