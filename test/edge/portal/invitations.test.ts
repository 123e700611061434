/** Invitations: whom they let in, as what, and everything else that is done with their links. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { sweepPortal } from '../../../edge/portal/sweep.ts';
import type { AuditPage, InvitationRow } from '../../../shared/portal-api.ts';
import { bindings, ledgerOf } from '../support/service.ts';
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
  signIn,
} from './customer.ts';
import {
  accept,
  codeOf,
  invitationOf,
  invite,
  joined,
  leave,
  meanwhile,
  membersOf,
  registeredByLink,
  remove,
  setRole,
} from './team.ts';

const { invitationsMax, membersMax, invitationKeptMs } = edgeLimits.portal.team;
const listOf = async (owner: Customer): Promise<readonly InvitationRow[]> =>
  (await answerOf<{ invitations: readonly InvitationRow[] }>(owner.call('GET', '/invitations'))).invitations;
const idIn = async (owner: Customer): Promise<string> => (await listOf(owner))[0]?.invitation_id ?? '';
const withdraw = async (owner: Customer): Promise<Response> =>
  owner.call('POST', `/invitations/${await idIn(owner)}/withdraw`, {});
const read = (token: string): Promise<Response> => newCustomer().call('POST', '/invitations/link', { token });
const expire = (email: string) =>
  bindings.DB.prepare('update invitations set expires_at = ? where email = ?')
    .bind(Date.now() - 1, email)
    .run();

describe('an invitation', () => {
  it('lets a user in who signs in with its address, as the role it names, and keeps only the hash of its link', async () => {
    const owner = await registered();
    const member = await registered();
    await invite(owner, member.email.toUpperCase(), 'developer');
    const token = await invitationOf(member);
    expect(JSON.stringify(await rows('select * from invitations'))).not.toContain(token);
    expect(await (await read(token)).json()).toMatchObject({
      email: member.email,
      role: 'developer',
      account: owner.email,
    });
    expect((await accept(newCustomer(member.email), token)).status, 'signed out').toBe(401);
    expect((await accept(member, token)).status).toBe(200);
    expect(await listOf(owner)).toEqual([]);
    expect((await membersOf(owner)).map(({ email, role }) => [email, role])).toEqual([
      [owner.email, 'owner'],
      [member.email, 'developer'],
    ]);
    expect((await mailsTo(owner))[0]?.subject).toBe('A member joined your account');
  });

  it('registers who has no user, opens no account of their own and makes no key', async () => {
    const owner = await registered();
    const member = await registeredByLink(owner, 'billing');
    const { me: now } = await me(member);
    expect(now).toMatchObject({ role: 'billing', account: { account_id: await accountIdOf(owner) } });
    const own = now?.accounts.find(({ is_own }) => is_own)?.account_id ?? '';
    const summary = await ledgerOf({ accountId: own }).summary();
    expect(summary, 'not opened before they go there').toBeUndefined();
    expect((await mailsTo(member))[0]?.subject).toBe('Your packshot user was made');
    const again = newCustomer(member.email);
    expect((await signIn(again)).status).toBe(200);
    expect((await me(again)).me?.account.account_id).toBe(await accountIdOf(owner));
  });

  it('is for its address alone, whoever it was forwarded to', async () => {
    const [owner, member, other] = [await registered(), await registered(), await registered()];
    await invite(owner, member.email, 'owner');
    const token = await invitationOf(member);
    expect(await codeOf(await accept(other, token))).toBe('other_address');
    const body = { token, name: 'Mallory', password: PASSWORD };
    expect(await codeOf(await newCustomer().call('POST', '/invitations/sign-up', body))).toBe('already_registered');
    expect((await accept(member, token)).status).toBe(200);
    expect(await membersOf(owner)).toHaveLength(2);
  });

  it('changes no role of who is a member under another address, and is not used up by them', async () => {
    const owner = await registered();
    const member = await joined(owner, 'billing');
    const next = newCustomer();
    await invite(owner, next.email, 'owner');
    const token = await invitationOf(next);
    await bindings.DB.prepare('update "user" set email = ? where email = ?').bind(next.email, member.email).run();
    expect(await codeOf(await accept(member, token))).toBe('already_member');
    expect((await membersOf(owner)).map(({ role }) => role)).toEqual(['owner', 'billing']);
    expect(await listOf(owner)).toHaveLength(1);
  });

  it('does not say whether its address has a user', async () => {
    const [owner, known, fresh] = [await registered(), await registered(), newCustomer()];
    const answers = [await invite(owner, known.email, 'billing'), await invite(owner, fresh.email, 'billing')];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const [a, b] = await listOf(owner);
    expect(Object.keys(a ?? {})).toEqual(Object.keys(b ?? {}));
    const links = [await read(await invitationOf(known)), await read(await invitationOf(fresh))];
    const [ofKnown, ofFresh] = await Promise.all(links.map((link) => link.json() as Promise<object>));
    expect(Object.keys(ofKnown ?? {})).toEqual(Object.keys(ofFresh ?? {}));
  });

  it('says clearly what became of it: accepted, withdrawn, expired, replaced, never sent', async () => {
    const owner = await registered();
    const member = await registered();
    await invite(owner, member.email, 'developer');
    const first = await invitationOf(member);
    await expire(member.email);
    expect([(await read(first)).status, await codeOf(await accept(member, first))]).toEqual([
      410,
      'invitation_expired',
    ]);
    expect((await owner.call('POST', `/invitations/${await idIn(owner)}/resend`, {})).status).toBe(200);
    const second = await invitationOf(member);
    expect(await codeOf(await accept(member, first))).toBe('invalid_link');
    expect((await withdraw(owner)).status).toBe(200);
    expect(await codeOf(await accept(member, second))).toBe('invitation_withdrawn');
    await invite(owner, member.email, 'developer');
    const third = await invitationOf(member);
    expect((await accept(member, third)).status).toBe(200);
    expect(await codeOf(await accept(member, third))).toBe('invitation_accepted');
    expect(await codeOf(await accept(member, 'of nobody'))).toBe('invalid_link');
  });

  it('that is withdrawn while somebody registers by it makes no member, and the mailbox learns of the user', async () => {
    const [owner, customer] = [await registered(), newCustomer()];
    await invite(owner, customer.email, 'developer');
    const body = { token: await invitationOf(customer), name: 'Ada Lovelace', password: PASSWORD };
    const withdrawn = `update invitations set state = 'withdrawn' where email = '${customer.email}'`;
    const answer = await meanwhile(`after insert on "user" when new.email = '${customer.email}'`, withdrawn, () =>
      customer.call('POST', '/invitations/sign-up', body),
    );
    expect(await codeOf(answer)).toBe('invitation_withdrawn');
    expect((await mailsTo(customer))[0]?.subject).toBe('Your packshot user was made');
    expect(await membersOf(owner)).toHaveLength(1);
  });

  it('takes a name of one line that reads as it is written', async () => {
    const [owner, customer] = [await registered(), newCustomer()];
    await invite(owner, customer.email, 'developer');
    const token = await invitationOf(customer);
    const registerAs = (name: string) =>
      customer.call('POST', '/invitations/sign-up', { token, name, password: PASSWORD });
    for (const name of ['Ada\nLovelace', 'Ada\u202eecalevoL', 'Ada\u0000', '  '])
      expect(await codeOf(await registerAs(name)), JSON.stringify(name)).toBe('invalid_request');
    expect((await registerAs(' Zoë O’Brien-Łukasz 👩‍💻 ')).status).toBe(200);
  });

  it('is no way back for a member who was removed', async () => {
    const owner = await registered();
    const member = await registered();
    await invite(owner, member.email, 'developer');
    const token = await invitationOf(member);
    await accept(member, token);
    await remove(owner, member);
    expect((await accept(member, token)).status).toBe(409);
    expect(await membersOf(owner)).toHaveLength(1);
  });

  it('of an owner who is none any more is withdrawn with them', async () => {
    for (const letGo of [
      remove,
      (a: Customer, b: Customer) => setRole(a, b, 'developer'),
      (_: Customer, b: Customer) => leave(b),
    ]) {
      const owner = await registered();
      const second = await joined(owner, 'owner');
      const accomplice = newCustomer();
      await invite(second, accomplice.email, 'owner');
      const token = await invitationOf(accomplice);
      expect((await letGo(owner, second)).status).toBe(200);
      expect(await codeOf(await read(token))).toBe('invitation_withdrawn');
      const { rows: events } = await answerOf<AuditPage>(owner.call('GET', '/audit?group=members'));
      expect(events[0]).toMatchObject({
        action: 'members.invitation_withdrawn',
        detail: `${accomplice.email}, owner`,
      });
    }
  });

  it('is accepted or withdrawn, never both, when both happen at once', async () => {
    const [owner, member] = [await registered(), await registered()];
    // As often as one address is mailed to in an hour.
    for (let i = 0; i < edgeLimits.portal.mails.perRecipientHour; i++) {
      await invite(owner, member.email, 'developer');
      const token = await invitationOf(member);
      const id = await idIn(owner);
      const [accepted, withdrawn] = await Promise.all([
        accept(member, token),
        owner.call('POST', `/invitations/${id}/withdraw`, {}),
      ]);
      expect([accepted.status === 200, withdrawn.status === 200].filter(Boolean)).toHaveLength(1);
      expect(await membersOf(owner)).toHaveLength(accepted.status === 200 ? 2 : 1);
      if (accepted.status === 200) await remove(owner, member);
    }
  });

  it('makes one user and one member, however often its link is sent at once', async () => {
    const [owner, customer] = [await registered(), newCustomer()];
    await invite(owner, customer.email, 'developer');
    const body = { token: await invitationOf(customer), name: 'Ada Lovelace', password: PASSWORD };
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => newCustomer().call('POST', '/invitations/sign-up', body)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(0);
    expect(await membersOf(owner)).toHaveLength(2);
  });
});

describe('inviting', () => {
  it('is refused to a member, twice, and beyond its bounds', async () => {
    const owner = await registered();
    const member = await joined(owner, 'billing');
    expect(await codeOf(await invite(owner, member.email, 'developer'))).toBe('already_member');
    const other = newCustomer();
    await invite(owner, other.email, 'developer');
    expect(await codeOf(await invite(owner, other.email, 'billing'))).toBe('already_invited');
    const accountId = await accountIdOf(owner);
    const fill = Array.from({ length: invitationsMax - 1 }, (_, i) =>
      bindings.DB.prepare(
        `insert into invitations (id, account_id, email, role, token_sha256, created_at, expires_at) values (?, ?, ?, 'billing', ?, ?, ?)`,
      ).bind(
        `inv_${i}${accountId}`,
        accountId,
        `${i}@example.com`,
        `${i}${accountId}`,
        Date.now(),
        Date.now() + 60_000,
      ),
    );
    await bindings.DB.batch(fill);
    expect(await codeOf(await invite(owner, newCustomer().email, 'billing'))).toBe('too_many');
    await expire(other.email);
    const { email } = newCustomer();
    expect((await invite(owner, email, 'billing')).status).toBe(201);
    const expired = (await listOf(owner)).find((row) => row.email === other.email)?.invitation_id;
    const again = await owner.call('POST', `/invitations/${expired}/resend`, {});
    expect(await codeOf(again), 'one that has expired counts anew').toBe('too_many');
    expect((await listOf(owner)).filter((row) => !row.expired)).toHaveLength(invitationsMax);
  });

  it('of an owner needs the password', async () => {
    const owner = await registered();
    const body = { email: newCustomer().email, role: 'owner' };
    expect(await codeOf(await owner.call('POST', '/invitations', body))).toBe('password_needed');
    const wrong = await owner.call('POST', '/invitations', { ...body, password: 'a wrong password' });
    expect(await codeOf(wrong)).toBe('invalid_password');
    expect((await owner.call('POST', '/invitations', { ...body, role: 'admin' })).status).toBe(400);
  });

  it('counts as a mail: nobody is written to more often than by any other', async () => {
    const owner = await registered();
    const other = newCustomer();
    await invite(owner, other.email, 'billing');
    const resend = async () => owner.call('POST', `/invitations/${await idIn(owner)}/resend`, {});
    const { perRecipientHour } = edgeLimits.portal.mails;
    for (let i = 1; i < perRecipientHour; i++) expect((await resend()).status).toBe(200);
    expect((await resend()).status).toBe(429);
    expect(await mailsTo(other)).toHaveLength(perRecipientHour);
  });

  it('never makes more members than an account may have', async () => {
    const owner = await registered();
    const accountId = await accountIdOf(owner);
    const member = await registered();
    await invite(owner, member.email, 'billing');
    const others = await Promise.all(Array.from({ length: membersMax - 1 }, () => registeredUser()));
    await bindings.DB.batch(
      others.map((id) =>
        bindings.DB.prepare(
          `insert into members (account_id, user_id, role, joined_at) values (?, ?, 'billing', 0)`,
        ).bind(accountId, id),
      ),
    );
    expect(await codeOf(await accept(member, await invitationOf(member)))).toBe('too_many_members');
    expect(await membersOf(owner)).toHaveLength(membersMax);
  });

  it('is forgotten with its address some days after its end', async () => {
    const owner = await registered();
    const { email } = newCustomer();
    await invite(owner, email, 'billing');
    const stored = () => rows('select id from invitations where email = ?', email);
    await expire(email);
    await sweepPortal(bindings.DB, Date.now());
    expect(await stored()).toHaveLength(1);
    await sweepPortal(bindings.DB, Date.now() + invitationKeptMs);
    expect(await stored()).toEqual([]);
  });
});

/** The id of a user who never does anything. */
const registeredUser = async (): Promise<string> => {
  const id = crypto.randomUUID();
  const now = new Date().toISOString();
  await bindings.DB.prepare(
    `insert into "user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt", "account_id") values (?1, 'x', ?2, 1, ?3, ?3, ?4)`,
  )
    .bind(id, `${id}@example.com`, now, `acc_${id}`)
    .run();
  return id;
};
