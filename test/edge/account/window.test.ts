/** The dispatch window is the account's, not the batch's. */
import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { windowOf } from '../../../edge/account/ledger/window.ts';
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
const IMAGES = 100;
const hold = (n: number, { mode = 'live', style = 'batch', images = IMAGES }: Partial<Held> = {}) =>
  ledgerOf(account).hold({ batchId: batch(n), images, mode, style });
type Held = { readonly mode: 'live' | 'test'; readonly style: 'upload' | 'batch'; readonly images: number };
const settle = (n: number, inFlight: number, ...indexes: number[]) =>
  ledgerOf(account).settle(
    batch(n),
    indexes.map((index) => ({ index, as: 'posted' as const })),
    inFlight,
  );
const all = Array.from({ length: IMAGES }, (_, index) => index);

describe("an account's dispatch window", () => {
  it('is shared evenly by its open batches, of live and of test keys, and grows again as they end', async () => {
    expect(await hold(0)).toMatchObject({ result: 'held', window: dispatchWindowMax });
    // The first has all of it on its way; what it settles makes room.
    expect(await hold(1, { mode: 'test' })).toMatchObject({ result: 'held', window: 0 });
    expect(await settle(0, 40, 0, 1, 2, 3, 4, 5, 6, 7)).toMatchObject({ available: 4_900, window: 40 });
    expect(await settle(1, 0)).toMatchObject({ replies: [], window: 8 });
    expect(await settle(0, 20)).toMatchObject({ window: dispatchWindowMax / 2 });
    expect(await settle(1, 8)).toMatchObject({ window: dispatchWindowMax / 2 });
    expect(await hold(2)).toMatchObject({ result: 'held', window: 0 });
    expect(await settle(0, 0)).toMatchObject({ window: dispatchWindowMax / 3 });
    expect(await settle(1, 0)).toMatchObject({ window: dispatchWindowMax / 3 });
    expect(await settle(2, 0)).toMatchObject({ window: dispatchWindowMax / 3 });
    expect(await settle(1, 0, ...all)).toMatchObject({ available: 4_800, window: 0 });
    expect(await settle(0, 0)).toMatchObject({ window: dispatchWindowMax / 2 });
    expect(await settle(0, 0, ...all)).toMatchObject({ window: 0 });
    expect(await settle(2, 0)).toMatchObject({ window: dispatchWindowMax });
    expect(await hold(2)).toMatchObject({ result: 'already_held', window: dispatchWindowMax });
  });

  it('does not count uploads, which have none, and gives a batch no more of it than it has images', async () => {
    for (let n = 0; n < 5; n++) expect(await hold(n, { style: 'upload' })).toMatchObject({ window: 0 });
    expect(await hold(10, { images: 2 })).toMatchObject({ window: 2 });
    expect(await hold(11)).toMatchObject({ window: dispatchWindowMax / 2 });
  });

  it('is one image each and then none for the others where there are more batches than it has images', async () => {
    const windows: number[] = [];
    for (let n = 0; n < dispatchWindowMax + 3; n++) windows.push((await hold(n, { images: 1 })).window);
    expect(windows.slice(-4)).toEqual([1, 0, 0, 0]);
    const standing = await Promise.all(Array.from(windows, async (window, n) => (await settle(n, window)).window));
    expect(standing.reduce((sum, window) => sum + window, 0)).toBe(dispatchWindowMax);
    expect(standing.slice(-4)).toEqual([1, 0, 0, 0]);
    await settle(0, 0, 0);
    expect(await settle(dispatchWindowMax, 0)).toMatchObject({ window: 1 });
    expect(await settle(dispatchWindowMax + 1, 0)).toMatchObject({ window: 0 });
  });

  it('is none for a batch that was refused', async () => {
    expect(await hold(0, { images: 6_000 })).toMatchObject({ result: 'insufficient_credits', window: 0 });
  });

  it('is never exceeded by all batches together, whoever asks when, and is shared evenly once all have asked', () => {
    const asks = fc.array(fc.record({ batch: fc.nat(9), ended: fc.nat(48) }), { maxLength: 80 });
    fc.assert(
      fc.property(asks, (history) => {
        const windows = new Map<number, number>();
        const ask = (n: number, inFlight: number): void => {
          const others = [...windows].reduce((sum, [key, window]) => sum + (key === n ? 0 : window), 0);
          const queuedHolds = new Set([...windows.keys(), n]).size;
          windows.set(n, windowOf({ others, queuedHolds, inFlight, pending: 1_000 }));
          const total = [...windows.values()].reduce((sum, window) => sum + window, 0);
          expect(total).toBeLessThanOrEqual(dispatchWindowMax);
        };
        for (const { batch, ended } of history) ask(batch, Math.max(0, (windows.get(batch) ?? 0) - ended));
        for (let round = 0; round < 2; round++) for (const n of windows.keys()) ask(n, 0);
        const share = Math.floor(dispatchWindowMax / Math.max(1, windows.size));
        for (const window of windows.values()) expect(window).toBe(share);
      }),
    );
  });

  it('is told without looking at batches that have ended', async () => {
    const cost = (n: number) =>
      runInDurableObject(accountStub(account.accountId), (object, state) =>
        rowsOf(state, () => (object as unknown as ReturnType<typeof accountOf>).settle(batch(n), [], 0)),
      );
    const first = 5_000;
    for (let n = first; n <= first + dispatchWindowMax; n++) await hold(n, { images: 2 });
    const costs = async () => [await cost(first), await cost(first + dispatchWindowMax)];
    await costs();
    const before = await costs();
    await runInDurableObject(accountStub(account.accountId), (_object, { storage }) => {
      for (let n = 0; n < 1_000; n++)
        storage.sql.exec(
          `insert into hold (batchId, state, images, pending, posted, voided, openedAtMs, checkAtMs, closedAtMs) values (?, 'open', 1, 0, 1, 0, 1, null, 1)`,
          batch(n),
        );
    });
    expect(await costs()).toEqual(before);
    expect(before.every(({ written }) => written === 0)).toBe(true);
  });
});

describe('a hold of the time before it had its resolutions in itself', () => {
  it('knows what was resolved before, resolves each image once, and tells its window by what is on its way', async () => {
    await hold(0, { images: 3 });
    await runInDurableObject(accountStub(account.accountId), (_object, { storage }) => {
      storage.sql.exec('update openHold set resolved = null, window = 0, pending = 2, posted = 1');
      storage.sql.exec('update account set windows = 0, held = held - 1, spent = spent + 1');
      storage.sql.exec("insert into resolution values (?, 1, 'posted')", batch(0));
    });
    expect(await settle(0, 2, 0, 1)).toMatchObject({
      replies: [{ result: 'posted' }, { result: 'already_posted' }],
      window: 1,
    });
    expect(await settle(0, 0, 0, 1, 2)).toMatchObject({
      replies: [{ result: 'already_posted' }, { result: 'already_posted' }, { result: 'posted' }],
      window: 0,
    });
    expect(await ledgerOf(account).summary()).toMatchObject({ held: 0, spent: 3, windows: 0, queuedHolds: 0 });
  });
});
