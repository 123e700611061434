/** Passwords that attackers try first are not taken, and no service learns a password. */
import { afterEach, describe, expect, it } from 'vitest';
import { isBreached } from '../../../edge/portal/access/breached.ts';
import { completeSignUp, newCustomer, PASSWORD, registered, signUp } from './customer.ts';

const noNetwork = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = noNetwork;
});

const COMMON = ['1234567890', 'qwertyuiop', 'Password123', '1q2w3e4r5t', 'basketball', 'manchester', 'QWERTY12345'];
const RANGE = 'https://range.example/range/';

describe('a common password', () => {
  it('is known without asking anybody, also with digits and signs around it', async () => {
    for (const password of [...COMMON, 'sunshine2024!', '!!dragon1999', 'Liverpool#1892'])
      expect(await isBreached(password, null), password).toBe(true);
  });

  it('is not seen in what people make up', async () => {
    for (const password of [
      PASSWORD,
      'three grey herons',
      'zq8#Lp2!vT0w',
      'brand new password',
      '夏の朝に歩くことが好き',
    ])
      expect(await isBreached(password, null), password).toBe(false);
    let refused = 0;
    for (let i = 0; i < 2_000; i++) if (await isBreached(crypto.randomUUID(), null)) refused++;
    expect(refused).toBeLessThanOrEqual(1);
  });

  it('is refused wherever one is chosen, and what was there before stays', async () => {
    const visitor = newCustomer();
    await signUp(visitor);
    const refused = await completeSignUp(visitor, 'password123');
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { code: string }).code).toBe('breached_password');
    expect((await completeSignUp(visitor)).status, 'the link still works').toBe(200);

    const owner = await registered();
    const change = { currentPassword: PASSWORD, newPassword: 'password123' };
    const changed = await owner.call('POST', '/auth/change-password', change);
    expect(((await changed.json()) as { code: string }).code).toBe('BREACHED_PASSWORD');
    const reset = await owner.call('POST', '/auth/reset-password', { token: 'x', newPassword: 'password123' });
    expect(((await reset.json()) as { code: string }).code).toBe('BREACHED_PASSWORD');
  });
});

describe('a service that knows breached passwords', () => {
  // SHA-1 of "three grey herons".
  const whole = 'three grey herons';
  const sha1Of = async (text: string): Promise<string> =>
    Array.from(new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))), (byte) =>
      byte.toString(16).padStart(2, '0'),
    )
      .join('')
      .toUpperCase();

  it('learns five digits of a hash and answers for many', async () => {
    const sha1 = await sha1Of(whole);
    const asked: string[] = [];
    globalThis.fetch = async (input) => {
      asked.push(String(input));
      return new Response(`0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n${sha1.slice(5)}:17\r\n`);
    };
    expect(await isBreached(whole, RANGE)).toBe(true);
    expect(asked).toEqual([`${RANGE}${sha1.slice(0, 5)}`]);
    expect(await isBreached('another three herons', RANGE)).toBe(false);
  });

  it('that pads its answer, or does not answer, refuses no password', async () => {
    const sha1 = await sha1Of(whole);
    globalThis.fetch = async () => new Response(`${sha1.slice(5)}:0\r\n`);
    expect(await isBreached(whole, RANGE)).toBe(false);
    globalThis.fetch = async () => new Response('busy', { status: 503 });
    expect(await isBreached(whole, RANGE)).toBe(false);
    expect(await isBreached('password123', RANGE), 'our own list is asked still').toBe(true);
  });
});
