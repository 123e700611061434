/** Guessing a password is slow from anywhere, and shuts out nobody who owns the account. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { forgetTries, rememberNetwork, signInWait } from '../../../edge/portal/access/sign-in-limit.ts';
import { bindings } from '../support/service.ts';
import { answerOf, linkIn, mailsTo, newCustomer, registered, signIn } from './customer.ts';

const { freeTries, waitMsBase, waitMsCap, strangersPerDay, knownNetworksMax } = edgeLimits.portal.signIn;
const DAY_MS = 24 * 60 * 60 * 1000;
const WRONG = 'a wrong password';

const anAddress = (i: number): string => `100.${i >> 8}.${i & 255}.9`;
const email = (): string => `${crypto.randomUUID()}@example.com`;

/** Tries again the moment that it may, for a day. Answers how many passwords were looked at. */
const triesInADay = async (
  who: { email: string; address: string; device?: string },
  startMs: number,
): Promise<number> => {
  let tries = 0;
  for (let nowMs = startMs; nowMs < startMs + DAY_MS; ) {
    const { waitMs } = await signInWait(bindings.DB, who, nowMs);
    if (waitMs === 0) tries++;
    nowMs += waitMs;
  }
  return tries;
};

/** One try from each of `count` networks. Answers how many passwords were looked at. */
const strangersTry = async (victim: string, from: number, count: number, nowMs = Date.now()): Promise<number> => {
  const waits = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      signInWait(bindings.DB, { email: victim, address: anAddress(from + i) }, nowMs),
    ),
  );
  return waits.filter(({ waitMs }) => waitMs === 0).length;
};

describe('an attacker who does not know the password', () => {
  it('cannot lock the owner out: 200 wrong passwords from 200 networks, and the owner signs in', async () => {
    const owner = await registered();
    // Most of them at the counter itself: each call over HTTP hashes a password.
    const first = (await signIn(newCustomer(owner.email, anAddress(0)), WRONG)).status;
    const between = await strangersTry(owner.email, 1, 198);
    const last = (await signIn(newCustomer(owner.email, anAddress(199)), WRONG)).status;
    expect([first, between, last]).toEqual([401, strangersPerDay - 1, 429]);

    const ownNetwork = newCustomer(owner.email, owner.address.replace(/7$/, '8'));
    expect((await signIn(ownNetwork)).status, 'own network, new device').toBe(200);
    const travelling = await owner.call(
      'POST',
      '/auth/sign-in/email',
      { email: owner.email, password: 'correct horse battery' },
      { 'cf-connecting-ip': '198.51.100.1' },
    );
    expect(travelling.status, 'known device, new network').toBe(200);
  });

  it('leaves the owner with neither device nor network a way in: the mailed link', async () => {
    const owner = await registered();
    await strangersTry(owner.email, 1_000, strangersPerDay);
    const abroad = newCustomer(owner.email);
    const refused = await signIn(abroad);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await abroad.call('POST', '/auth/request-password-reset', { email: owner.email });
    const token = new URL(linkIn((await mailsTo(abroad))[0]), 'http://x').searchParams.get('token');
    await abroad.call('POST', '/auth/reset-password', { token, newPassword: 'chosen afresh today' });
    expect((await signIn(abroad, 'chosen afresh today')).status).toBe(200);
  });

  it('waits longer with every try from one network, whether or not the address has an account', async () => {
    const owner = await registered();
    for (const address of [owner.email, email()]) {
      const attacker = newCustomer(address);
      const answers: number[] = [];
      for (let i = 0; i <= freeTries; i++) answers.push((await signIn(attacker, WRONG)).status);
      expect(answers).toEqual([...Array(freeTries).fill(401), 429]);
    }
    const who = { email: email(), address: anAddress(1) };
    const waits: number[] = [];
    for (let i = 0, nowMs = 0; i < freeTries + 9; i++) {
      let { waitMs } = await signInWait(bindings.DB, who, nowMs);
      waits.push(waitMs);
      nowMs += waitMs;
      if (waitMs > 0) ({ waitMs } = await signInWait(bindings.DB, who, nowMs));
      expect(waitMs).toBe(0);
    }
    expect(waits.slice(0, freeTries).every((ms) => ms === 0)).toBe(true);
    expect(waits.slice(freeTries)).toEqual(
      Array.from({ length: 9 }, (_, i) => Math.min(waitMsCap, waitMsBase * 2 ** i)),
    );
  });

  it('is held to so many guesses a day over all networks', async () => {
    const victim = email();
    const startMs = Date.UTC(2030, 0, 1);
    const perTrail = await triesInADay({ email: victim, address: anAddress(1), device: 'stolen' }, startMs);
    expect(perTrail).toBe(58);
    for (let i = 0; i < knownNetworksMax + 3; i++)
      await rememberNetwork(bindings.DB, { email: victim, address: anAddress(2_000 + i) }, startMs + i);
    const known = Array.from({ length: knownNetworksMax + 3 }, (_, i) =>
      triesInADay({ email: victim, address: anAddress(2_000 + i) }, startMs + 1_000),
    );
    const ofNetworks = (await Promise.all(known)).reduce((sum, tries) => sum + tries, 0);
    const guesses = ofNetworks + (await strangersTry(victim, 3_000, 2 * strangersPerDay, startMs + DAY_MS / 2));
    expect(guesses).toBe(knownNetworksMax * 58 + strangersPerDay);
  }, 120_000);

  it('gains nothing by sending many tries at once', async () => {
    const who = { email: email(), address: anAddress(4_000) };
    const waits = await Promise.all(Array.from({ length: 40 }, () => signInWait(bindings.DB, who, 1_000)));
    expect(waits.filter(({ waitMs }) => waitMs === 0)).toHaveLength(freeTries);
  });

  it("gains nothing from a cookie of another account's device", async () => {
    const [owner, attacker] = [await registered(), await registered()];
    for (let i = 0; i < freeTries; i++)
      expect((await attacker.call('POST', '/auth/sign-in/email', { email: owner.email, password: WRONG })).status).toBe(
        401,
      );
    await forgetTries(bindings.DB, { email: attacker.email, address: attacker.address });
    expect(
      (await attacker.call('POST', '/auth/sign-in/email', { email: owner.email, password: WRONG })).status,
      'counted for the network, not for a known device',
    ).toBe(429);
  });
});

describe('the right password', () => {
  it('ends the count of where it came from', async () => {
    const owner = await registered();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < freeTries - 1; i++) expect((await signIn(owner, WRONG)).status).toBe(401);
      expect((await signIn(owner)).status).toBe(200);
    }
  });

  it('is answered with what to do where it has to wait', async () => {
    const attacker = newCustomer();
    for (let i = 0; i < freeTries; i++) await signIn(attacker, WRONG);
    const refused = await answerOf<{ code: string; message: string }>(signIn(attacker, WRONG));
    expect(refused.code).toBe('TOO_MANY_ATTEMPTS');
    expect(refused.message).toContain('reset the password');
  });
});
