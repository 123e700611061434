/** What an account remembers beside its money: bounded, cheap whatever came before, and never in the way of an image. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { History } from '../../../edge/account/history/history.ts';
import type { RequestRow } from '../../../edge/account/requests/port.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin, withoutWaiting } from '../support/origin.ts';
import { rowsOf } from '../support/rows.ts';
import {
  accountStub,
  as,
  audited,
  call,
  createBatch,
  files,
  historyOf,
  historyStub,
  ledgerOf,
  newAccount,
  problemOf,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
beforeEach(async () => {
  fakeOrigin();
  account = await newAccount(10);
});
afterEach(() => vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const line = (atMs: number, more: Partial<RequestRow> = {}): RequestRow => ({
  requestId: newId('request', atMs, random),
  atMs,
  keyId: account.keyId,
  method: 'POST',
  path: '/x',
  status: 200,
  images: 1,
  credits: 1,
  latencyMs: 1_000,
  errorCode: null,
  batchId: 'bat_1',
  ...more,
});
const inHistory = <T>(work: (history: History, state: DurableObjectState) => T | Promise<T>): Promise<T> =>
  runInDurableObject(historyStub(account.accountId), work);
const rowsIn = (state: DurableObjectState, table: string): number =>
  state.storage.sql.exec<{ rows: number }>(`select count(*) as rows from ${table}`).one().rows;

/** A log of so many rows over the last 29 days, added up as the alarm leaves it. */
const seedLog = (rows: number): Promise<void> =>
  inHistory(async (history, state) => {
    await history.logRequest(line(Date.now()));
    const { sql } = state.storage;
    const sinceMs = Date.now() - 29 * DAY_MS;
    sql.exec(`with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${rows})
      insert into request select printf('%026d', i), 'req_' || i, ${sinceMs} + i * ${29 * DAY_MS} / ${rows}, 'key', 'POST', '/x', 200, 1, 1, 10, null, null, null, null from n`);
    sql.exec(`with recursive n(i) as (select 0 union all select i + 1 from n where i < 29)
      insert into requestDay select strftime('%Y-%m-%d', ${sinceMs / 1_000} + i * 86400, 'unixepoch'), ${rows / 30}, 0, '{"24":1}' from n`);
    sql.exec(`update history set requests = ${rows}, rolledThrough = printf('%026d', ${rows})`);
  });

const costs = () =>
  inHistory(async (history, state) => {
    const request = { keyId: account.keyId, idempotencyKey: 'k', batchId: 'bat_1', owner: 'req_1' };
    const row = line(Date.now() + 1);
    await history.beginRequest({ ...request, idempotencyKey: 'first' });
    return {
      log: await rowsOf(state, () => history.logRequest(row)),
      find: await rowsOf(state, () => history.request(row.requestId)),
      page: await rowsOf(state, () => history.requests({ max: 50 })),
      usage: await rowsOf(state, () => history.requestsByDay(Date.now() - 29 * DAY_MS)),
      begin: await rowsOf(state, () => history.beginRequest(request)),
      finish: await rowsOf(state, () =>
        history.finishRequest({ ...request, answer: { fingerprint: 'f', requestId: 'req_1', answer: '{}' } }),
      ),
    };
  });

describe('the request log', () => {
  it('costs as many rows with 100,000 lines, the most it keeps, as with 10,000: one written for each request', async () => {
    await seedLog(10_000);
    const few = await costs();
    account = await newAccount();
    await seedLog(edgeLimits.requestLog.rowsMax);
    const many = await costs();
    expect(many).toEqual(few);
    expect(many.log.written).toBe(1);
  });

  it('counts a request on its day once: repeated, late, before and after it was added up', async () => {
    const nowMs = Date.now();
    const [early, late, ...others] = Array.from({ length: 40 }, (_, i) =>
      line(nowMs - 40_000 + i, { status: i % 4 === 0 ? 500 : 200 }),
    );
    const expected = [expect.objectContaining({ requests: 40, errors: 10 })];
    const days = () => historyOf(account).requestsByDay(nowMs - 60_000);
    for (const row of others) await historyOf(account).logRequest(row);
    await inHistory((history) => history.alarm());
    for (const row of [early!, late!, late!, others[0]!]) await historyOf(account).logRequest(row);
    const counted = await days();
    expect(counted.reduce((sum, { requests }) => sum + requests, 0)).toBe(40);
    await inHistory((history) => history.alarm());
    expect(await days()).toEqual(counted);
    if (counted.length === 1) expect(counted).toEqual(expected);
    expect(counted.at(-1)?.p50Ms).toBeGreaterThan(950);
    expect(counted.at(-1)?.p50Ms).toBeLessThan(1_050);
    expect((await historyOf(account).requests()).rows).toHaveLength(40);
    expect(await historyOf(account).request(late!.requestId)).toEqual(late);
  });

  it('takes latencies of charged requests alone, as the images beside them are counted: not those of test keys', async () => {
    const atMs = Date.now();
    await historyOf(account).logRequest(line(atMs, { credits: 0, latencyMs: 30_000 }));
    expect((await historyOf(account).requestsByDay(atMs)).at(-1)).toMatchObject({ p50Ms: null, p95Ms: null });
    await historyOf(account).logRequest(line(atMs, { credits: 1, latencyMs: 1_000 }));
    const counted = (await historyOf(account).requestsByDay(atMs)).at(-1);
    expect(counted?.requests).toBe(2);
    expect(counted?.p95Ms).toBeLessThan(1_100);
  });

  it('takes a bounded number of lines a minute from requests turned away, and counts the others', async () => {
    const { refusedRowsPerMinute } = edgeLimits.requestLog;
    const atMs = Date.now();
    const refused = () => line(atMs, { status: 429, images: 0, credits: 0, errorCode: 'rate_limited', batchId: null });
    await inHistory(async (history, state) => {
      history.now = () => atMs;
      for (let i = 0; i < refusedRowsPerMinute + 30; i++) await history.logRequest(refused());
      await history.logRequest(line(atMs));
      expect(rowsIn(state, 'request')).toBe(refusedRowsPerMinute + 1);
      const counted = { requests: refusedRowsPerMinute + 31, errors: refusedRowsPerMinute + 30 };
      expect(await history.requestsByDay(atMs)).toMatchObject([counted]);
      await history.alarm();
      expect(await history.requestsByDay(atMs)).toMatchObject([counted]);
      history.now = () => atMs + 60_000;
      await history.logRequest(refused());
      expect(rowsIn(state, 'request')).toBe(refusedRowsPerMinute + 2);
    });
  });

  it('forgets lines after 30 days, so many a run, and goes on at once until none is left', async () => {
    const { sweepRowsMax } = edgeLimits.requestLog;
    await seedLog(2 * sweepRowsMax + 10);
    await inHistory(async (history, state) => {
      await history.alarm();
      expect(rowsIn(state, 'request')).toBe(sweepRowsMax + 11);
      for (const left of [11, 1, 1]) {
        expect(await state.storage.getAlarm()).toBeLessThanOrEqual(Date.now());
        await history.alarm();
        expect(rowsIn(state, 'request')).toBe(left);
      }
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 60_000);
      expect(state.storage.sql.exec('select requests from history').one()).toEqual({ requests: 1 });
    });
  });
});

describe('one request of the log', () => {
  it('is found by a few rows, quick or slow, also where the hour is full', async () => {
    const beganAtMs = Date.now() - 3_600_000;
    // Ten requests a second, as the rate limit allows, every fiftieth of them an upload of half a minute.
    const rows = Array.from({ length: 10_000 }, (_, i) =>
      line(beganAtMs + i * 100, { latencyMs: i % 50 === 0 ? 30_000 : 5 + (i % 900) }),
    );
    for (let at = 0; at < rows.length; at += 2_000) await historyOf(account).moveIn(rows.slice(at, at + 2_000));
    const find = (row: RequestRow) =>
      inHistory(async (history, state) => {
        const { read } = await rowsOf(state, async () => expect(await history.request(row.requestId)).toEqual(row));
        return read;
      });
    expect(await find(rows[5_000]!)).toBeLessThanOrEqual(2);
    for (const quick of [rows[1]!, rows[5_001]!, rows[9_999]!]) expect(await find(quick)).toBeLessThanOrEqual(25);
    await inHistory(async (history, state) => {
      const unknown = newId('request', beganAtMs + 500_000, random);
      const { read } = await rowsOf(state, async () => expect(await history.request(unknown)).toBeUndefined());
      expect(read).toBeLessThanOrEqual(25);
    });
  });
});

describe('Idempotency-Key records', () => {
  it('are deleted after a day, so many a run, until none is left', async () => {
    const { sweepRowsMax } = edgeLimits.idempotency;
    await inHistory(async (history, state) => {
      for (let i = 0; i < sweepRowsMax + 5; i++)
        await history.beginRequest({ keyId: 'key', idempotencyKey: String(i), batchId: 'bat_1', owner: 'req_1' });
      const nowMs = Date.now() + limits.idempotency.keptMs + 1_000;
      history.now = () => nowMs;
      await history.alarm();
      expect(rowsIn(state, 'idempotency')).toBe(5);
      await history.alarm();
      expect(rowsIn(state, 'idempotency')).toBe(0);
    });
  });

  it('of the time before the history had its own object are found: the answer is replayed and charged once', async () => {
    const send = () => upload(account, uploadForm(files(1)), { 'idempotency-key': 'order-1' });
    const first = await send();
    const [record] = await inHistory((_history, state) => {
      const rows = state.storage.sql.exec('select * from idempotency').toArray();
      state.storage.sql.exec('delete from idempotency');
      state.storage.sql.exec('update history set mayHaveOlderRecords = 1');
      return rows;
    });
    const { owner: _new, ...older } = record!;
    const columns = Object.keys(older);
    await runInDurableObject(accountStub(account.accountId), (_account, state) => {
      state.storage.sql.exec(
        `insert into idempotency (${columns.join()}) values (${columns.map(() => '?').join()})`,
        ...Object.values(older),
      );
    });
    const second = await send();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('are looked for in the account only until it has none', async () => {
    await historyOf(account).beginRequest({ keyId: 'key', idempotencyKey: 'a', batchId: 'bat_1', owner: 'req_1' });
    const asks = await inHistory((_history, state) =>
      state.storage.sql.exec('select mayHaveOlderRecords as asks from history').one(),
    );
    expect(asks).toEqual({ asks: 0 });
  });
});

describe('lines of the log that the account has from before', () => {
  it('move to the history, all of them once, and are in its sums', async () => {
    const rows = edgeLimits.ledger.movedRowsPerCall * 2 + 7;
    const atMs = Date.now() - 3_600_000;
    await historyOf(account).logRequest(line(Date.now()));
    await inHistory((history) => history.alarm());
    await runInDurableObject(accountStub(account.accountId), async (object, state) => {
      const { sql } = state.storage;
      for (let i = 0; i < rows; i++)
        sql.exec(
          `insert into request (requestId, atMs, keyId, method, path, status, images, credits, latencyMs) values (?, ?, 'key', 'GET', '/x', 200, 0, 0, 1)`,
          newId('request', atMs, random),
          atMs,
        );
      vi.spyOn(console, 'error').mockImplementation(() => {});
      // The answer to the first call is lost, so that its rows are sent twice.
      const moveIn = vi.spyOn(History.prototype, 'moveIn').mockImplementationOnce(async function (
        this: History,
        moved,
      ) {
        moveIn.mockRestore();
        await this.moveIn(moved);
        throw new Error('the answer is lost');
      });
      for (let run = 0; run < 5; run++) await object.alarm();
      expect(rowsIn(state, 'request')).toBe(0);
    });
    await inHistory((_history, state) => expect(rowsIn(state, 'request')).toBe(rows + 1));
    const days = await historyOf(account).requestsByDay(atMs);
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(rows + 1);
  });
});

/** Every write to a history's tables fails as in an object of 10 GB. */
const fullDisk = (): void => {
  const writes = /\b(into|update) "?(history|request|requestDay|idempotency)\b|create index slowRequest/i;
  const kind = Object.getPrototypeOf(historySql) as SqlStorage;
  const { exec } = kind;
  vi.spyOn(kind, 'exec').mockImplementation(function (this: SqlStorage, statement: string, ...bindings) {
    if (writes.test(statement)) throw new Error('database or disk is full: SQLITE_FULL');
    return exec.call(this, statement, ...bindings);
  } as typeof exec);
};
let historySql: SqlStorage;
const keyed = { 'idempotency-key': 'order-3' };
const batch = { images: [{ input_url: 'https://shop.example/1.jpg' }] };

describe.each([
  ['full', fullDisk],
  ['overloaded', () => void brokenCalls('HISTORY', () => 'refused')],
  ['away', () => void brokenCalls('HISTORY', () => 'never_arrives')],
])('a history that is %s', (_state, becomes) => {
  beforeEach(async () => {
    withoutWaiting();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await inHistory((_history, state) => {
      historySql = state.storage.sql;
    });
    becomes();
  });

  it('refuses a keyed upload and a keyed batch with 503 not_ready, and neither is charged', async () => {
    const inputs = await storedKeys('inputs/');
    for (const answer of [
      await upload(account, uploadForm(files(2)), keyed),
      await createBatch(account, batch, keyed),
    ]) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await problemOf(answer)).toMatchObject({ code: 'not_ready', retryable: true });
    }
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, spent: 0 });
    expect(await storedKeys('inputs/')).toEqual(inputs);
  });

  it('stops no request without a key, and no money', async () => {
    expect((await upload(account, uploadForm(files(2)))).status).toBe(200);
    await ledgerOf(account).grant({ id: 'pay_9', credits: 5, reason: 'purchase' });
    expect((await call('/api/v1/account', { headers: as(account) })).status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 13, held: 0, spent: 2 });
  });
});

describe('a history that fills up between the beginning of an upload and its batch', () => {
  it('ends it with 503 not_ready, uncharged; sent again once there is room, it is charged once', async () => {
    withoutWaiting();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const inputs = await storedKeys('inputs/');
    const full = vi.spyOn(History.prototype, 'renewRequest').mockRejectedValue(new Error('database or disk is full'));
    const first = await upload(account, uploadForm(files(2)), keyed);
    expect([first.status, (await problemOf(first)).code]).toEqual([503, 'not_ready']);
    expect(await storedKeys('inputs/')).toEqual(inputs);
    full.mockRestore();
    expect((await upload(account, uploadForm(files(2)), keyed)).status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2 });
  });
});

describe('a full history with tables of the version before', () => {
  it('comes up, sweeps, and gets its new tables once there is room', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const old = Date.now() - limits.requestLog.keptMs - DAY_MS;
    await inHistory(async (history, state) => {
      await history.moveIn([line(old, { latencyMs: 5_000 })]);
      state.storage.sql.exec('drop index slowRequest');
      state.storage.sql.exec('delete from migration where number > 0');
      historySql = state.storage.sql;
    });
    fullDisk();
    await evictDurableObject(historyStub(account.accountId));
    const indexes = (state: DurableObjectState) =>
      state.storage.sql.exec("select name from sqlite_master where name = 'slowRequest'").toArray();
    await inHistory(async (_history, state) => expect(indexes(state)).toEqual([]));
    vi.restoreAllMocks();
    await inHistory(async (history, state) => {
      await history.alarm();
      expect(indexes(state)).toEqual([{ name: 'slowRequest' }]);
      await history.alarm();
      expect(rowsIn(state, 'request')).toBe(0);
    });
  });
});

describe('a history that fails', () => {
  it('stops no image and no credit', async () => {
    const broken = vi.spyOn(History.prototype, 'logRequest').mockRejectedValue(new Error('database or disk is full'));
    vi.spyOn(console, 'error').mockImplementation(() => {});
    expect((await upload(account, uploadForm(files(1)))).status).toBe(200);
    await vi.waitFor(() => expect(broken).toHaveBeenCalled());
    expect(await audited(account)).toMatchObject({ available: 9, spent: 1, held: 0 });
  });

  it('is not asked for money: none of its tables is in the account, none of the account in it', async () => {
    await upload(account, uploadForm(files(1)), { 'idempotency-key': 'order-2' });
    await vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(1));
    await runInDurableObject(accountStub(account.accountId), (_account, state) => {
      for (const table of ['request', 'idempotency']) expect(rowsIn(state, table)).toBe(0);
    });
    await evictDurableObject(historyStub(account.accountId));
    await inHistory((_history, state) => {
      for (const table of ['request', 'idempotency']) expect(rowsIn(state, table)).toBe(1);
    });
    expect((await ledgerOf(account).summary())?.spent).toBe(1);
  });
});
