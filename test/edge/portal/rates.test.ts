/** What costs the portal's database, a password hash or a call to Stripe is bounded for everyone. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { bindings } from '../support/service.ts';
import { newCustomer, registered, signIn } from './customer.ts';

const { rates, checkouts } = edgeLimits.portal;

describe('a signed-in account', () => {
  it('makes so many calls a minute, over all its sessions, and no other account waits with it', async () => {
    const [owner, other] = [await registered(), await registered()];
    const answers: number[] = [];
    for (let i = 0; i < rates.callsPerMinute + 5; i++)
      answers.push((await owner.call('GET', '/webhook-secret')).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(rates.callsPerMinute);
    const refused = await owner.call('GET', '/keys');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await other.call('GET', '/keys')).status).toBe(200);
  }, 60_000);

  it('opens so many checkouts an hour, and Stripe is not asked for more', async () => {
    const owner = await registered();
    const open = () => owner.call('POST', '/checkout', { attempt_id: crypto.randomUUID() });
    const answers: number[] = [];
    for (let i = 0; i < checkouts.max + 3; i++) answers.push((await open()).status);
    expect(answers).toEqual([...Array(checkouts.max).fill(200), 429, 429, 429]);
    const opened = await bindings.DB.prepare('select count(*) as n from test_checkouts where email = ?')
      .bind(owner.email)
      .first<{ n: number }>();
    expect(opened?.n).toBe(checkouts.max);
  });
});

describe('a client whose mailed links fail', () => {
  it('is refused after so many', async () => {
    const attacker = newCustomer();
    const answers: number[] = [];
    const paths = ['/sign-up/link', '/sign-up/complete', '/address/confirm', '/auth/reset-password'];
    for (let i = 0; i < rates.failuresPerMinute + 4; i++) {
      const body = { token: crypto.randomUUID(), name: 'x', password: 'made up words', newPassword: 'made up words' };
      answers.push((await attacker.call('POST', paths[i % 4] ?? '', body)).status);
    }
    expect(answers).toEqual([...Array(rates.failuresPerMinute).fill(400), 429, 429, 429, 429]);
  });
});

describe('a client whose sign-ins fail', () => {
  it('is refused after so many without a look at the database', async () => {
    const attacker = newCustomer();
    const attempt = (i: number) =>
      attacker.call('POST', '/auth/sign-in/email', { email: `someone${i}@example.com`, password: 'a wrong password' });
    for (let i = 0; i < rates.failuresPerMinute; i++) expect((await attempt(i)).status).toBe(401);
    let statements = 0;
    const { prepare } = bindings.DB;
    bindings.DB.prepare = (sql) => {
      statements++;
      return prepare.call(bindings.DB, sql);
    };
    try {
      for (let i = 0; i < 200; i++) expect((await attempt(i)).status).toBe(429);
      expect(statements).toBe(0);
      await signIn(newCustomer(), 'a wrong password');
    } finally {
      bindings.DB.prepare = prepare;
    }
    expect(statements, 'of another client, who is not refused').toBeGreaterThan(0);
  });
});
