/** Made-up keys with a right checksum cost almost nothing, and shut out nobody who has a key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createKeyGuard } from '../../../edge/account/key-guard.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newApiKey } from '../../../shared/api-key.ts';
import { newId } from '../../../shared/ids.ts';
import { paths } from '../../../shared/paths.ts';
import { as, bindings, call, newAccount, problemOf } from '../support/service.ts';

const { unknownPerMinute, addressesMax } = edgeLimits.keyGuard;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const forged = (): string => newApiKey('live', newId('account', Date.now(), random), random);

let address = '';
beforeEach(() => {
  address = `2001:db8::${Math.random().toString(16).slice(2, 6)}`;
});
const ask = (apiKey: string, from = address): Promise<Response> =>
  call(paths.account, { headers: as({ apiKey }, { 'cf-connecting-ip': from }) });

describe('an address that tries unknown keys', () => {
  it('gets 429 after a few, and no further Account is woken', async () => {
    for (let i = 0; i < unknownPerMinute; i++)
      expect(await problemOf(await ask(forged()))).toMatchObject({ status: 401, code: 'key_unknown' });
    const woken: string[] = [];
    const { idFromName } = bindings.ACCOUNT;
    bindings.ACCOUNT.idFromName = (name) => {
      woken.push(name);
      return idFromName.call(bindings.ACCOUNT, name);
    };
    try {
      for (let i = 0; i < 20; i++) {
        const refused = await ask(forged());
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
      }
    } finally {
      bindings.ACCOUNT.idFromName = idFromName;
    }
    expect(woken).toEqual([]);
  });

  it('does not shut out a key that works, from the same address or another', async () => {
    const account = await newAccount();
    expect((await ask(account.apiKey)).status).toBe(200);
    for (let i = 0; i <= unknownPerMinute; i++) await ask(forged());
    expect((await ask(forged())).status).toBe(429);
    expect((await ask(account.apiKey)).status).toBe(200);
    expect((await ask((await newAccount()).apiKey, '2001:db8::ffff')).status).toBe(200);
  });
});

describe('the guard', () => {
  it('lets an address try again after a minute', () => {
    let nowMs = 0;
    const guard = createKeyGuard({ nowMs: () => nowMs });
    for (let i = 0; i < unknownPerMinute; i++) guard.unknown('a');
    expect(guard.waitMs('a', 'hash')).toBe(60_000);
    expect(guard.waitMs('b', 'hash')).toBe(0);
    nowMs = 60_000;
    expect(guard.waitMs('a', 'hash')).toBe(0);
  });

  it('remembers a bounded number of addresses', () => {
    const guard = createKeyGuard({ nowMs: () => 0 });
    for (let i = 0; i < unknownPerMinute; i++) guard.unknown('first');
    for (let i = 0; i < addressesMax; i++) guard.unknown(`other ${i}`);
    expect(guard.waitMs('first', 'hash')).toBe(0);
  });
});
