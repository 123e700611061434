/** People's accounts: registering, signing in and out, passwords, deletion. */
import { describe, expect, it } from 'vitest';
import type { Customer } from './customer.ts';
import { answerOf, linkIn, mailsTo, me, newCustomer, PASSWORD, registered, rows, signIn, signUp } from './customer.ts';

const signedIn = async (customer: Customer): Promise<boolean> => (await me(customer)).me !== null;

describe('registering', () => {
  it('opens an account with no credits once the address is confirmed, and not before', async () => {
    const customer = newCustomer();
    expect((await signUp(customer)).status).toBe(200);
    expect(await signedIn(customer)).toBe(false);
    const early = await signIn(customer);
    expect(early.status).toBe(403);
    await customer.call('GET', linkIn((await mailsTo(customer))[0]));
    const { me: session } = await me(customer);
    expect(session?.account).toMatchObject({ available: 0, held: 0, spent: 0, granted: 0 });
    expect(session?.account.account_id).toMatch(/^acc_[0-9a-z]{26}$/);
  });

  it('refuses a password shorter than ten characters', async () => {
    expect((await signUp(newCustomer(), 'too short')).status).toBe(400);
  });

  it('never lets a caller choose the credit account', async () => {
    const victim = await registered();
    const victimAccount = (await me(victim)).me?.account.account_id;
    const customer = newCustomer();
    await customer.call('POST', '/auth/sign-up/email', {
      name: 'Mallory',
      email: customer.email,
      password: PASSWORD,
      accountId: victimAccount,
      account_id: victimAccount,
    });
    const [row] = await rows<{ account_id: string }>('select account_id from "user" where email = ?', customer.email);
    expect(row?.account_id).not.toBe(victimAccount);
  });

  it('refuses an altered confirmation link', async () => {
    const customer = newCustomer();
    await signUp(customer);
    const link = linkIn((await mailsTo(customer))[0]).replace(/token=([^&]{10})/, 'token=AAAAAAAAAA');
    const answer = await customer.call('GET', link);
    expect(answer.headers.get('location')).toContain('error=');
    expect(await signedIn(customer)).toBe(false);
  });
});

describe('whether an address has an account', () => {
  it('is not revealed by registering: both answers look alike, and only the owner gets a mail about it', async () => {
    const owner = await registered();
    const fresh = newCustomer();
    const again = await newCustomer(owner.email).call('POST', '/auth/sign-up/email', {
      name: 'Grace Hopper',
      email: owner.email,
      password: 'another password',
    });
    const first = await signUp(fresh);
    expect(again.status).toBe(first.status);
    const [a, b] = [(await again.json()) as { user: object }, (await first.json()) as { user: object }];
    expect(Object.keys(a).sort()).toEqual(Object.keys(b).sort());
    expect(Object.keys(a.user).sort()).toEqual(Object.keys(b.user).sort());
    expect((await mailsTo(owner))[0]?.subject).toBe('You already have an account');
    expect((await signIn(owner, 'another password')).status).toBe(401);
  });

  it('is not revealed by signing in', async () => {
    const owner = await registered();
    const wrong = await signIn(newCustomer(owner.email), 'a wrong password');
    const unknown = await signIn(newCustomer(), 'a wrong password');
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(wrong.status);
    expect(await unknown.json()).toEqual(await wrong.json());
  });

  it('is not revealed by asking for a new password', async () => {
    const owner = await registered();
    const known = await newCustomer().call('POST', '/auth/request-password-reset', { email: owner.email });
    const unknown = await newCustomer().call('POST', '/auth/request-password-reset', { email: 'nobody@example.com' });
    expect(unknown.status).toBe(known.status);
    expect(await unknown.json()).toEqual(await known.json());
  });
});

describe('signing in', () => {
  it('is refused for a client after too many attempts, whatever the addresses', async () => {
    const client = newCustomer();
    const answers: number[] = [];
    for (let i = 0; i < 21; i++)
      answers.push(
        (
          await client.call('POST', '/auth/sign-in/email', {
            email: `someone${i}@example.com`,
            password: 'a wrong password',
          })
        ).status,
      );
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
    expect(answers[20]).toBe(429);
  });

  it('sets cookies that scripts cannot read and other sites cannot send', async () => {
    const owner = await registered();
    const answer = await signIn(owner);
    const cookie = answer.headers.getSetCookie().find((line) => line.includes('session_token')) ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
  });

  it('ends with signing out: the old cookie opens nothing', async () => {
    const owner = await registered();
    const stolen = owner.cookies();
    expect((await owner.call('POST', '/auth/sign-out', {})).status).toBe(200);
    expect(
      (await answerOf<{ me: unknown }>(newCustomer().call('GET', '/session', undefined, { cookie: stolen }))).me,
    ).toBeNull();
  });
});

describe('passwords', () => {
  it('change only with the current one, and then other sessions end', async () => {
    const owner = await registered();
    const other = newCustomer(owner.email);
    await signIn(other);
    expect(
      (
        await owner.call('POST', '/auth/change-password', {
          currentPassword: 'a wrong one',
          newPassword: 'brand new password',
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await owner.call('POST', '/auth/change-password', {
          currentPassword: PASSWORD,
          newPassword: 'brand new password',
          revokeOtherSessions: true,
        })
      ).status,
    ).toBe(200);
    expect(await signedIn(owner)).toBe(true);
    expect(await signedIn(other)).toBe(false);
    expect((await signIn(other)).status).toBe(401);
    expect((await signIn(other, 'brand new password')).status).toBe(200);
  });

  it('are reset by a mailed link that works once and ends every session', async () => {
    const owner = await registered();
    const visitor = newCustomer(owner.email);
    await visitor.call('POST', '/auth/request-password-reset', { email: owner.email });
    const token = new URL(linkIn((await mailsTo(visitor))[0]), 'http://x').searchParams.get('token');
    expect(
      (await visitor.call('POST', '/auth/reset-password', { token, newPassword: 'chosen afresh today' })).status,
    ).toBe(200);
    expect(
      (await visitor.call('POST', '/auth/reset-password', { token, newPassword: 'chosen a second time' })).status,
    ).toBe(400);
    expect(await signedIn(owner)).toBe(false);
    expect((await signIn(visitor, 'chosen afresh today')).status).toBe(200);
  });
});

describe('deleting an account', () => {
  it('needs the password and the exact number of credits that are lost', async () => {
    const owner = await registered();
    expect(
      (await owner.call('POST', '/account/delete', { password: 'a wrong one', forfeited_credits: 0 })).status,
    ).toBe(400);
    expect((await owner.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 7 })).status).toBe(
      409,
    );
    expect(await signedIn(owner)).toBe(true);
    expect((await owner.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 })).status).toBe(
      200,
    );
    expect(await signedIn(owner)).toBe(false);
    expect((await signIn(owner)).status).toBe(401);
    expect(await rows('select id from "user" where email = ?', owner.email)).toEqual([]);
  });

  it("works in no other way: the library's own route is closed", async () => {
    const owner = await registered();
    expect((await owner.call('POST', '/auth/delete-user', { password: PASSWORD })).status).toBe(404);
    expect(await signedIn(owner)).toBe(true);
  });
});
