/** Codes of an authenticator app, recovery codes, and passkeys. */
import { describe, expect, it } from 'vitest';
import { BASE, bindings } from '../support/service.ts';
import { codeAt, newPasskey } from './authenticators.ts';
import { answerOf, type Customer, mailsTo, me, newCustomer, PASSWORD, registered, rows, signIn } from './customer.ts';

type Enabled = { readonly totpURI: string; readonly backupCodes: readonly string[] };

/** Switched on, with the first code. */
const withCodes = async (): Promise<{ owner: Customer; codes: Enabled }> => {
  const owner = await registered();
  const codes = await answerOf<Enabled>(owner.call('POST', '/auth/two-factor/enable', { password: PASSWORD }));
  const code = await codeAt(codes.totpURI);
  expect((await owner.call('POST', '/auth/two-factor/verify-totp', { code })).status).toBe(200);
  return { owner, codes };
};
const isSignedIn = async (customer: Customer): Promise<boolean> => (await me(customer)).me !== null;
const wrongCode = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('two-factor sign-in', () => {
  it('is off until the first code was right, and its owner is told by mail', async () => {
    const owner = await registered();
    const { totpURI } = await answerOf<Enabled>(owner.call('POST', '/auth/two-factor/enable', { password: PASSWORD }));
    expect(
      (await answerOf<{ twoFactorRedirect?: boolean }>(signIn(newCustomer(owner.email)))).twoFactorRedirect,
    ).not.toBe(true);
    expect((await owner.call('POST', '/auth/two-factor/verify-totp', { code: await codeAt(totpURI) })).status).toBe(
      200,
    );
    expect(await answerOf(owner.call('GET', '/account/security'))).toMatchObject({ two_factor: true });
    const [told] = await mailsTo(owner);
    expect(told?.subject).toBe('Two-factor sign-in was switched on');
    expect(told?.body).toContain('If it was not you');
  });

  it('lets nobody in with the password alone, and in with the code', async () => {
    const { owner, codes } = await withCodes();
    const visitor = newCustomer(owner.email);
    expect(await answerOf(signIn(visitor))).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
    expect(await isSignedIn(visitor)).toBe(false);
    const code = await codeAt(codes.totpURI);
    expect((await visitor.call('POST', '/auth/two-factor/verify-totp', { code: wrongCode(code) })).status).toBe(401);
    expect(await isSignedIn(visitor)).toBe(false);
    expect((await visitor.call('POST', '/auth/two-factor/verify-totp', { code })).status).toBe(200);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('is not got around by resetting the password', async () => {
    const { owner } = await withCodes();
    const thief = newCustomer(owner.email);
    await thief.call('POST', '/auth/request-password-reset', { email: owner.email });
    const token = /token=(\S+)/.exec((await mailsTo(owner))[0]?.body ?? '')?.[1];
    await thief.call('POST', '/auth/reset-password', { token, newPassword: 'of whoever read the mail' });
    expect(await answerOf(signIn(thief, 'of whoever read the mail'))).toMatchObject({ twoFactorRedirect: true });
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('bounds the codes that can be tried', async () => {
    const { owner, codes } = await withCodes();
    let looked = 0;
    for (let challenge = 0; challenge < 4; challenge++) {
      const thief = newCustomer(owner.email);
      await signIn(thief);
      for (let i = 0; i < 6; i++) {
        const code = wrongCode(await codeAt(codes.totpURI));
        const answer = await thief.call(
          'POST',
          '/auth/two-factor/verify-totp',
          { code },
          { 'cf-connecting-ip': `10.200.${challenge}.${i}` },
        );
        if (answer.status === 401 && ((await answer.json()) as { code: string }).code === 'INVALID_CODE') looked++;
      }
    }
    expect(looked).toBe(10);
  });

  it('a recovery code lets in once', async () => {
    const { owner, codes } = await withCodes();
    const [code] = codes.backupCodes;
    const first = newCustomer(owner.email);
    await signIn(first);
    expect((await first.call('POST', '/auth/two-factor/verify-backup-code', { code })).status).toBe(200);
    expect(await isSignedIn(first)).toBe(true);
    const second = newCustomer(owner.email);
    await signIn(second);
    expect((await second.call('POST', '/auth/two-factor/verify-backup-code', { code })).status).toBe(401);
    expect(await isSignedIn(second)).toBe(false);
  });

  it('changes only with the password, which a stolen session cannot guess', async () => {
    const { owner } = await withCodes();
    const answers: number[] = [];
    for (let i = 0; i < 22; i++)
      answers.push(
        (
          await owner.call(
            'POST',
            '/auth/two-factor/disable',
            { password: 'a wrong one' },
            { 'cf-connecting-ip': `10.201.0.${i}` },
          )
        ).status,
      );
    // Switching it on was the first try of twenty.
    expect(new Set(answers.slice(0, 19))).toEqual(new Set([400]));
    expect(answers.slice(19)).toEqual([429, 429, 429]);
    expect(await answerOf(owner.call('GET', '/account/security'))).toMatchObject({ two_factor: true });
  });

  it('is switched off with the password, and its owner is told', async () => {
    const { owner } = await withCodes();
    expect((await owner.call('POST', '/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200);
    expect((await mailsTo(owner))[0]?.subject).toBe('Two-factor sign-in was switched off');
    expect(await isSignedIn(owner)).toBe(true);
    const visitor = newCustomer(owner.email);
    await signIn(visitor);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('keeps secrets and recovery codes encrypted', async () => {
    const { codes } = await withCodes();
    const stored = JSON.stringify(await rows('select * from "twoFactor"'));
    expect(stored).not.toContain(new URL(codes.totpURI).searchParams.get('secret'));
    for (const code of codes.backupCodes) expect(stored).not.toContain(code);
  });
});

const LOCALHOST = BASE.replace('127.0.0.1', 'localhost');
const atLocalhost = { origin: LOCALHOST };

describe('a passkey', () => {
  const added = async (owner: Customer, userVerified = true) => {
    const passkey = await newPasskey(LOCALHOST, userVerified);
    const options = await answerOf<{ challenge: string }>(
      owner.call('GET', '/auth/passkey/generate-register-options', undefined, atLocalhost),
    );
    const response = passkey.register(options);
    const answer = await owner.call(
      'POST',
      '/auth/passkey/verify-registration',
      { response, name: 'Laptop' },
      atLocalhost,
    );
    return { passkey, status: answer.status };
  };
  const signInWith = async (passkey: Awaited<ReturnType<typeof newPasskey>>, visitor: Customer): Promise<number> => {
    const options = await answerOf<{ challenge: string }>(
      visitor.call('GET', '/auth/passkey/generate-authenticate-options', undefined, atLocalhost),
    );
    const response = await passkey.authenticate(options);
    return (await visitor.call('POST', '/auth/passkey/verify-authentication', { response }, atLocalhost)).status;
  };

  it('signs in without a password, and past the code: it is both', async () => {
    const { owner } = await withCodes();
    const { passkey, status } = await added(owner);
    expect(status).toBe(200);
    expect((await mailsTo(owner))[0]?.subject).toBe('A passkey was added');
    const visitor = newCustomer(owner.email);
    expect(await signInWith(passkey, visitor)).toBe(200);
    expect((await me(visitor)).me?.user.email).toBe(owner.email);
  });

  it('of another origin, or of nobody, opens nothing', async () => {
    const owner = await registered();
    const { passkey } = await added(owner);
    const elsewhere = { ...passkey, ...(await newPasskey('https://evil.example')) };
    for (const stranger of [elsewhere, await newPasskey(LOCALHOST)]) {
      const visitor = newCustomer();
      expect(await signInWith(stranger, visitor)).toBeGreaterThanOrEqual(400);
      expect(await isSignedIn(visitor)).toBe(false);
    }
  });

  it('that asked nobody for a PIN or a finger opens nothing', async () => {
    const owner = await registered();
    const passkey = await newPasskey(LOCALHOST, false);
    const real = await added(owner);
    expect(real.status).toBe(200);
    // As an authenticator that lies at registration and skips the question later would.
    const options = await answerOf<{ challenge: string }>(
      owner.call('GET', '/auth/passkey/generate-register-options', undefined, atLocalhost),
    );
    await owner.call('POST', '/auth/passkey/verify-registration', { response: passkey.register(options) }, atLocalhost);
    const visitor = newCustomer();
    expect(await signInWith(passkey, visitor)).toBe(401);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('is added only shortly after signing in: not with a session that was stolen later', async () => {
    const owner = await registered();
    await bindings.DB.prepare('update "session" set "createdAt" = ?')
      .bind(new Date(Date.now() - 60 * 60 * 1000).toISOString())
      .run();
    const answer = await owner.call('GET', '/auth/passkey/generate-register-options', undefined, atLocalhost);
    expect(answer.status).toBe(403);
    expect(((await answer.json()) as { code: string }).code).toBe('SESSION_NOT_FRESH');
  });

  it('is removed by its owner alone', async () => {
    const [owner, other] = [await registered(), await registered()];
    const { passkey } = await added(owner);
    const { passkeys } = await answerOf<{ passkeys: { id: string; name: string }[] }>(
      owner.call('GET', '/account/security'),
    );
    expect(passkeys).toMatchObject([{ name: 'Laptop' }]);
    const body = { id: passkeys[0]?.id };
    expect((await other.call('POST', '/auth/passkey/delete-passkey', body)).status).toBe(401);
    expect((await owner.call('POST', '/auth/passkey/delete-passkey', body)).status).toBe(200);
    expect((await mailsTo(owner))[0]?.subject).toBe('A passkey was removed');
    expect(await signInWith(passkey, newCustomer())).toBe(401);
  });
});
