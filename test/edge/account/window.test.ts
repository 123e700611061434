/** The dispatch window is the account's, not the batch's. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { newId } from '../../../shared/ids.ts';
import { fakeOrigin } from '../support/origin.ts';
import { rowsOf } from '../support/rows.ts';
import { type accountOf, accountStub, ledgerOf, newAccount, type TestAccount } from '../support/service.ts';

let account: TestAccount;
beforeEach(async () => {
  fakeOrigin();
  account = await newAccount(5_000);
});
afterEach(() => vi.restoreAllMocks());

const { dispatchWindowMax } = edgeLimits.ledger;
const NOW_MS = Date.now();
const batch = (n: number): string => newId('batch', NOW_MS + n, (bytes) => new Uint8Array(bytes));
const hold = (n: number, mode: 'live' | 'test' = 'live') =>
  ledgerOf(account).hold({ batchId: batch(n), images: 2, mode });
const settle = (n: number, ...indexes: number[]) =>
  ledgerOf(account).settle(
    batch(n),
    indexes.map((index) => ({ index, as: 'posted' as const })),
  );

describe("an account's dispatch window", () => {
  it('is shared evenly by its open batches, of live and of test keys, and grows again as they end', async () => {
    expect(await hold(0)).toMatchObject({ result: 'held', window: dispatchWindowMax });
    expect(await hold(1, 'test')).toMatchObject({ result: 'held', window: dispatchWindowMax / 2 });
    expect(await hold(2)).toMatchObject({ window: dispatchWindowMax / 3 });
    expect(await settle(0, 0)).toEqual({
      replies: [{ result: 'posted' }],
      available: 4_996,
      window: dispatchWindowMax / 3,
    });
    expect(await settle(1, 0, 1)).toMatchObject({ available: 4_996, window: 0 });
    expect(await settle(0)).toMatchObject({ replies: [], window: dispatchWindowMax / 2 });
    expect(await settle(0, 1)).toMatchObject({ window: 0 });
    expect(await hold(2)).toMatchObject({ result: 'already_held', window: dispatchWindowMax });
  });

  it('is one image each for the oldest batches and none for the others when there are more', async () => {
    const windows: number[] = [];
    for (let n = 0; n < dispatchWindowMax + 3; n++) windows.push((await hold(n)).window);
    expect(windows.slice(-4)).toEqual([1, 0, 0, 0]);
    const standing = await Promise.all(Array.from(windows.keys(), async (n) => (await settle(n)).window));
    expect(standing.reduce((sum, window) => sum + window, 0)).toBe(dispatchWindowMax);
    expect(standing.slice(-4)).toEqual([1, 0, 0, 0]);
    await settle(0, 0, 1);
    expect(await settle(dispatchWindowMax)).toMatchObject({ window: 1 });
  });

  it('is none for a batch that was refused', async () => {
    expect(await ledgerOf(account).hold({ batchId: batch(0), images: 6_000 })).toMatchObject({
      result: 'insufficient_credits',
      window: 0,
    });
  });

  it('is told without looking at batches that have ended', async () => {
    const cost = () =>
      runInDurableObject(accountStub(account.accountId), (object, state) =>
        rowsOf(state, () => (object as unknown as ReturnType<typeof accountOf>).settle(batch(5_000), [])),
      );
    await hold(5_000);
    const before = await cost();
    for (let n = 0; n < 100; n++) {
      await hold(n);
      await settle(n, 0, 1);
    }
    expect(await cost()).toEqual(before);
  });

  it('is told without looking at them where there are more batches than the window has images, too', async () => {
    const cost = (n: number) =>
      runInDurableObject(accountStub(account.accountId), (object, state) =>
        rowsOf(state, () => (object as unknown as ReturnType<typeof accountOf>).settle(batch(n), [])),
      );
    const first = 5_000;
    for (let n = first; n <= first + dispatchWindowMax; n++) await hold(n);
    const costs = async () => [await cost(first), await cost(first + dispatchWindowMax)];
    const before = await costs();
    await runInDurableObject(accountStub(account.accountId), (_object, { storage }) => {
      for (let n = 0; n < 1_000; n++)
        storage.sql.exec(
          `insert into hold (batchId, state, images, pending, posted, voided, openedAtMs, checkAtMs, closedAtMs) values (?, 'open', 1, 0, 1, 0, 1, null, 1)`,
          batch(n),
        );
    });
    expect(await costs()).toEqual(before);
  });
});
