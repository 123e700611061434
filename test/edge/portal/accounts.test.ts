/** People's accounts: registering, signing in and out, passwords, deletion. */
import { describe, expect, it } from 'vitest';
import type { Customer } from './customer.ts';
import {
  answerOf,
  completeSignUp,
  linkIn,
  mailsTo,
  me,
  newCustomer,
  PASSWORD,
  registered,
  rows,
  signIn,
  signUp,
  tokenIn,
} from './customer.ts';

const signedIn = async (customer: Customer): Promise<boolean> => (await me(customer)).me !== null;

describe('registering', () => {
  it('makes nothing until the address is confirmed, then opens an account with no credits and signs in', async () => {
    const customer = newCustomer();
    expect((await signUp(customer)).status).toBe(202);
    expect(await signedIn(customer)).toBe(false);
    expect((await signIn(customer)).status).toBe(401);
    expect(await rows('select id from "user" where email = ?', customer.email)).toEqual([]);
    expect((await completeSignUp(customer)).status).toBe(200);
    const { me: session } = await me(customer);
    expect(session?.account).toMatchObject({ available: 0, held: 0, spent: 0, granted: 0 });
    expect(session?.account.account_id).toMatch(/^acc_[0-9a-z]{26}$/);
  });

  it('takes the password from whoever reads the mail, and from nobody else', async () => {
    const [victim, attacker] = [newCustomer(), newCustomer()];
    const prepared = await attacker.call('POST', '/sign-up', { email: victim.email, password: 'of the attacker' });
    expect(prepared.status, 'no password is taken with the address').toBe(400);
    await attacker.call('POST', '/sign-up', { email: victim.email });
    for (const path of ['/auth/sign-up/email', '/auth/send-verification-email'])
      expect(
        (await attacker.call('POST', path, { email: victim.email, name: 'x', password: 'of the attacker' })).status,
        path,
      ).toBe(404);
    await signUp(victim);
    expect((await completeSignUp(victim)).status).toBe(200);
    expect((await signIn(newCustomer(victim.email), 'of the attacker')).status).toBe(401);
    expect((await signIn(newCustomer(victim.email))).status).toBe(200);
  });

  it('ends every other link for the address, and each link works once', async () => {
    const customer = newCustomer();
    await signUp(customer);
    await signUp(newCustomer(customer.email));
    const [newest, oldest] = (await mailsTo(customer)).map(tokenIn);
    const body = { name: 'Grace Hopper', password: PASSWORD };
    expect((await customer.call('POST', '/sign-up/link', { token: newest })).status).toBe(200);
    expect((await customer.call('POST', '/sign-up/complete', { ...body, token: newest })).status).toBe(200);
    for (const token of [newest, oldest])
      expect((await newCustomer().call('POST', '/sign-up/complete', { ...body, token })).status).toBe(400);
  });

  it('refuses a password shorter than ten characters, and the link still works', async () => {
    const customer = newCustomer();
    await signUp(customer);
    expect((await completeSignUp(customer, 'too short')).status).toBe(400);
    expect((await completeSignUp(customer)).status).toBe(200);
  });

  it('never lets a caller choose the credit account', async () => {
    const victim = await registered();
    const victimAccount = (await me(victim)).me?.account.account_id;
    const customer = newCustomer();
    await signUp(customer);
    const body = { token: tokenIn((await mailsTo(customer))[0]), name: 'Mallory', password: PASSWORD };
    for (const more of [{ accountId: victimAccount }, { account_id: victimAccount }])
      expect((await customer.call('POST', '/sign-up/complete', { ...body, ...more })).status).toBe(400);
    expect((await customer.call('POST', '/sign-up/complete', body)).status).toBe(200);
    const [row] = await rows<{ account_id: string }>('select account_id from "user" where email = ?', customer.email);
    expect(row?.account_id).not.toBe(victimAccount);
  });

  it('refuses an altered link, and keeps only its hash', async () => {
    const customer = newCustomer();
    await signUp(customer);
    const token = tokenIn((await mailsTo(customer))[0]);
    const altered = `A${token.slice(1)}`;
    const body = { name: 'Grace Hopper', password: PASSWORD };
    expect(
      (await customer.call('POST', '/sign-up/complete', { ...body, token: altered === token ? 'x' : altered })).status,
    ).toBe(400);
    expect(await signedIn(customer)).toBe(false);
    expect(JSON.stringify(await rows('select * from mailed_links'))).not.toContain(token);
  });
});

describe('whether an address has an account', () => {
  it('is not revealed by registering: both answers are alike, and only the owner gets a mail about it', async () => {
    const owner = await registered();
    const fresh = newCustomer();
    const again = await signUp(newCustomer(owner.email));
    const first = await signUp(fresh);
    expect(again.status).toBe(first.status);
    expect(await again.json()).toEqual(await first.json());
    expect((await mailsTo(owner))[0]?.subject).toBe('You already have an account');
    expect((await mailsTo(fresh))[0]?.subject).toBe('Confirm your mail address');
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

describe('a password that was changed', () => {
  const askForReset = async (owner: Customer): Promise<string> => {
    await newCustomer(owner.email).call('POST', '/auth/request-password-reset', { email: owner.email });
    return tokenIn((await mailsTo(owner))[0]);
  };
  const reset = (token: string, newPassword: string): Promise<Response> =>
    newCustomer().call('POST', '/auth/reset-password', { token, newPassword });

  it('by a reset ends every other link to reset it and every session, and its owner is told', async () => {
    const owner = await registered();
    const other = newCustomer(owner.email);
    await signIn(other);
    const [first, second] = [await askForReset(owner), await askForReset(owner)];
    expect((await reset(second, 'chosen afresh today')).status).toBe(200);
    expect((await reset(first, 'of whoever read the mail')).status).toBe(400);
    expect([await signedIn(owner), await signedIn(other)]).toEqual([false, false]);
    const [told] = await mailsTo(owner);
    expect(told?.subject).toBe('Your password was changed');
    expect(told?.body).toContain('If it was not you');
  });

  it('in the settings ends the links and other sessions too, whatever the caller asks for, and its owner is told', async () => {
    const owner = await registered();
    const other = newCustomer(owner.email);
    await signIn(other);
    const token = await askForReset(owner);
    const body = { currentPassword: PASSWORD, newPassword: 'brand new password', revokeOtherSessions: false };
    expect((await owner.call('POST', '/auth/change-password', body)).status).toBe(200);
    expect([await signedIn(owner), await signedIn(other)]).toEqual([true, false]);
    expect((await reset(token, 'of whoever read the mail')).status).toBe(400);
    expect((await mailsTo(owner))[0]?.subject).toBe('Your password was changed');
  });

  it('cannot be guessed with a stolen session', async () => {
    const owner = await registered();
    const answers: number[] = [];
    const guess = { currentPassword: 'a wrong one', newPassword: 'brand new password' };
    for (let i = 0; i < 25; i++)
      answers.push(
        (await owner.call('POST', '/auth/change-password', guess, { 'cf-connecting-ip': `198.51.100.${i}` })).status,
      );
    expect(answers.filter((status) => status === 400)).toHaveLength(20);
    expect(answers.slice(20).every((status) => status === 429)).toBe(true);
  });
});

describe('a mail address', () => {
  const ask = (owner: Customer, email: string, password = PASSWORD): Promise<Response> =>
    owner.call('POST', '/account/address', { email, password });

  it('changes once the new one is confirmed; the old one is told before and after', async () => {
    const owner = await registered();
    const renamed = newCustomer();
    expect((await ask(owner, renamed.email)).status).toBe(202);
    expect((await me(owner)).me?.user.email).toBe(owner.email);
    expect((await mailsTo(owner))[0]?.subject).toBe('A new mail address was asked for');
    const token = tokenIn((await mailsTo(renamed))[0]);
    expect((await newCustomer().call('POST', '/address/confirm', { token })).status).toBe(200);
    expect((await me(owner)).me?.user.email).toBe(renamed.email);
    const [told] = await mailsTo(owner);
    expect(told).toMatchObject({ subject: 'Your mail address was changed' });
    expect(told?.body).toContain(renamed.email);
    expect((await signIn(newCustomer(owner.email))).status).toBe(401);
    expect((await signIn(renamed)).status).toBe(200);
    expect((await newCustomer().call('POST', '/address/confirm', { token })).status).toBe(400);
  });

  it('changes only with the password', async () => {
    const owner = await registered();
    const other = newCustomer();
    expect((await ask(owner, other.email, 'a wrong one')).status).toBe(400);
    expect(await mailsTo(other)).toEqual([]);
    expect((await mailsTo(owner))[0]?.subject).not.toBe('A new mail address was asked for');
  });

  it('ends the links that were mailed to the old one', async () => {
    const owner = await registered();
    const renamed = newCustomer();
    await ask(owner, renamed.email);
    await newCustomer().call('POST', '/auth/request-password-reset', { email: owner.email });
    const reset = tokenIn((await mailsTo(owner))[0]);
    await newCustomer().call('POST', '/address/confirm', { token: tokenIn((await mailsTo(renamed))[0]) });
    expect(
      (await newCustomer().call('POST', '/auth/reset-password', { token: reset, newPassword: 'of the old one' }))
        .status,
    ).toBe(400);
  });

  it('is not changed by a link once the password was: whoever asked for it may have been thrown out', async () => {
    const owner = await registered();
    const thief = newCustomer();
    await ask(owner, thief.email);
    await owner.call('POST', '/auth/change-password', { currentPassword: PASSWORD, newPassword: 'brand new password' });
    const token = tokenIn((await mailsTo(thief))[0]);
    expect((await thief.call('POST', '/address/confirm', { token })).status).toBe(400);
    expect((await me(owner)).me?.user.email).toBe(owner.email);
  });

  it('of another account cannot be taken, and the answer does not tell that it has one', async () => {
    const [owner, other] = [await registered(), await registered()];
    const taken = await ask(owner, other.email);
    const free = await ask(owner, newCustomer().email);
    expect(taken.status).toBe(free.status);
    expect(await taken.json()).toEqual(await free.json());
    expect((await mailsTo(other))[0]?.subject).toBe('You already have an account');
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
