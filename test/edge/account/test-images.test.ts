/** Test keys: no credits, but a quota of images each UTC day. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import { accountStub, audited, entriesOf, ledgerOf, newAccount, type TestAccount } from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
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
    expect(await hold(perDay - 10)).toEqual({ result: 'held', available: 1 });
    expect(await hold(11)).toEqual({ result: 'quota_exceeded', retryAtMs: MIDNIGHT });
    expect(await hold(10)).toEqual({ result: 'held', available: 1 });
    expect(await hold(1)).toEqual({ result: 'quota_exceeded', retryAtMs: MIDNIGHT });
    expect(await hold(1, 'live')).toEqual({ result: 'held', available: 0 });
    await at(MIDNIGHT);
    expect(await hold(perDay)).toEqual({ result: 'held', available: 0 });
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
