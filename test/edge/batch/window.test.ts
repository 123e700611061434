/** All batches of an account together fill no more of the queue than its window, and share it. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { parseImageId } from '../../../shared/ids.ts';
import { fakeOrigin } from '../support/origin.ts';
import { audited, createBatch, ledgerOf, newAccount, newKey, sagaStub } from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

const { dispatchWindowMax } = edgeLimits.ledger;

type Progress = { readonly nextIndex: number; readonly done: number; readonly window: number; readonly isOver: number };
const progressOf = (batchId: string): Promise<Progress> =>
  runInDurableObject(sagaStub(batchId), (_saga, { storage }) =>
    storage.sql
      .exec<Progress>(
        'select nextIndex, completed + failed as done, window, completedAtMs is not null as isOver from batch',
      )
      .one(),
  );
/** A batch without a place asks for one by its alarm, here as if a minute more had passed each time. */
const minutes = new Map<string, number>();
const askAgain = async (batchId: string): Promise<void> => {
  const laterMs = (minutes.get(batchId) ?? 0) + 2 * edgeLimits.batch.windowAskCapMs;
  minutes.set(batchId, laterMs);
  await runInDurableObject(sagaStub(batchId), (saga) => {
    saga.now = () => Date.now() + laterMs;
  });
  // The alarm is set a moment after the row that a test reads.
  await vi.waitFor(async () => expect(await runDurableObjectAlarm(sagaStub(batchId))).toBe(true));
};
const gate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};
const created = async (key: { readonly apiKey: string }, images: number): Promise<string> => {
  const answer = await createBatch(key, { images: photoUrls(images) });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { batch_id: string }).batch_id;
};

it('three batches at once, of live and test keys, never have more images on their way than the window', async () => {
  const origin = fakeOrigin(shop().answer);
  const some = gate();
  const all = gate();
  const account = await newAccount(70);
  const test = await newKey(account, 'test');
  const batches = [await created(account, 40), await created(account, 30), await created(test, 20)];
  origin.script = async ({ job_id }) => {
    const { batchId, index } = parseImageId(job_id) ?? {};
    await (batchId === batches[0] && Number(index) < 24 ? some : all).opened;
    return 'complete' as const;
  };
  let most = 0;
  const look = async (): Promise<Progress[]> => {
    const seen = await Promise.all(batches.map(progressOf));
    most = Math.max(
      most,
      seen.reduce((sum, { nextIndex, done }) => sum + nextIndex - done, 0),
    );
    return seen;
  };
  const askForPlaces = async (): Promise<Progress[]> => {
    const seen = await look();
    for (const [i, { nextIndex }] of seen.entries()) if (nextIndex === 0) await askAgain(batches[i] ?? '');
    return seen;
  };
  await vi.waitFor(async () => expect((await look()).map(({ nextIndex }) => nextIndex)).toEqual([40, 8, 0]));
  await askAgain(batches[2] ?? '');
  expect((await look()).map(({ window }) => window)).toEqual([40, 8, 0]);
  some.open();
  // While the first still runs, the others have theirs.
  const areShared = async (): Promise<void> => {
    const seen = await askForPlaces();
    expect(seen.map(({ nextIndex }) => nextIndex > 0)).toEqual([true, true, true]);
    expect(seen[0]).toMatchObject({ done: 24, isOver: 0 });
  };
  await vi.waitFor(areShared, { timeout: 20_000, interval: 20 });
  all.open();
  const isDone = async (): Promise<void> => {
    const seen = await askForPlaces();
    expect(seen.map(({ isOver }) => isOver)).toEqual([1, 1, 1]);
  };
  await vi.waitFor(isDone, { timeout: 30_000, interval: 20 });
  expect(most).toBe(dispatchWindowMax);
  expect(origin.jobs).toHaveLength(90);
  await vi.waitFor(async () =>
    expect(await audited(account)).toMatchObject({ available: 0, held: 0, spent: 70, pendingHolds: 0 }),
  );
  expect(await ledgerOf(account).summary()).toMatchObject({ windows: 0, queuedHolds: 0 });
}, 60_000);

it('a batch that finds no place asks again later each time, at most once a minute, at a time of its own', async () => {
  const origin = fakeOrigin(shop().answer);
  origin.script = () => new Promise(() => {});
  const account = await newAccount(60);
  await created(account, 50);
  const waiting = await created(account, 10);
  const asked = (): Promise<{ tries: number; pause: number }> =>
    runInDurableObject(sagaStub(waiting), (saga, { storage }) => {
      const row = storage.sql
        .exec<{ tries: number; atMs: number }>('select ledgerTries as tries, ledgerDueAtMs as atMs from batch')
        .one();
      return { tries: row.tries, pause: row.atMs - saga.now() };
    });
  const { windowAskMs, windowAskCapMs } = edgeLimits.batch;
  const pauses: number[] = [];
  for (let ask = 0; ask < 7; ask++) {
    const longest = Math.min(windowAskCapMs, windowAskMs * 2 ** ask);
    const answered = async (): Promise<void> => {
      const { tries, pause } = await asked();
      expect(tries).toBe(ask + 1);
      expect(pause).toBeGreaterThan(longest / 2 - 2_000);
      expect(pause).toBeLessThanOrEqual(longest);
      pauses[ask] = pause;
    };
    await vi.waitFor(answered, 5_000);
    await askAgain(waiting);
  }
  expect(new Set(pauses.slice(-3).map((pause) => Math.round(pause / 100))).size).toBeGreaterThan(1);
});
