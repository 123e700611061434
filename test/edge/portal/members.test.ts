/** Members: what they may become, who lets them go, and that an owner always remains. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import type { KeyCreated, KeyRow } from '../../../shared/portal-api.ts';
import { ACCOUNT_HEADER } from '../../../shared/portal-api.ts';
import { bindings, call } from '../support/service.ts';
import {
  accountIdOf,
  answerOf,
  type Customer,
  mailsTo,
  me,
  newCustomer,
  registered,
  rows,
  signIn,
} from './customer.ts';
import { choose, codeOf, idOf, joined, leave, meanwhile, membersOf, remove, setRole } from './team.ts';

const rolesIn = async (customer: Customer) => (await membersOf(customer)).map(({ role }) => role);
const makeKey = (customer: Customer, label = 'Shop'): Promise<KeyCreated> =>
  answerOf<KeyCreated>(customer.call('POST', '/keys', { label, mode: 'test' }));

describe('the last owner', () => {
  it('is not demoted, removed, and does not leave', async () => {
    const owner = await registered();
    await joined(owner, 'developer');
    expect(await codeOf(await setRole(owner, owner, 'billing'))).toBe('last_owner');
    expect(await codeOf(await remove(owner, owner))).toBe('last_owner');
    expect(await codeOf(await leave(owner))).toBe('last_owner');
    expect(await rolesIn(owner)).toEqual(['owner', 'developer']);
  });

  it('remains, whatever two owners do to themselves and each other at once', async () => {
    const deeds = [
      (a: Customer, b: Customer) => [leave(a), leave(b)],
      (a: Customer, b: Customer) => [remove(a, b), remove(b, a)],
      (a: Customer, b: Customer) => [setRole(a, b, 'developer'), setRole(b, a, 'developer')],
      (a: Customer, b: Customer) => [setRole(a, a, 'billing'), leave(b)],
    ];
    for (const [i, deed] of deeds.entries()) {
      const a = await registered();
      const accountId = await accountIdOf(a);
      const b = await joined(a, 'owner');
      const answers = await Promise.all(deed(a, b));
      expect(answers.filter(({ status }) => status === 200).length, `${i}`).toBe(1);
      const owners = await rows(`select 1 from members where account_id = ? and role = 'owner'`, accountId);
      expect(owners.length, `${i}`).toBe(1);
    }
  });
});

describe('a role', () => {
  it('is changed by owners alone, and holds from the next call on', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    expect(await codeOf(await setRole(member, member, 'owner'))).toBe('not_allowed');
    expect((await setRole(owner, member, 'billing')).status).toBe(200);
    expect([(await member.call('GET', '/keys')).status, (await member.call('GET', '/ledger')).status]).toEqual([
      403, 200,
    ]);
    expect((await mailsTo(member))[0]?.subject).toBe('Your role was changed');
  });

  it('is not raised by a change that an owner began who is none any more', async () => {
    const a = await registered();
    const b = await joined(a, 'owner');
    const c = await joined(a, 'developer');
    // Both pass the guard with the roles of before; only one of them is an owner when it is written.
    const [first, second] = await Promise.all([setRole(a, b, 'developer'), setRole(b, c, 'owner')]);
    expect(first.status).toBe(200);
    const isOwner = (await membersOf(a)).filter(({ role }) => role === 'owner').length;
    expect(isOwner).toBe(second.status === 200 ? 2 : 1);
  });

  it('of owner is given and taken with the password alone', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const path = `/members/${await idOf(member)}/role`;
    expect(await codeOf(await owner.call('POST', path, { role: 'owner' }))).toBe('password_needed');
    expect(await codeOf(await setRole(owner, member, 'owner', 'a wrong password'))).toBe('invalid_password');
    expect((await setRole(owner, member, 'owner')).status).toBe(200);
    expect(await codeOf(await owner.call('POST', path, { role: 'billing' }))).toBe('password_needed');
    expect((await owner.call('POST', `/members/${await idOf(member)}/remove`, {})).status).toBe(400);
    expect(await codeOf(await member.call('POST', '/members/leave', {}))).toBe('password_needed');
    expect(await rolesIn(owner)).toEqual(['owner', 'owner']);
  });

  it('is changed so often a day: neither the member nor owners are flooded with mails', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const { max, windowMs } = edgeLimits.portal.team.roleChanges;
    await bindings.DB.prepare('insert into counters (name, count, ends_at) values (?, ?, ?)')
      .bind(`roles:${await accountIdOf(owner)}`, max - 1, Date.now() + windowMs)
      .run();
    expect((await setRole(owner, member, 'billing')).status).toBe(200);
    expect((await setRole(owner, member, 'developer')).status).toBe(429);
    expect(await rolesIn(owner)).toEqual(['owner', 'billing']);
  });

  it('is changed within the own account alone', async () => {
    const [owner, other] = [await registered(), await registered()];
    expect((await setRole(owner, other, 'billing')).status).toBe(404);
    expect((await remove(owner, other)).status).toBe(404);
    expect((await owner.call('GET', `/members/${await idOf(other)}/keys`)).status).toBe(404);
  });
});

describe('removing', () => {
  it('ends access at the next call in every session, and names the keys that the member was shown', async () => {
    const owner = await registered();
    const ofOwner = await makeKey(owner, 'Owner');
    const member = await joined(owner, 'developer');
    const made = await makeKey(member, 'Member');
    await member.call('POST', `/keys/${ofOwner.key.key_id}/roll`, {});
    await makeKey(owner, 'Never shown');
    const second = newCustomer(member.email);
    await signIn(second);
    expect((await second.call('GET', '/keys')).status, 'a new session begins where the user was last').toBe(200);

    const { keys } = await answerOf<{ keys: readonly KeyRow[] }>(remove(owner, member));
    expect(keys.map(({ key_id }) => key_id).sort()).toEqual([made.key.key_id, ofOwner.key.key_id].sort());
    for (const session of [member, second]) {
      expect(await codeOf(await session.call('GET', '/keys'))).toBe('not_a_member');
      expect((await me(session)).moved).toBe(true);
      expect((await me(session)).moved, 'told once').toBeUndefined();
      expect((await me(session)).me).toMatchObject({ role: 'owner', accounts: [{ is_own: true }] });
    }
    expect((await mailsTo(member))[0]?.subject).toBe('You were removed from a packshot account');
  });

  it('names the keys too that were made or rolled with a key that the member was shown', async () => {
    const owner = await registered();
    const others = await makeKey(owner, 'Rolled');
    const member = await joined(owner, 'developer');
    const scopes = ['admin', 'images:write', 'batches:read', 'account:read'];
    const admin = await answerOf<KeyCreated>(member.call('POST', '/keys', { label: 'Admin', mode: 'test', scopes }));
    const post = async (path: string, secret: string, body: object) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const answer = await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.ok, path).toBe(true);
      return (await answer.json()) as { key: { key_id: string }; secret: string };
    };
    const child = await post('/api/v1/keys', admin.secret, { label: 'Child', mode: 'test', scopes });
    const grandchild = await post('/api/v1/keys', child.secret, { label: 'Grandchild', mode: 'test' });
    await post(`/api/v1/keys/${others.key.key_id}/roll`, child.secret, {});
    await owner.call('POST', `/keys/${admin.key.key_id}/revoke`, {});
    const { keys } = await answerOf<{ keys: readonly KeyRow[] }>(remove(owner, member));
    expect(keys.map(({ label }) => label).sort()).toEqual(['Child', 'Grandchild', 'Rolled']);
    expect(grandchild.secret).toMatch(/^packshot_test_/);
  });

  const keysLeft = async (removed: Promise<Response>): Promise<readonly string[]> =>
    (await answerOf<{ keys: readonly KeyRow[] }>(removed)).keys.map(({ key_id }) => key_id).sort();

  it('names the keys from before there were members to whoever was there then, whatever their role is now', async () => {
    const founder = await registered();
    const { key } = await makeKey(founder);
    const owner = await joined(founder, 'owner');
    // As the Worker before members noted it.
    await bindings.DB.prepare(
      `insert into audit_events (id, account_id, at, actor, action, subject) values (?1, ?2, ?3, 'owner', 'keys.made', ?4)`,
    )
      .bind(`aud_${key.key_id}`, await accountIdOf(founder), Date.now() - 60_000, key.key_id)
      .run();
    await bindings.DB.prepare('update members set joined_at = joined_at - 120000 where user_id = ?')
      .bind(await idOf(founder))
      .run();
    const keysOf = async (member: Customer) => keysLeft(owner.call('GET', `/members/${await idOf(member)}/keys`));
    expect(await keysOf(owner), 'joined later').toEqual([]);
    await setRole(owner, founder, 'developer');
    expect(await keysLeft(remove(owner, founder))).toEqual([key.key_id]);
  });

  it('gives out no key to who was removed while it was made, and names one that was noted meanwhile', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const [id, accountId] = [await idOf(member), await accountIdOf(owner)];
    const removed = `delete from members where account_id = '${accountId}' and user_id = '${id}'`;
    const noted = (action: string) => `after insert on audit_events when new.action = '${action}'`;
    const made = await meanwhile(noted('keys.made'), removed, () =>
      member.call('POST', '/keys', { label: 'x', mode: 'test' }),
    );
    expect([made.status, await codeOf(made)]).toEqual([409, 'changed_meanwhile']);
    const { keys } = await answerOf<{ keys: readonly KeyRow[] }>(owner.call('GET', '/keys'));
    expect(keys.map(({ revoked_at }) => revoked_at !== null)).toEqual([true]);

    const { key } = await makeKey(owner);
    const second = await joined(owner, 'developer');
    const rolled = await meanwhile(
      noted('keys.rolled'),
      `delete from members where account_id = '${accountId}' and user_id = '${await idOf(second)}'`,
      () => second.call('POST', `/keys/${key.key_id}/roll`, {}),
    );
    expect(await rolled.json()).not.toHaveProperty('secret');

    const third = await joined(owner, 'developer');
    const thirdId = await idOf(third);
    const late = `insert into audit_events (id, account_id, at, actor, action, subject, user_id)
      values ('aud_late', '${accountId}', ${Date.now()}, 'owner', 'keys.made', '${key.key_id}', '${thirdId}')`;
    const left = await meanwhile('after delete on members', late, () => keysLeft(remove(owner, third)));
    expect(left).toEqual([key.key_id]);
  });

  it('of who founded the account leaves them an empty one of their own', async () => {
    const founder = await registered();
    const accountId = await accountIdOf(founder);
    const owner = await joined(founder, 'owner');
    expect((await remove(owner, founder)).status).toBe(200);
    const { me: now } = await me(founder);
    expect(now?.account.account_id).not.toBe(accountId);
    expect(now?.accounts).toMatchObject([{ is_own: true, role: 'owner' }]);
    expect(await codeOf(await choose(founder, accountId))).toBe('not_found');
    const [user] = await rows<{ account_id: string }>('select account_id from "user" where email = ?', founder.email);
    expect(user?.account_id, 'the Worker of the version before knows this one alone').toBe(now?.account.account_id);
  });
});

describe('the choice of an account', () => {
  it('is of one session, and of accounts that the user is a member of', async () => {
    const [owner, stranger] = [await registered(), await registered()];
    const member = await joined(owner, 'developer');
    const [own, theirs] = [(await me(member)).me?.accounts[0]?.account_id ?? '', await accountIdOf(owner)];
    const second = newCustomer(member.email);
    await signIn(second);
    expect((await choose(member, own)).status).toBe(200);
    expect([await accountIdOf(member), await accountIdOf(second)]).toEqual([own, theirs]);
    expect((await choose(stranger, theirs)).status).toBe(404);
    expect(await accountIdOf(stranger)).not.toBe(theirs);
    expect((await choose(stranger, own)).status).toBe(404);
  });

  it('is no matter of a header or another cookie: they only refuse', async () => {
    const [owner, stranger] = [await registered(), await registered()];
    const header = { [ACCOUNT_HEADER]: await accountIdOf(owner) };
    expect(await codeOf(await stranger.call('GET', '/keys', undefined, header))).toBe('account_switched');
    expect((await owner.call('GET', '/keys', undefined, header)).status).toBe(200);
    const cookie = `${stranger.cookies()}; packshot.account=${await accountIdOf(owner)}`;
    expect((await answerOf<{ keys: unknown[] }>(stranger.call('GET', '/keys', undefined, { cookie }))).keys).toEqual(
      [],
    );
  });

  it('keeps a page of the account before from acting in the next', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const header = { [ACCOUNT_HEADER]: await accountIdOf(owner) };
    await choose(member, (await me(member)).me?.accounts[0]?.account_id ?? '');
    const answer = await member.call('POST', '/keys', { label: 'x', mode: 'test' }, header);
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'account_switched']);
    expect((await answerOf<{ keys: unknown[] }>(member.call('GET', '/keys'))).keys).toEqual([]);
  });

  it('keeps a link on a page of the account before from downloading what is of the next', async () => {
    const owner = await registered();
    const member = await joined(owner, 'owner');
    const shown = await accountIdOf(owner);
    for (const path of ['/ledger.csv', '/audit.csv', '/logs.csv', '/usage/report.csv']) {
      expect((await member.call('GET', `${path}?account=${shown}`)).status, path).toBe(200);
      expect(await codeOf(await owner.call('GET', `${path}?account=acc_other`)), path).toBe('account_switched');
    }
  });

  it('is not made by another site, nor by a session that is told an id', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const own = (await me(member)).me?.accounts[0]?.account_id ?? '';
    const answer = await member.call(
      'POST',
      '/session/account',
      { account_id: own },
      { origin: 'https://evil.example' },
    );
    expect(answer.status).toBe(403);
    expect((await member.call('POST', '/auth/update-session', { accountId: own, account_id: own })).status).toBe(404);
    expect(await accountIdOf(member)).toBe(await accountIdOf(owner));
  });
});

describe('calls', () => {
  it('of one member do not use up those of another', async () => {
    const owner = await registered();
    const member = await joined(owner, 'billing');
    let last = 200;
    for (let i = 0; i < edgeLimits.portal.rates.callsPerMinute && last !== 429; i++)
      last = (await member.call('GET', '/none')).status;
    expect((await member.call('GET', '/none')).status).toBe(429);
    expect((await owner.call('GET', '/usage')).status).toBe(200);
  });
});
