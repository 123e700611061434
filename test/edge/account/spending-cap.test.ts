/** A key's spending cap for a UTC day: enforced where the credits are held, whatever happens at once. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { brokenCalls } from '../support/network.ts';
import { type FakeOrigin, failing, fakeOrigin, withoutWaiting } from '../support/origin.ts';
import { rowsOf } from '../support/rows.ts';
import {
  accountOf,
  accountStub,
  audited,
  createBatch,
  files,
  ledgerOf,
  newAccount,
  newKey,
  problemOf,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
let key: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin(shop().answer);
  account = await newAccount(1_000);
});
afterEach(() => vi.restoreAllMocks());

const capped = async (cap: number): Promise<TestAccount> => {
  key = await newKey(account, 'live', { daily_credit_cap: cap });
  return key;
};
const NOON = Date.parse('2026-11-21T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const batchAt = (ms: number): string => newId('batch', ms, random);
const hold = (images: number, batchId = batchAt(NOON), keyId = key.keyId) =>
  ledgerOf(account).hold({ batchId, images, keyId });
const at = (ms: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (object) => {
    object.now = () => ms;
  });
const usedOf = async (keyId = key.keyId): Promise<number | undefined> =>
  (await accountOf(account).listKeys()).find((row) => row.keyId === keyId)?.creditsOfDay;
const settle = (batchId: string, as: 'posted' | 'voided', from: number, to: number) =>
  ledgerOf(account).resolve(
    batchId,
    Array.from({ length: to - from }, (_, i) => ({ index: from + i, as })),
  );

describe('a key with a cap', () => {
  it('spends exactly that when 50 requests of both styles come at once, and what is refused leaves nothing', async () => {
    await capped(20);
    // Nothing fails or is given back, so that the cap is full at the end.
    const sent = await Promise.all([
      ...Array.from({ length: 25 }, () => createBatch(key, { images: photoUrls(2) })),
      ...Array.from({ length: 25 }, () => upload(key, uploadForm(files(2)))),
    ]);
    const accepted = sent.filter(({ status }) => status < 300);
    expect(accepted).toHaveLength(10);
    for (const answer of sent.filter(({ status }) => status >= 300)) {
      expect(answer.headers.get('x-credits-charged')).toBeNull();
      expect(await problemOf(answer)).toMatchObject({
        status: 402,
        code: 'key_spending_cap_reached',
        retryable: false,
        key_id: key.keyId,
        daily_credit_cap: 20,
        credits_used_today: 20,
        credits_required: 2,
        resets_at: new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString(),
      });
    }
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ available: 980, held: 0, spent: 20 }), {
      timeout: 10_000,
    });
    expect(await usedOf()).toBe(20);
    await vi.waitFor(async () => expect(await storedKeys('inputs/')).toHaveLength(20));
    expect((await upload(account, uploadForm(files(1)))).status).toBe(200);
  }, 30_000);

  it('is never passed by 50 holds at once in the ledger itself', async () => {
    await capped(20);
    const replies = await Promise.all(Array.from({ length: 50 }, () => hold(3)));
    expect(replies.filter(({ result }) => result === 'held')).toHaveLength(6);
    expect(replies.filter(({ result }) => result === 'cap_reached')).toHaveLength(44);
    expect(await audited(account)).toMatchObject({ available: 982, held: 18 });
  });

  it('gets back what is voided or released, once, and not what is posted', async () => {
    await at(NOON);
    await capped(10);
    const [first, second] = [batchAt(NOON), batchAt(NOON)];
    await hold(6, first);
    await hold(4, second);
    expect(await hold(1)).toMatchObject({
      result: 'cap_reached',
      cap: { credits: 10, required: 1, resetsAtMs: MIDNIGHT },
    });
    await settle(first, 'voided', 0, 2);
    await settle(first, 'voided', 0, 2);
    await settle(first, 'posted', 2, 6);
    expect(await usedOf()).toBe(8);
    await ledgerOf(account).release(second);
    await ledgerOf(account).release(second);
    expect(await usedOf()).toBe(4);
    expect((await hold(7)).result).toBe('cap_reached');
    expect((await hold(6)).result).toBe('held');
    expect(await audited(account)).toMatchObject({ held: 6, spent: 4 });
  });

  it('counts a hold that is asked for again, or whose answer was lost, once', async () => {
    await capped(4);
    const batchId = batchAt(NOON);
    expect(await hold(3, batchId)).toMatchObject({ result: 'held' });
    expect(await hold(3, batchId)).toMatchObject({ result: 'already_held' });
    expect(await usedOf()).toBe(3);
    brokenCalls('ACCOUNT', (method, calls) => (method === 'hold' && calls === 1 ? 'lost' : undefined));
    expect((await upload(key, uploadForm(files(1)))).status).toBe(200);
    expect(await usedOf()).toBe(4);
  });

  it('starts anew at midnight UTC; what is voided then is given back to its own day', async () => {
    await at(MIDNIGHT - 1);
    await capped(5);
    const late = batchAt(MIDNIGHT - 1);
    await hold(5, late);
    expect((await hold(1)).result).toBe('cap_reached');
    await at(MIDNIGHT);
    expect((await hold(4)).result).toBe('held');
    await settle(late, 'voided', 0, 5);
    expect(await usedOf()).toBe(4);
    expect((await hold(2)).result).toBe('cap_reached');
    expect((await hold(1)).result).toBe('held');
  });

  it('has no second day when the clock goes back over midnight', async () => {
    await at(MIDNIGHT);
    await capped(5);
    const first = batchAt(MIDNIGHT);
    await hold(5, first);
    await at(MIDNIGHT - 3_000);
    expect((await hold(1)).result).toBe('cap_reached');
    await settle(first, 'voided', 0, 1);
    const second = batchAt(MIDNIGHT);
    expect((await hold(1, second)).result).toBe('held');
    await at(MIDNIGHT + 3_000);
    expect((await hold(1)).result).toBe('cap_reached');
    await settle(second, 'voided', 0, 1);
    expect((await hold(1)).result).toBe('held');
  });

  it('is told of its cap, not of missing credits, when the answer to its batch was lost', async () => {
    withoutWaiting();
    await capped(1);
    brokenCalls('SAGA', (method, calls) => (method === 'open' && calls === 1 ? 'lost' : undefined));
    const answer = await createBatch(key, { images: photoUrls(2) }, { 'idempotency-key': 'lost' });
    expect((await problemOf(answer)).code).toBe('key_spending_cap_reached');
    vi.restoreAllMocks();
    origin = fakeOrigin(shop().answer);
    expect((await createBatch(key, { images: photoUrls(1) }, { 'idempotency-key': 'lost' })).status).toBe(202);
  });

  it('is not held for images that fail', async () => {
    await capped(2);
    origin.script = () => failing('no_product_found');
    for (let i = 0; i < 5; i++) expect((await upload(key, uploadForm(files(2)))).status).toBe(422);
    expect(await usedOf()).toBe(0);
    origin.script = () => 'complete';
    expect((await upload(key, uploadForm(files(2)))).status).toBe(200);
    expect((await problemOf(await upload(key, uploadForm(files(1))))).code).toBe('key_spending_cap_reached');
  });

  it('remembers what it spent when its object was evicted', async () => {
    await capped(3);
    await hold(3);
    await evictDurableObject(accountStub(account.accountId));
    expect((await hold(1)).result).toBe('cap_reached');
  });
});

describe('a cap', () => {
  it('that is set later counts what the key has held that day, and gives back what is voided of it', async () => {
    await at(NOON);
    const plain = await newKey(account);
    key = plain;
    const [yesterday, posted, open] = [batchAt(NOON - 86_400_000), batchAt(NOON), batchAt(NOON)];
    await at(NOON - 86_400_000);
    await hold(7, yesterday);
    await at(NOON);
    await hold(3, posted);
    await settle(posted, 'posted', 0, 2);
    await settle(posted, 'voided', 2, 3);
    await hold(4, open);
    await hold(9, batchAt(NOON), account.keyId);
    const cap = (creditsPerDayMax: number | null) =>
      accountOf(account).changeKey(plain.keyId, { grants: { creditsPerDayMax } });
    expect(await cap(7)).toMatchObject({ result: 'changed', key: { creditsOfDay: 6, creditsPerDayMax: 7 } });
    expect((await hold(2)).result).toBe('cap_reached');
    await settle(open, 'voided', 0, 1);
    expect((await hold(2)).result).toBe('held');
    await cap(null);
    expect((await hold(50)).result).toBe('held');
    expect(await cap(100)).toMatchObject({ key: { creditsOfDay: 57 } });
  });

  it('of a key that makes others counts what these spend too', async () => {
    const maker = await newKey(account, 'live', {
      daily_credit_cap: 10,
      scopes: ['images:write', 'batches:read', 'account:read', 'admin'],
    });
    const make = async (n: number): Promise<string> => {
      const made = await accountOf(account).addKey({
        keyId: newId('apiKey', NOON, random),
        mode: 'live',
        label: '',
        masked: '',
        hash: `made ${n}`,
        by: maker.keyId,
      });
      return made.result === 'added' ? made.key.keyId : made.result;
    };
    const made = await Promise.all([make(1), make(2), make(3)]);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => hold(1, batchAt(NOON), [...made, maker.keyId][i % 4])),
    );
    expect(replies.filter(({ result }) => result === 'held')).toHaveLength(10);
    expect(replies.find((reply) => reply.result === 'cap_reached')).toMatchObject({ cap: { keyId: maker.keyId } });
    expect(await usedOf(maker.keyId)).toBe(10);
  });

  it('costs a hold one row more, and a key without one none', async () => {
    await capped(100);
    const rows = (keyId?: string) =>
      runInDurableObject(accountStub(account.accountId), (object, state) =>
        rowsOf(state, () => object.hold({ batchId: batchAt(NOON), images: 5, ...(keyId && { keyId }) })),
      );
    const [before, without, withCap] = [await rows(), await rows(account.keyId), await rows(key.keyId)];
    expect(without.written).toBe(before.written);
    expect(withCap.written).toBe(before.written + 1);
  });

  it('of a test key is none: it spends nothing', async () => {
    const test = await newKey(account, 'test', { daily_credit_cap: 0 });
    expect((await upload(test, uploadForm(files(1)))).status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 1_000, held: 0, spent: 0 });
  });
});
