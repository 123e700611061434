/** Deleting an account, or a user, of which others are part. */
import { describe, expect, it } from 'vitest';
import { endOtherMemberships } from '../../../edge/portal/team/leave.ts';
import type { AuditPage, KeyCreated } from '../../../shared/portal-api.ts';
import { bindings, call, ledgerOf } from '../support/service.ts';
import {
  accountIdOf,
  answerOf,
  type Customer,
  mailsTo,
  me,
  newCustomer,
  PASSWORD,
  registered,
  rows,
} from './customer.ts';
import { accept, choose, codeOf, idOf, invitationOf, invite, joined, leave, meanwhile, membersOf } from './team.ts';

const deleteAccount = (customer: Customer, credits = 0): Promise<Response> =>
  customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: credits });
/** When all of an account but its members and their user is gone. */
const ALMOST_DELETED = "after insert on audit_events when new.action = 'data.account_deleted'";
const goHome = async (customer: Customer): Promise<void> => {
  const own = (await me(customer)).me?.accounts.find(({ is_own }) => is_own);
  expect((await choose(customer, own?.account_id ?? '')).status).toBe(200);
};
const statusOf = async (secret: string): Promise<number> =>
  (await call('/api/v1/account', { headers: { authorization: `Bearer ${secret}` } })).status;

describe('deleting an account', () => {
  it('ends keys, memberships and invitations; members keep their users and accounts', async () => {
    const owner = await registered();
    const accountId = await accountIdOf(owner);
    const member = await joined(owner, 'developer');
    const { secret } = await answerOf<KeyCreated>(member.call('POST', '/keys', { label: 'x', mode: 'test' }));
    const invited = newCustomer();
    await invite(owner, invited.email, 'billing');
    const token = await invitationOf(invited);
    expect((await deleteAccount(owner)).status).toBe(200);
    expect((await me(owner)).me).toBeNull();
    expect(await statusOf(secret)).toBe(401);
    expect(await codeOf(await member.call('GET', '/keys'))).toBe('not_a_member');
    expect((await me(member)).me).toMatchObject({ role: 'owner', accounts: [{ is_own: true }] });
    expect(await codeOf(await invited.call('POST', '/invitations/link', { token }))).toBe('invalid_link');
    expect(await rows('select 1 from members where account_id = ?', accountId)).toEqual([]);
    expect(await rows('select 1 from invitations where account_id = ?', accountId)).toEqual([]);
    expect((await mailsTo(member))[0]?.subject).toBe('A packshot account was deleted');
  });

  it('by an owner whose own it is not leaves their user, and its founder another account', async () => {
    const founder = await registered();
    const accountId = await accountIdOf(founder);
    const owner = await joined(founder, 'owner');
    const { secret } = await answerOf<KeyCreated>(founder.call('POST', '/keys', { label: 'x', mode: 'test' }));
    expect((await deleteAccount(owner)).status).toBe(200);
    expect(await statusOf(secret)).toBe(401);
    expect((await me(owner)).me).toMatchObject({ user: { email: owner.email }, accounts: [{ is_own: true }] });
    const { me: after } = await me(founder);
    expect(after).toMatchObject({ role: 'owner', accounts: [{ is_own: true }] });
    expect(after?.account.account_id).not.toBe(accountId);
    expect((await founder.call('POST', '/keys', { label: 'x', mode: 'test' })).status).toBe(201);
  });

  it('is done by one of two owners who ask for it at once, and by nobody who owns it no more', async () => {
    const founder = await registered();
    const accountId = await accountIdOf(founder);
    const owner = await joined(founder, 'owner');
    const answers = await Promise.all([deleteAccount(founder), deleteAccount(owner)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const deleted = await rows(
      `select 1 from audit_events where account_id = ? and action = 'data.account_deleted'`,
      accountId,
    );
    expect(deleted).toHaveLength(1);
    expect(await rows('select 1 from members where account_id = ?', accountId)).toEqual([]);

    const [a, b] = [await registered(), await registered()];
    const of = { accountId: await accountIdOf(a), ownerId: await idOf(b) };
    expect(await endOtherMemberships(bindings.DB, of, () => 'acc_none', Date.now())).toBeNull();
    expect(await membersOf(a)).toHaveLength(1);
  });

  it('leaves no invitation open, not one that is sent meanwhile either', async () => {
    const owner = await registered();
    const accountId = await accountIdOf(owner);
    // As if another window of the owner's sent it just before their user is gone.
    await bindings.DB.prepare(
      `create trigger sent_meanwhile before delete on "user" begin
         insert into invitations (id, account_id, email, role, token_sha256, created_at, expires_at)
         values ('inv_late', old.account_id, 'late@example.com', 'billing', 'late', 0, 9e15);
       end`,
    ).run();
    const deleted = await deleteAccount(owner);
    await bindings.DB.prepare('drop trigger sent_meanwhile').run();
    expect(deleted.status).toBe(200);
    expect(await rows('select 1 from invitations where account_id = ?', accountId)).toEqual([]);
  });

  it('by two owners at once takes its credits once', async () => {
    const founder = await registered();
    const accountId = await accountIdOf(founder);
    const owner = await joined(founder, 'owner');
    await ledgerOf({ accountId }).grant({ id: 'ten', credits: 10, reason: 'purchase' });
    await Promise.all([deleteAccount(founder, 10), deleteAccount(owner, 10)]);
    expect(await ledgerOf({ accountId }).summary()).toMatchObject({ granted: 0, available: 0 });
    expect(await rows('select 1 from members where account_id = ?', accountId)).toEqual([]);
  });

  it('is refused to an owner who is none any more once the password is checked', async () => {
    const founder = await registered();
    const owner = await joined(founder, 'owner');
    const demoted = `update members set role = 'billing' where user_id = '${await idOf(owner)}' and account_id = '${await accountIdOf(founder)}'`;
    const answer = await meanwhile("after insert on counters when new.name like 'password:%'", demoted, () =>
      deleteAccount(owner),
    );
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'changed_meanwhile']);
    expect(await membersOf(founder)).toHaveLength(2);
  });

  it('is an owner’s alone, and refused with a wrong password', async () => {
    const owner = await registered();
    for (const role of ['developer', 'billing'] as const)
      expect(await codeOf(await deleteAccount(await joined(owner, role)))).toBe('not_allowed');
    const wrong = await owner.call('POST', '/account/delete', { password: 'x', forfeited_credits: 0 });
    expect(await codeOf(wrong)).toBe('invalid_password');
    expect(await membersOf(owner)).toHaveLength(3);
  });
});

describe('deleting a user', () => {
  it('leaves the accounts of others, and takes nothing of theirs', async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    const { secret } = await answerOf<KeyCreated>(member.call('POST', '/keys', { label: 'x', mode: 'test' }));
    const open = await registered();
    await invite(owner, open.email, 'billing');
    await goHome(member);
    expect((await deleteAccount(member)).status).toBe(200);
    expect((await membersOf(owner)).map(({ email }) => email)).toEqual([owner.email]);
    expect(await statusOf(secret), 'keys are of the account').toBe(200);
    const { rows: events } = await answerOf<AuditPage>(owner.call('GET', '/audit?group=members'));
    expect(events[0]).toMatchObject({ action: 'members.left', detail: `${member.email}, developer` });
    expect((await mailsTo(owner))[0]).toMatchObject({ subject: 'A member left' });
    expect((await accept(open, await invitationOf(open))).status).toBe(200);
    expect((await me(owner)).me).not.toBeNull();
    expect(await rows('select 1 from "user" where email = ?', member.email)).toEqual([]);
  });

  it('leaves no account without an owner that they became the last owner of meanwhile', async () => {
    const founder = await registered();
    const accountId = await accountIdOf(founder);
    const owner = await joined(founder, 'owner');
    const userId = await idOf(owner);
    await goHome(owner);
    const alone = `update members set user_id = '${userId}' where account_id = '${accountId}'`;
    const answer = await meanwhile(ALMOST_DELETED, alone, () => deleteAccount(owner));
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'last_owner']);
    expect(await choose(owner, accountId)).toMatchObject({ status: 200 });
    expect((await membersOf(owner)).map(({ role }) => role)).toEqual(['owner']);
  });

  it('is refused while they are the only owner of another account, before anything is lost', async () => {
    const founder = await registered();
    const owner = await joined(founder, 'owner');
    const accountId = await accountIdOf(founder);
    await leave(founder);
    await goHome(owner);
    const { secret } = await answerOf<KeyCreated>(owner.call('POST', '/keys', { label: 'x', mode: 'test' }));
    expect(await codeOf(await deleteAccount(owner))).toBe('last_owner');
    expect(await statusOf(secret)).toBe(200);
    await choose(owner, accountId);
    expect((await deleteAccount(owner)).status).toBe(200);
    await goHome(owner);
    expect((await deleteAccount(owner)).status).toBe(200);
    expect((await me(owner)).me).toBeNull();
  });
});
