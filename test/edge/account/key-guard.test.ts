/** Made-up keys with a right checksum cost almost nothing, and shut out nobody who has a key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createKeyGuard, type KeyGuard } from '../../../edge/account/key-guard.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newApiKey } from '../../../shared/api-key.ts';
import { newId } from '../../../shared/ids.ts';
import { paths } from '../../../shared/paths.ts';
import { as, bindings, call, newAccount, problemOf } from '../support/service.ts';

const { unknownPerMinute, unknownPerNetworkMinute, addressesMax, unknownKeysMax } = edgeLimits.keyGuard;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const forged = (): string => newApiKey('live', newId('account', Date.now(), random), random);

let address = '';
beforeEach(() => {
  address = `2001:db8:${Math.random().toString(16).slice(2, 6)}::1`;
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
    expect((await ask((await newAccount()).apiKey, '2001:db8:ffff:1::1')).status).toBe(200);
  });
});

/** How many Accounts are addressed while `work` runs. */
const woken = async (work: () => Promise<unknown>): Promise<number> => {
  let calls = 0;
  const { idFromName } = bindings.ACCOUNT;
  bindings.ACCOUNT.idFromName = (name) => {
    calls++;
    return idFromName.call(bindings.ACCOUNT, name);
  };
  try {
    await work();
    return calls;
  } finally {
    bindings.ACCOUNT.idFromName = idFromName;
  }
};
const forge = async (count: number, from: (i: number) => string): Promise<void> => {
  for (let i = 0; i < count; i++) await ask(forged(), from(i));
};

describe('1,000 forged keys', () => {
  it('of one client wake 5 Accounts', async () => {
    expect(await woken(() => forge(1_000, () => address))).toBe(unknownPerMinute);
  });

  it('of an IPv6 client that changes its address with each wake 5 too', async () => {
    const lower = Math.random().toString(16).slice(2, 6);
    expect(await woken(() => forge(1_000, (i) => `2001:db8:${lower}:7::${i.toString(16)}`))).toBe(unknownPerMinute);
  });

  it('of a whole network wake 50', async () => {
    const [a, b] = [Math.floor(Math.random() * 200) + 20, Math.floor(Math.random() * 200)];
    expect(await woken(() => forge(1_000, (i) => `${a}.${b}.9.${i % 256}`))).toBe(unknownPerNetworkMinute);
  });

  it('that are one and the same, from everywhere, wake one', async () => {
    const key = forged();
    const calls = await woken(async () => {
      for (let i = 0; i < 1_000; i++) {
        const refused = await ask(key, `101.${i >> 8}.${i & 255}.9`);
        expect(refused.status).toBe(401);
      }
    });
    expect(calls).toBe(1);
  });
});

describe('the guard', () => {
  const refuse = (guard: KeyGuard, from: string, count: number): void => {
    for (let i = 0; i < count; i++) guard.unknown(from, `forged ${from} ${i}`);
  };

  it('lets an address try again after a minute', async () => {
    let nowMs = 0;
    const guard = createKeyGuard({ nowMs: () => nowMs });
    refuse(guard, '192.0.2.1', unknownPerMinute);
    expect(await guard.check('192.0.2.1', 'hash')).toEqual({ result: 'wait', waitMs: 60_000 });
    expect(await guard.check('192.0.2.2', 'hash')).toEqual({ result: 'look_up' });
    expect(await guard.check('192.0.2.2', 'forged 192.0.2.1 0')).toEqual({ result: 'unknown' });
    nowMs = 60_000;
    expect(await guard.check('192.0.2.1', 'hash')).toEqual({ result: 'look_up' });
    expect(await guard.check('192.0.2.2', 'forged 192.0.2.1 0')).toEqual({ result: 'look_up' });
  });

  it('remembers a bounded number of addresses and of unknown keys', async () => {
    const guard = createKeyGuard({ nowMs: () => 0 });
    refuse(guard, '192.0.2.1', unknownPerMinute);
    for (let i = 0; i < Math.max(addressesMax, unknownKeysMax); i++)
      guard.unknown(`2001:db8:${i.toString(16)}::1`, `other ${i}`);
    expect(await guard.check('192.0.2.1', 'hash')).toEqual({ result: 'look_up' });
    expect(await guard.check('192.0.2.1', 'forged 192.0.2.1 0')).toEqual({ result: 'look_up' });
  });

  it("asks the platform's limiter, where it is bound, about keys that it does not know", async () => {
    const asked: string[] = [];
    const limiter = {
      limit: async ({ key }: { key: string }) => ({ success: asked.push(key) <= 2 }),
    };
    const guard = createKeyGuard({ nowMs: () => 0 }, limiter);
    guard.known('known');
    for (let i = 0; i < 5; i++) expect((await guard.check('2001:db8::1', 'known')).result).toBe('look_up');
    expect(asked).toEqual([]);
    const results = [];
    for (let i = 0; i < 3; i++) results.push((await guard.check('2001:db8::1', `new ${i}`)).result);
    expect(results).toEqual(['look_up', 'look_up', 'wait']);
    expect(new Set(asked)).toEqual(new Set(['2001:db8::/64']));
  });
});
