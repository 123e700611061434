/**
 * A deployment in the middle: objects as the version before left them are opened by this one, and Workers and objects of
 * the two versions call each other while it spreads.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestRow } from '../../edge/account/requests/port.ts';
import type { OpenBatch } from '../../edge/batch/port.ts';
import { isUnreachable, reliable } from '../../edge/stores/reliable.ts';
import { hashApiKey, newApiKey } from '../../shared/api-key.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { resolveOptions } from '../../shared/options.ts';
import { photoUrls, shop } from './batch/shop.ts';
import { saveReleasedAccount } from './released/account.ts';
import { saveReleasedBatch } from './released/batch.ts';
import { saveReleasedHistory } from './released/history.ts';
import { brokenCalls } from './support/network.ts';
import { completed, type FakeOrigin, fakeOrigin, withoutWaiting } from './support/origin.ts';
import {
  accountOf,
  accountStub,
  audited,
  entriesOf,
  files,
  historyOf,
  historyStub,
  ledgerOf,
  newAccount,
  problemOf,
  sagaOf,
  sagaStub,
  upload,
  uploadForm,
} from './support/service.ts';

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const DAY_MS = 86_400_000;
let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin(shop().answer);
});
afterEach(() => vi.restoreAllMocks());

/** The account and its open batch, in objects that this version meets for the first time. */
const released = async () => {
  const nowMs = Date.now();
  const accountId = newId('account', nowMs, random);
  const keyId = newId('apiKey', nowMs, random);
  const batchId = newId('batch', nowMs - 60_000, random);
  const apiKey = newApiKey('live', accountId, random);
  const keyHash = await hashApiKey(apiKey);
  const answer = { fingerprint: 'f', requestId: 'req_first', answer: '{"kind":"failed"}' };
  await runInDurableObject(accountStub(accountId), (_object, { storage }) =>
    saveReleasedAccount(storage.sql, { accountId, keyId, keyHash, batchId, nowMs, answer }),
  );
  await evictDurableObject(accountStub(accountId));
  const options = resolveOptions({});
  if (!options.ok) throw new Error('the default options are refused');
  const context = {
    batchId,
    accountId,
    keyId,
    requestId: newId('request', nowMs, random),
    fingerprint: 'f',
    mode: 'live' as const,
    options: options.value,
    webhookUrl: null,
  };
  const urls = photoUrls(3).map(({ input_url }) => input_url);
  await runInDurableObject(sagaStub(batchId), (_object, { storage }) =>
    saveReleasedBatch(storage.sql, { context, outcome: completed(context), urls, nowMs }),
  );
  await evictDurableObject(sagaStub(batchId));
  return { accountId, keyId, apiKey, batchId, answer, nowMs };
};

/** An upload of one image whose input lies in the store: the queue has no part in it. */
const newBatch = (accountId: string, keyId: string) => {
  const batchId = newId('batch', Date.now(), random);
  const options = resolveOptions({});
  if (!options.ok) throw new Error('the default options are refused');
  const batch: OpenBatch = {
    batchId,
    accountId,
    keyId,
    requestId: newId('request', Date.now(), random),
    fingerprint: 'f',
    mode: 'live',
    options: options.value,
    webhookUrl: null,
    style: 'upload',
    deadlineAtMs: Date.now() + 60_000,
    images: [{ originalName: 'a.jpg', filename: 'a.jpg', inputUrl: null }],
  };
  return { batchId, batch };
};

describe('rows of the version before', () => {
  it('of an account: its credits, keys, holds and lines are as they were, and it goes on', async () => {
    const account = await released();
    const ledger = ledgerOf(account);
    expect(await ledger.summary()).toMatchObject({ granted: 100, available: 97, held: 2, spent: 1, pendingHolds: 1 });
    expect(await ledger.holds()).toMatchObject([{ batchId: account.batchId, mode: 'live', pending: 2, posted: 1 }]);
    expect(await ledger.settledByDay(0)).toMatchObject([{ posted: 1, voided: 0 }]);
    expect((await accountOf(account).webhookSecret()).secret).toBe('whsec_released');
    expect(await ledger.grant({ id: 'pay_1', credits: 100, reason: 'purchase' })).toEqual({
      result: 'already_granted',
    });
    const answer = await upload(account, uploadForm(files(2)), { 'idempotency-key': 'new' });
    expect(answer.status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 95, held: 2, spent: 3 });
    await runInDurableObject(accountStub(account.accountId), async (object) => {
      object.now = () => Date.now() + 10_000;
      for (let run = 0; run < 5; run++) await object.alarm();
    });
    const sent = origin.exports.flatMap(({ entries }) => entries).filter((row) => row.account_id === account.accountId);
    // The first two lines were exported by the version before.
    expect(sent.map(({ seq }) => seq)).toEqual([3, 4, 5]);
    expect(await historyOf(account).requests()).toMatchObject({ rows: { length: 4 } });
  });

  it('of an account: an Idempotency-Key of before is still answered, and one whose try died is taken over', async () => {
    const { keyId, answer, ...account } = await released();
    const request = { keyId, batchId: 'bat_2', owner: 'req_2' };
    const begin = (idempotencyKey: string) => historyOf(account).beginRequest({ ...request, idempotencyKey });
    expect(await begin('answered')).toEqual({ result: 'done', answer });
    expect(await begin('running')).toEqual({ result: 'taken_over', batchId: 'bat_00000000000000000000000000' });
  });

  it('of a batch: it is finished, each image charged once', async () => {
    const account = await released();
    const { batchId } = account;
    expect(await sagaOf(batchId).snapshot()).toMatchObject({ counts: { total: 3, queued: 2, completed: 1 } });
    await runDurableObjectAlarm(sagaStub(batchId));
    await vi.waitFor(async () => {
      await runInDurableObject(sagaStub(batchId), (object) => object.alarm());
      expect((await sagaOf(batchId).snapshot())?.completedAtMs).not.toBeNull();
    }, 15_000);
    expect(await sagaOf(batchId).snapshot()).toMatchObject({
      status: 'completed',
      counts: { completed: 3, failed: 0 },
    });
    expect(await audited(account)).toMatchObject({ available: 97, held: 0, spent: 3, pendingHolds: 0 });
    const posts = (await entriesOf(account)).filter(({ kind }) => kind === 'post');
    expect(posts.reduce((sum, { credits }) => sum + credits, 0)).toBe(3);
  });

  it('of a history: its log, sums and records are as they were, and it goes on', async () => {
    const nowMs = Date.now();
    const account = await newAccount(10);
    const { keyId } = account;
    const requests = [400, 20_000].map((latencyMs, i) => {
      const atMs = nowMs - 3_600_000 + i;
      const row: RequestRow = {
        requestId: newId('request', atMs, random),
        atMs,
        keyId,
        method: 'POST',
        path: '/api/v1/service-hero',
        status: 200,
        images: 1,
        credits: 1,
        latencyMs,
        errorCode: null,
        batchId: null,
      };
      const answered = newId('request', atMs + latencyMs, (n) => new Uint8Array(n)).slice(4, 14);
      return { ...row, logId: answered + row.requestId.slice(14) };
    });
    const dead = newId('batch', nowMs, random);
    const [quick, slow] = requests.map(({ logId: _key, ...row }) => row);
    await runInDurableObject(historyStub(account.accountId), (_object, { storage }) =>
      saveReleasedHistory(storage.sql, { keyId, batchId: dead, requests, nowMs }),
    );
    await evictDurableObject(historyStub(account.accountId));
    const history = historyOf(account);
    expect((await history.requests()).rows).toEqual([slow, quick]);
    expect(await history.request(quick!.requestId)).toEqual(quick);
    expect(await history.request(slow!.requestId)).toEqual(slow);
    expect(await history.requestsByDay(Date.parse('2026-11-20'))).toContainEqual(
      expect.objectContaining({ day: '2026-11-20', requests: 5, errors: 1 }),
    );
    const answer = await upload(account, uploadForm(files(1)), { 'idempotency-key': 'mine' });
    expect(answer.status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 9, spent: 1 });
  });
});

describe('a Worker of the version before, which knows no history and no owners', () => {
  type Before = Pick<ReturnType<typeof historyOf>, 'requests' | 'request' | 'requestsByDay' | 'logRequest'> & {
    beginRequest(request: { keyId: string; idempotencyKey: string; batchId: string }): Promise<unknown>;
    renewRequest(request: { keyId: string; idempotencyKey: string; batchId: string }): Promise<boolean>;
    finishRequest(request: object): Promise<void>;
    dropRequest(request: object): Promise<void>;
  };
  const throughAccount = (account: { accountId: string }): Before =>
    accountStub(account.accountId) as unknown as Before;

  it('has its keyed requests run once by objects of this one, and sees what a Worker of this one wrote', async () => {
    const account = await newAccount(10);
    const request = { keyId: account.keyId, idempotencyKey: 'k', batchId: 'bat_1' };
    const object = throughAccount(account);
    expect(await object.beginRequest(request)).toEqual({ result: 'fresh' });
    expect(await object.renewRequest(request)).toBe(true);
    expect(await object.beginRequest({ ...request, batchId: 'bat_2' })).toMatchObject({ result: 'in_flight' });
    const answer = { fingerprint: 'f', requestId: 'req_1', answer: '{}' };
    await object.finishRequest({ ...request, answer });
    const now = { ...request, batchId: 'bat_3', owner: 'req_3' };
    expect(await historyOf(account).beginRequest(now)).toEqual({ result: 'done', answer });
    expect(await object.beginRequest(request)).toEqual({ result: 'done', answer });
    const dropped = { ...request, idempotencyKey: 'dropped' };
    await object.beginRequest(dropped);
    await object.dropRequest(dropped);
    expect(await object.beginRequest({ ...dropped, batchId: 'bat_4' })).toEqual({ result: 'fresh' });
  });

  it('logs and reads requests through the account', async () => {
    const account = await newAccount(10);
    expect((await upload(account, uploadForm(files(1)))).status).toBe(200);
    await vi.waitFor(async () => expect((await throughAccount(account).requests()).rows).toHaveLength(1));
    const [row] = (await throughAccount(account).requests()).rows;
    expect(await throughAccount(account).request(row!.requestId)).toEqual(row);
    expect(await throughAccount(account).requestsByDay(Date.now() - DAY_MS)).toMatchObject([{ requests: 1 }]);
    const other = { ...row!, requestId: newId('request', Date.now(), random) };
    await throughAccount(account).logRequest(other);
    expect((await historyOf(account).requests()).rows).toHaveLength(2);
  });
});

describe('a Worker of the version before, which gives up and postpones without saying more', () => {
  type Before = {
    giveUp(): Promise<'opened' | 'dropped'>;
    postpone(index: number, retryAtMs: number): Promise<{ result: string }>;
  };

  it('has a batch whose ledger was silent dropped for good, uncharged', async () => {
    withoutWaiting();
    const { accountId, keyId } = await newAccount(10);
    const { batchId, batch } = newBatch(accountId, keyId);
    brokenCalls('ACCOUNT', (method) => (method === 'hold' ? 'never_arrives' : undefined));
    expect(await sagaOf(batchId).open(batch)).toEqual({ result: 'ledger_silent' });
    const saga = sagaStub(batchId) as unknown as Before;
    expect(await saga.giveUp()).toBe('dropped');
    vi.restoreAllMocks();
    fakeOrigin(shop().answer);
    expect((await sagaOf(batchId).open(batch)).result).not.toBe('opened');
    expect(await audited({ accountId })).toMatchObject({ available: 10, held: 0, spent: 0 });
  });

  it('has an image handed over again when it asked for that', async () => {
    const { accountId, keyId } = await newAccount(10);
    const { batchId, batch } = newBatch(accountId, keyId);
    expect((await sagaOf(batchId).open(batch)).result).toBe('opened');
    expect((await sagaOf(batchId).start(0)).result).toBe('run');
    const saga = sagaStub(batchId) as unknown as Before;
    expect(await saga.postpone(0, Date.now() + 60_000)).toEqual({ result: 'postponed' });
    expect(await sagaOf(batchId).snapshot()).toMatchObject({ counts: { queued: 1, processing: 0 } });
  });
});

describe('an object of the version before, which lacks a method of this one', () => {
  it('is asked again for a while, and then counts as unreachable, not as a bug', async () => {
    const account = await newAccount(1);
    let calls = 0;
    const port = reliable(
      () => {
        calls++;
        return accountStub(account.accountId) as unknown as { methodOfTheNextVersion(): Promise<void> };
      },
      { clock: { ...systemClock, after: (_ms, call) => systemClock.after(0, call) }, random: () => 0.5 },
    );
    const error = await port.methodOfTheNextVersion().catch((caught: unknown) => caught);
    expect(isUnreachable(error)).toBe(true);
    expect(calls).toBe(4);
  });

  it('ends a keyed request with 503 not_ready, uncharged', async () => {
    withoutWaiting();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const account = await newAccount(10);
    // The prototype of the version before has no such method.
    await runInDurableObject(historyStub(account.accountId), (object) => {
      vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(object)), 'beginRequest').mockImplementation(() => {
        throw new TypeError('The RPC receiver does not implement the method "beginRequest".');
      });
    });
    const answer = await upload(account, uploadForm(files(1)), { 'idempotency-key': 'k' });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([503, 'not_ready']);
    expect(await audited(account)).toMatchObject({ available: 10, spent: 0 });
  });
});
