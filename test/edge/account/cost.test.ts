/** What the account's hot path costs, in rows, does not depend on how much was ever done. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountSchema } from '../../../edge/account/schema.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newId } from '../../../shared/ids.ts';
import { fakeOrigin } from '../support/origin.ts';
import { rowsOf } from '../support/rows.ts';
import { type accountOf, accountStub, ledgerOf, newAccount, type TestAccount } from '../support/service.ts';

beforeEach(() => void fakeOrigin());
afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const IMAGES_PER_HOLD = 5;
const DAY_MS = 86_400_000;

/** Batches long settled and exported: 9 of 10 images posted, spread over 60 days. */
const seedPast = (account: TestAccount, images: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (_account, state) => {
    const { sql } = state.storage;
    const holds = images / IMAGES_PER_HOLD;
    const sinceMs = Date.now() - 60 * DAY_MS;
    const batch = (n: string) => `printf('bat_%026d', ${n})`;
    const at = (n: string) => `${sinceMs} + (${n}) * ${60 * DAY_MS - 60_000} / ${images}`;
    const counting = (to: number) =>
      `with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${to})`;
    const [per, voided] = [IMAGES_PER_HOLD, images / 10];
    sql.exec(`${counting(holds)} insert into hold (batchId, state, images, pending, posted, voided, openedAtMs)
      select ${batch('i')}, 'open', ${per}, 0, ${per}, 0, ${at(`i * ${per}`)} from n`);
    sql.exec(`${counting(images)} insert into resolution
      select ${batch(`i / ${per}`)}, i % ${per}, case i % 10 when 0 then 'voided' else 'posted' end from n`);
    sql.exec(`${counting(images)}
      insert into entry (sequence, commandId, kind, credits, granted, available, held, spent, batchId, imageIndex, createdAtMs)
      select i + 2, 'past:' || i, case i % 10 when 0 then 'void' else 'post' end, 1, 10, 10, 0, 0, ${batch(`i / ${per}`)}, i % ${per}, ${at('i')} from n`);
    sql.exec(
      `update account set entries = ?, exportedThrough = ?, exportDueAtMs = null, granted = granted + ?, spent = ?`,
      images + 1,
      images + 1,
      images - voided,
      images - voided,
    );
  });

/** The alarm, every hour, until it has nothing left to add up. */
const settleDown = (account: TestAccount): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), async (object, state) => {
    const left = () => state.storage.sql.exec('select 1 from account where entries > rolledThrough').toArray().length;
    for (let run = 0; run < 200 && left() > 0; run++) {
      object.now = () => Date.now() + run * edgeLimits.ledger.housekeepingMs;
      await object.alarm();
    }
    expect(left()).toBe(0);
    object.now = () => Date.now();
  });

const rowsOfAccount = (
  account: TestAccount,
  work: (object: ReturnType<typeof accountOf>) => Promise<unknown>,
): ReturnType<typeof rowsOf> =>
  runInDurableObject(accountStub(account.accountId), (object, state) =>
    rowsOf(state, () => work(object as unknown as ReturnType<typeof accountOf>)),
  );

const costs = async (account: TestAccount) => {
  const batchId = newId('batch', Date.now(), random);
  const { hash } = await runInDurableObject(accountStub(account.accountId), (_account, state) =>
    state.storage.sql.exec<{ hash: string }>('select hash from apiKey').one(),
  );
  return {
    summary: await rowsOfAccount(account, (object) => object.summary()),
    authenticate: await rowsOfAccount(account, (object) => object.authenticate({ hash })),
    hold: await rowsOfAccount(account, (object) => object.hold({ batchId, images: 2 })),
    holds: await rowsOfAccount(account, (object) => object.holds()),
    resolve: await rowsOfAccount(account, (object) => object.resolve(batchId, [{ index: 0, as: 'posted' }])),
    release: await rowsOfAccount(account, (object) => object.release(batchId)),
    usage: await rowsOfAccount(account, (object) => object.settledByDay(Date.now() - 29 * DAY_MS)),
  };
};

describe('an account', () => {
  it('with 1,000,000 past images reads and writes as many rows for each call as one with 10,000', async () => {
    const [young, old] = [await newAccount(10), await newAccount(10)];
    for (const [account, images] of [
      [young, 10_000],
      [old, 1_000_000],
    ] as const) {
      await seedPast(account, images);
      await settleDown(account);
    }
    const [few, many] = [await costs(young), await costs(old)];
    expect(many).toEqual(few);
    const days = await ledgerOf(old).settledByDay(0);
    expect(days.reduce((sum, { posted }) => sum + posted, 0)).toBe(900_001);
    expect(days.reduce((sum, { voided }) => sum + voided, 0)).toBe(100_000);
  }, 120_000);

  it('counts each settled image on its day once, before and after it was added up', async () => {
    const account = await newAccount(3_000);
    const batchId = newId('batch', Date.now(), random);
    await ledgerOf(account).hold({ batchId, images: 1_000 });
    const settle = (from: number, to: number) =>
      runInDurableObject(accountStub(account.accountId), async (object) => {
        for (let index = from; index < to; index++)
          await object.resolve(batchId, [{ index, as: index % 4 === 0 ? 'voided' : 'posted' }]);
      });
    const day = new Date().toISOString().slice(0, 10);
    await settle(0, 400);
    expect(await ledgerOf(account).settledByDay(0)).toEqual([{ day, posted: 300, voided: 100 }]);
    await settle(400, 1_000);
    for (let run = 0; run < 3; run++) await runDurableObjectAlarm(accountStub(account.accountId));
    const rolled = await runInDurableObject(accountStub(account.accountId), (_account, state) =>
      state.storage.sql.exec('select posted, voided from settledDay').toArray(),
    );
    expect(rolled).toEqual([{ posted: 750, voided: 250 }]);
    expect(await ledgerOf(account).settledByDay(0)).toEqual([{ day, posted: 750, voided: 250 }]);
  });
});

describe('an account of the first schema', () => {
  it('has its counters and its usage by day once the new code has opened it', async () => {
    const accountId = newId('account', Date.now(), random);
    const stub = accountStub(accountId);
    await runInDurableObject(stub, (_account, state) => {
      const { sql } = state.storage;
      sql.exec('create table migration (number integer primary key)');
      sql.exec(accountSchema[0] ?? '');
      sql.exec('insert into migration values (0)');
      sql.exec(`insert into account (id, accountId, label, createdAtMs, granted, available, held, spent, entries, exportedThrough, housekeepingAtMs)
        values (1, '${accountId}', '', 1, 9, 5, 2, 2, 5, 5, 4e12)`);
      sql.exec(
        `insert into hold values ('bat_1', 'open', 3, 1, 1, 1, 1, 4e12), ('bat_2', 'open', 1, 1, 0, 0, 1, 4e12), ('bat_3', 'open', 1, 0, 1, 0, 1, null)`,
      );
      const entry =
        'insert into entry (sequence, commandId, kind, credits, granted, available, held, spent, batchId, imageIndex, createdAtMs)';
      const atMs = Date.parse('2026-05-01T23:59:59Z');
      sql.exec(`${entry} values (1, 'grant:g', 'grant', 9, 9, 9, 0, 0, null, null, ${atMs}), (2, 'hold:bat_1', 'hold', -3, 9, 6, 3, 0, 'bat_1', null, ${atMs}),
        (3, 'post:bat_1:0', 'post', 1, 9, 6, 2, 1, 'bat_1', 0, ${atMs}), (4, 'void:bat_1:1', 'void', 1, 9, 7, 1, 1, 'bat_1', 1, ${atMs}),
        (5, 'post:bat_3:0', 'post', 1, 9, 5, 2, 2, 'bat_3', 0, ${atMs + 1_000})`);
    });
    await evictDurableObject(stub);
    expect(await ledgerOf({ accountId }).summary()).toEqual({
      granted: 9,
      available: 5,
      held: 2,
      spent: 2,
      entries: 5,
      pendingHolds: 2,
      queuedHolds: 2,
      windows: 0,
    });
    const days = [
      { day: '2026-05-01', posted: 1, voided: 1 },
      { day: '2026-05-02', posted: 1, voided: 0 },
    ];
    expect(await ledgerOf({ accountId }).settledByDay(0)).toEqual(days);
    expect((await ledgerOf({ accountId }).holds()).map(({ batchId, mode }) => [batchId, mode])).toEqual([
      ['bat_1', 'live'],
      ['bat_2', 'live'],
    ]);
  });
});
