/** Alarms that come back, whatever fails in them and whatever becomes of them. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { nextUtcDayMs } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  call,
  historyOf,
  historyStub,
  ledgerOf,
  newAccount,
  type TestAccount,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(10);
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const FULL = `begin select raise(abort, 'database or disk is full'); end`;
const hours = (n: number) => n * 3_600_000;

/** The account's alarm as if so much later; answers when it comes again, ms from then. */
const fireAfter = (ms: number): Promise<number | null> =>
  runInDurableObject(accountStub(account.accountId), async (object, state) => {
    const nowMs = Date.now() + ms;
    object.now = () => nowMs;
    await object.alarm();
    const atMs = await state.storage.getAlarm();
    return atMs === null ? null : atMs - nowMs;
  });
const breakAccount = (statement: string): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (_account, state) => void state.storage.sql.exec(statement));
const exported = () =>
  origin.exports.flatMap(({ entries }) => entries).filter(({ account_id }) => account_id === account.accountId);

describe("the account's alarm", () => {
  it.each([
    ['housekeeping', `create trigger full before update of housekeepingAtMs on account ${FULL}`],
    ['sweep', 'drop table idempotency'],
    ['daily sums', `create trigger full before update of rolledThrough on account ${FULL}`],
    ['export', `create trigger full before update of exportedThrough on account ${FULL}`],
  ])('exports, asks about old holds and comes back in half a minute though its %s fails', async (_part, statement) => {
    const batchId = newId('batch', Date.now(), random);
    await ledgerOf(account).hold({ batchId, images: 3 });
    await breakAccount(statement);
    expect(await fireAfter(hours(13))).toBe(edgeLimits.alarm.retryMs);
    expect(exported().map(({ kind }) => kind)).toEqual(['grant', 'hold']);
    // Its saga knows nothing of the batch: the credits are returned.
    expect(await ledgerOf(account).summary()).toMatchObject({ available: 10, held: 0, pendingHolds: 0 });
  });

  it('is not brought forward by calls while something in it fails', async () => {
    await breakAccount(`create trigger full before update of exportedThrough on account ${FULL}`);
    await fireAfter(hours(1));
    await runInDurableObject(accountStub(account.accountId), async (object, state) => {
      const atMs = await state.storage.getAlarm();
      await object.grant({ id: 'more', credits: 1, reason: 'local' });
      expect(await state.storage.getAlarm()).toBe(atMs);
    });
  });
});

describe('an alarm that the platform dropped', () => {
  const dropAlarm = (): Promise<void> =>
    runInDurableObject(accountStub(account.accountId), (_account, state) => state.storage.deleteAlarm());
  const alarmAt = (): Promise<number | null> =>
    runInDurableObject(accountStub(account.accountId), (_account, state) => state.storage.getAlarm());

  it('is set again by the next request of its account', async () => {
    await dropAlarm();
    expect(await alarmAt()).toBeNull();
    expect((await call('/api/v1/account', { headers: as(account) })).status).toBe(200);
    await vi.waitFor(async () => expect(await alarmAt()).not.toBeNull());
  });

  it('is set again when the object starts, whatever it is asked', async () => {
    await dropAlarm();
    await evictDurableObject(accountStub(account.accountId));
    await accountOf(account).listKeys();
    expect(await alarmAt()).not.toBeNull();
  });

  it('is set again by the next request of its history', async () => {
    const begin = (idempotencyKey: string) =>
      historyOf(account).beginRequest({ keyId: account.keyId, idempotencyKey, batchId: 'bat_1', owner: 'req_1' });
    const stub = historyStub(account.accountId);
    await begin('a');
    await runInDurableObject(stub, (_history, state) => state.storage.deleteAlarm());
    await begin('b');
    await vi.waitFor(async () =>
      expect(await runInDurableObject(stub, (_history, state) => state.storage.getAlarm())).not.toBeNull(),
    );
  });
});

describe('an account that nobody uses', () => {
  it('is woken every hour only until its last lines are added up, then once a day, and its history as seldom, and when its sums by key end', async () => {
    await call('/api/v1/account', { headers: as(account) });
    await vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(1));
    await fireAfter(60_000);
    expect(await fireAfter(hours(2))).toBe(hours(1));
    expect(await fireAfter(hours(3))).toBe(hours(24));
    expect(await fireAfter(hours(27))).toBe(hours(24));
    await ledgerOf(account).grant({ id: 'more', credits: 1, reason: 'local' });
    await fireAfter(hours(52));
    expect(await fireAfter(hours(53))).toBe(hours(24));
    const historyFires = (ms: number): Promise<number | null> =>
      runInDurableObject(historyStub(account.accountId), async (history, state) => {
        const nowMs = Date.now() + ms;
        history.now = () => nowMs;
        // The platform forgets an alarm as it fires.
        await state.storage.deleteAlarm();
        await history.alarm();
        const atMs = await state.storage.getAlarm();
        return atMs === null ? null : atMs - nowMs;
      });
    expect(await historyFires(hours(1))).toBe(hours(24));
    await historyFires(hours(31 * 24));
    const endsAtMs = nextUtcDayMs(Date.now()) + edgeLimits.usageSplit.keptDays * hours(24);
    await historyFires(hours(31 * 24) + 1_000);
    expect(await runInDurableObject(historyStub(account.accountId), (_, { storage }) => storage.getAlarm())).toBe(
      endsAtMs,
    );
    await historyFires(hours(402 * 24));
    expect(await historyFires(hours(402 * 24) + 1_000)).toBeNull();
  });
});

describe("the history's alarm", () => {
  it('comes back in half a minute though nothing else is due, where it could not add up the requests', async () => {
    await call('/api/v1/account', { headers: as(account) });
    await vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(1));
    await runInDurableObject(historyStub(account.accountId), async (history, state) => {
      state.storage.sql.exec(`create trigger full before update of rolledThrough on history ${FULL}`);
      const nowMs = Date.now();
      history.now = () => nowMs;
      await history.alarm();
      expect(await state.storage.getAlarm()).toBe(nowMs + edgeLimits.alarm.retryMs);
      state.storage.sql.exec('drop trigger full');
      history.now = () => nowMs + edgeLimits.alarm.retryMs;
      await history.alarm();
      expect(state.storage.sql.exec('select requests from requestDay').toArray()).toEqual([{ requests: 1 }]);
    });
  });

  it('adds up the requests and comes back though its sweep fails', async () => {
    const stub = historyStub(account.accountId);
    await call('/api/v1/account', { headers: as(account) });
    await vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(1));
    await runInDurableObject(stub, async (history, state) => {
      state.storage.sql.exec('drop table idempotency');
      const nowMs = Date.now();
      history.now = () => nowMs;
      await history.alarm();
      expect(state.storage.sql.exec('select requests from requestDay').toArray()).toEqual([{ requests: 1 }]);
      expect(await state.storage.getAlarm()).toBe(nowMs + edgeLimits.alarm.retryMs);
    });
  });
});
