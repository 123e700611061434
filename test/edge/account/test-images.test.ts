/** Test keys: no credits, but a quota of images each UTC day. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  accountStub,
  audited,
  createBatch,
  entriesOf,
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
beforeEach(async () => {
  origin = fakeOrigin(shop().answer);
  account = await newAccount(1);
});
afterEach(() => vi.restoreAllMocks());

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const hold = (images: number, mode: 'live' | 'test' = 'test', batchId = newId('batch', NOON, random)) =>
  ledgerOf(account).hold({ batchId, images, mode });
const at = (ms: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (object) => {
    object.now = () => ms;
  });

describe('images of a test key', () => {
  it('cost no credits, end with the quota of their UTC day, and go on at midnight', async () => {
    await at(NOON);
    const { perDay } = limits.testImages;
    expect(await hold(perDay - 10)).toMatchObject({ result: 'held', available: 1 });
    expect(await hold(11)).toMatchObject({ result: 'quota_exceeded', retryAtMs: MIDNIGHT });
    expect(await hold(10)).toMatchObject({ result: 'held', available: 1 });
    expect(await hold(1)).toMatchObject({ result: 'quota_exceeded', retryAtMs: MIDNIGHT });
    expect(await hold(1, 'live')).toMatchObject({ result: 'held', available: 0 });
    await at(MIDNIGHT);
    expect(await hold(perDay)).toMatchObject({ result: 'held', available: 0 });
    expect((await entriesOf(account)).map(({ kind }) => kind)).toEqual(['grant', 'hold']);
    expect(await audited(account)).toMatchObject({ available: 0, held: 1, spent: 0, pendingHolds: 4 });
  });

  it('are never held beyond the quota by calls at once', async () => {
    await at(NOON);
    const replies = await Promise.all(Array.from({ length: 30 }, () => hold(limits.testImages.perDay / 20)));
    expect(replies.filter(({ result }) => result === 'held')).toHaveLength(20);
    expect(replies.filter(({ result }) => result === 'quota_exceeded')).toHaveLength(10);
  });

  it('are resolved once each, without an entry, and origin is told nothing of their batch', async () => {
    const batchId = newId('batch', Date.now(), random);
    await hold(2, 'test', batchId);
    const ended = { batchId, status: 'completed', images: 2, completed: 2, failed: 0, atMs: Date.now() } as const;
    const rows = [0, 1].map((index) => ({ index, as: 'posted' as const }));
    const resolve = () => ledgerOf(account).resolve(batchId, rows, ended);
    expect(await resolve()).toEqual([{ result: 'posted' }, { result: 'posted' }]);
    expect(await resolve()).toEqual([{ result: 'already_posted' }, { result: 'already_posted' }]);
    await runInDurableObject(accountStub(account.accountId), async (object) => {
      object.now = () => Date.now() + 60_000;
      await object.alarm();
    });
    const sent = origin.exports.filter(({ entries }) =>
      entries.some(({ account_id }) => account_id === account.accountId),
    );
    expect(sent.flatMap(({ entries }) => entries.map(({ kind }) => kind))).toEqual(['grant']);
    expect(sent.flatMap(({ batches }) => batches)).toEqual([]);
    expect(await audited(account)).toMatchObject({ available: 1, held: 0, spent: 0, pendingHolds: 0, entries: 1 });
  });
});

describe('the quota of test images', () => {
  const { perDay } = limits.testImages;
  const DAY_MS = 86_400_000;
  type Sent = { readonly images: number; readonly answer: Response };

  /** 500 images in 70 requests of both styles at once. */
  const attack = (key: TestAccount): Promise<Sent[]> => {
    const batches = Array.from({ length: 20 }, () => ({
      images: 20,
      send: createBatch(key, { images: photoUrls(20) }),
    }));
    const uploads = Array.from({ length: 50 }, () => ({ images: 2, send: upload(key, uploadForm(files(2))) }));
    return Promise.all([...batches, ...uploads].map(async ({ images, send }) => ({ images, answer: await send })));
  };
  const accepted = (sent: readonly Sent[]): number =>
    sent.filter(({ answer }) => answer.status < 300).reduce((sum, { images }) => sum + images, 0);

  it('holds against 500 images at once, by requests of both styles, and is there again a day later', async () => {
    const key = await newKey(account, 'test');
    const nowMs = Date.now();
    await at(nowMs);
    const sent = await attack(key);
    expect(accepted(sent)).toBe(perDay);
    const refused = sent.filter(({ answer }) => answer.status >= 300);
    const secondsLeft = (DAY_MS - (nowMs % DAY_MS)) / 1_000;
    for (const { answer } of refused) {
      const retryAfter = Number(answer.headers.get('retry-after'));
      expect(retryAfter).toBeLessThanOrEqual(Math.ceil(secondsLeft));
      expect(retryAfter).toBeGreaterThan(Math.max(0, secondsLeft - 60));
      expect(await problemOf(answer)).toMatchObject({ status: 429, code: 'test_quota_exceeded', retryable: true });
    }
    await at(nowMs + DAY_MS);
    // The rate limit's bucket is full again by then, too.
    expect(accepted(await attack(key))).toBe(perDay);
    expect(await audited(account)).toMatchObject({ available: 1, held: 0, spent: 0, entries: 1 });
  }, 60_000);

  it('is used by images that fail, too, and refused uploads leave no input behind', async () => {
    const key = await newKey(account, 'test');
    origin.script = () => failing('no_product_found');
    await at(Date.now());
    await hold(perDay - 2);
    expect((await upload(key, uploadForm(files(2)))).status).toBe(422);
    const inputs = (await storedKeys('inputs/')).length;
    expect((await problemOf(await upload(key, uploadForm(files(1))))).code).toBe('test_quota_exceeded');
    expect(await storedKeys('inputs/')).toHaveLength(inputs);
  });

  it('is named to a batch that is larger than it, for which waiting does not help', async () => {
    const key = await newKey(account, 'test');
    const answer = await createBatch(key, { images: photoUrls(perDay + 1) });
    expect(answer.headers.get('retry-after')).toBeNull();
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ status: 413, code: 'too_many_images', retryable: false });
    expect(problem.detail).toContain(String(perDay));
    expect(await hold(perDay)).toMatchObject({ result: 'held' });
  });

  it('is answered to a retry of the same request, too, whose first answer was lost', async () => {
    const key = await newKey(account, 'test');
    await hold(perDay);
    const send = () => createBatch(key, { images: photoUrls(1) }, { 'idempotency-key': 'again' });
    expect((await problemOf(await send())).code).toBe('test_quota_exceeded');
    expect((await problemOf(await send())).code).toBe('test_quota_exceeded');
    await at(Date.now() + DAY_MS);
    expect((await send()).status).toBe(202);
  });
});
