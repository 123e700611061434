/** What owners learn of what members do: the audit log, and mails. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { lowBalanceMailer } from '../../../edge/portal/low-balance.ts';
import { type Mail, sendAll } from '../../../edge/portal/mail.ts';
import { memberLeftMail } from '../../../edge/portal/mail-texts.ts';
import type { AuditPage, KeyCreated } from '../../../shared/portal-api.ts';
import { bindings } from '../support/service.ts';
import {
  accountIdOf,
  answerOf,
  type Customer,
  mailsTo,
  me,
  newCustomer,
  PASSWORD,
  registered,
  signIn,
} from './customer.ts';
import { choose, joined, membersOf, registeredByLink } from './team.ts';

const makeKey = (customer: Customer, label = 'Shop'): Promise<KeyCreated> =>
  answerOf<KeyCreated>(customer.call('POST', '/keys', { label, mode: 'test' }));

describe('the audit log', () => {
  const pageOf = async (customer: Customer) => (await answerOf<AuditPage>(customer.call('GET', '/audit'))).rows;

  it('names the member, for owners alone, until their user is deleted', async () => {
    const owner = await registered();
    const member = await registeredByLink(owner, 'developer');
    await makeKey(member);
    const [made] = await pageOf(owner);
    expect(made).toMatchObject({ action: 'keys.made', actor: 'owner', member: member.email });
    expect((await pageOf(owner)).find(({ action }) => action === 'members.joined')?.member).toBe(member.email);
    expect((await member.call('GET', '/audit.csv')).status).toBe(403);
    expect(await (await owner.call('GET', '/audit.csv')).text()).toContain(member.email);

    await choose(member, (await me(member)).me?.accounts.find(({ is_own }) => is_own)?.account_id ?? '');
    expect((await member.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 })).status).toBe(
      200,
    );
    const after = (await pageOf(owner)).find(({ action }) => action === 'keys.made');
    expect(after).toMatchObject({ member: null, member_id: made?.member_id });
    expect((await membersOf(owner)).map(({ role }) => role)).toEqual(['owner']);
  });

  it('lets nobody change whose event it is', async () => {
    const owner = await registered();
    await makeKey(owner);
    await expect(
      bindings.DB.prepare("update audit_events set user_id = 'somebody else' where action = 'keys.made'").run(),
    ).rejects.toThrow('audit events do not change');
  });

  it("has people's own sign-ins in that of their own account, not of the team's", async () => {
    const owner = await registered();
    const member = await joined(owner, 'developer');
    await member.call('POST', '/account/sessions/end-others', {});
    await signIn(newCustomer(member.email));
    const own = (await pageOf(owner)).filter(({ member: who }) => who === member.email);
    expect(own.map(({ action }) => action)).toEqual(['members.joined']);
  });
});

describe('mails', () => {
  const subjectsTo = async (customer: Customer) => (await mailsTo(customer)).map(({ subject }) => subject);

  it('about keys go to owners, whoever made them', async () => {
    const owner = await registered();
    const [developer, billing] = [await joined(owner, 'developer'), await joined(owner, 'billing')];
    await makeKey(developer);
    expect((await mailsTo(owner))[0]).toMatchObject({
      subject: 'A key was made',
      body: expect.stringContaining(developer.email),
    });
    expect(await subjectsTo(developer)).not.toContain('A key was made');
    expect(await subjectsTo(billing)).not.toContain('A key was made');
  });

  it('about what members do end after so many an hour, of which the last says so; the log has everything', async () => {
    const owner = await registered();
    const developer = await joined(owner, 'developer');
    await makeKey(developer, 'before');
    await bindings.DB.prepare('update counters set count = ? where name = ?')
      .bind(edgeLimits.portal.team.tellings.max - 1, `told:${await accountIdOf(owner)}`)
      .run();
    for (const label of ['last', 'over', 'over', 'over']) await makeKey(developer, label);
    expect((await subjectsTo(owner)).slice(0, 3)).toEqual([
      'Much is being changed in your account',
      'A key was made',
      'A key was made',
    ]);
    const { rows: events } = await answerOf<AuditPage>(owner.call('GET', '/audit?group=keys'));
    expect(events).toHaveLength(5);
  });

  it('have what a member typed in its sentence alone', async () => {
    const owner = await registered();
    const developer = await joined(owner, 'developer');
    await makeKey(developer, 'Shop", for you.\n\nYour account ends today.\u2028Keep it');
    const [first] = ((await mailsTo(owner))[0]?.body ?? '').split('\n');
    expect(first).toContain('"Shop", for you. Your account ends today. Keep it"');
    expect(first).toContain(developer.email);
  });

  it('to several are all waited for, though one address takes none', async () => {
    const taken: string[] = [];
    const send = async ({ to }: Mail): Promise<void> => {
      if (to === 'full@example.com') throw new Error('mailbox full');
      await bindings.DB.prepare('select 1').run();
      taken.push(to);
    };
    const mails = ['full@example.com', 'a@example.com', 'b@example.com'].map((to) => memberLeftMail(to));
    await expect(sendAll(send, mails)).rejects.toThrow('mailbox full');
    expect(taken.sort()).toEqual(['a@example.com', 'b@example.com']);
  });

  it('about the balance go to owners and billing, once each', async () => {
    const owner = await registered();
    const [developer, billing] = [await joined(owner, 'developer'), await joined(owner, 'billing')];
    const tell = lowBalanceMailer(bindings);
    const crossing = { crossing: 1, level: 10, balance: 9, atMs: Date.now() };
    const accountId = await accountIdOf(owner);
    expect(await tell(accountId, crossing)).toBe('told');
    expect(await tell(accountId, crossing)).toBe('told');
    for (const [customer, mails] of [
      [owner, 1],
      [billing, 1],
      [developer, 0],
    ] as const)
      expect((await subjectsTo(customer)).filter((subject) => subject.startsWith('Your balance fell'))).toHaveLength(
        mails,
      );
  });
});
