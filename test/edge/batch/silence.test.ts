/**
 * Calls between our own objects that fail: before they take effect, or after it, when only the answer is lost. What a
 * caller was answered stays true.
 */

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { Account } from '../../../edge/account/account.ts';
import { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { fakeOrigin } from '../support/origin.ts';
import { audited, createBatch, newAccount, problemOf, sagaOf, sagaStub } from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

/** The saga's next alarms, as if they came now. */
const fireAlarms = async (batchId: string): Promise<void> => {
  await runInDurableObject(sagaStub(batchId), (saga: BatchSaga) => {
    saga.now = () => Date.now() + edgeLimits.batch.redriveAfterMs;
  });
  for (let i = 0; i < 3; i++) await runDurableObjectAlarm(sagaStub(batchId));
};

const holds = Account.prototype.hold;
it.each([
  ['does not act', async () => Promise.reject(new Error('the ledger is away'))],
  [
    'acts, but its answer is lost,',
    async function (this: Account, request: Parameters<typeof holds>[0]) {
      await holds.call(this, request);
      throw new Error('the answer is lost');
    },
  ],
] as const)('a batch whose ledger %s is answered 503, never runs and costs nothing', async (_how, silent) => {
  const origin = fakeOrigin(shop().answer);
  const account = await newAccount(5);
  vi.spyOn(Account.prototype, 'hold').mockImplementationOnce(silent as typeof holds);
  const opened = vi.spyOn(BatchSaga.prototype, 'open');
  expect(await problemOf(await createBatch(account, { images: photoUrls(3) }))).toMatchObject({
    status: 503,
    code: 'not_ready',
  });
  await fireAlarms(opened.mock.calls[0]![0].batchId);
  await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0 }));
  expect(origin.jobs).toEqual([]);
});

it.each([false, true])('a hold whose return is lost is returned again (the ledger had acted: %s)', async (acts) => {
  fakeOrigin(shop().answer);
  const account = await newAccount(5);
  vi.spyOn(Account.prototype, 'hold').mockImplementationOnce(async function (this: Account, request) {
    await holds.call(this, request);
    throw new Error('the answer is lost');
  });
  const opened = vi.spyOn(BatchSaga.prototype, 'open');
  const release = Account.prototype.release;
  let releases = 0;
  vi.spyOn(Account.prototype, 'release').mockImplementation(async function (this: Account, batchId) {
    const isLost = batchId === opened.mock.calls[0]?.[0].batchId && ++releases <= 2;
    const reply = isLost && !acts ? undefined : await release.call(this, batchId);
    if (isLost || !reply) throw new Error('the answer is lost');
    return reply;
  });
  expect((await createBatch(account, { images: photoUrls(3) })).status).toBe(503);
  const { batchId } = opened.mock.calls[0]![0];
  await vi.waitFor(() => expect(releases).toBe(1));
  for (const afterMs of [1, 3].map((times) => times * edgeLimits.batch.redriveAfterMs)) {
    await runInDurableObject(sagaStub(batchId), (saga: BatchSaga) => {
      saga.now = () => Date.now() + afterMs;
    });
    await runDurableObjectAlarm(sagaStub(batchId));
  }
  expect(releases).toBe(3);
  expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0, pendingHolds: 0 });
  const owed = () =>
    runInDurableObject(sagaStub(batchId), (_saga, { storage }) =>
      storage.sql.exec('select ledgerDueAtMs, ledgerTries from batch').one(),
    );
  await vi.waitFor(async () => expect(await owed()).toEqual({ ledgerDueAtMs: null, ledgerTries: 0 }));
});

/** The next batch is opened, but neither that nor whether it was given up is heard by its caller. */
const loseNextOpenAnswer = (): void => {
  const giveUp = BatchSaga.prototype.giveUp;
  vi.spyOn(BatchSaga.prototype, 'giveUp').mockImplementationOnce(async function (this: BatchSaga, batchId) {
    await giveUp.call(this, batchId);
    throw new Error('the answer is lost');
  });
  const open = BatchSaga.prototype.open;
  vi.spyOn(BatchSaga.prototype, 'open').mockImplementationOnce(async function (this: BatchSaga, request) {
    await open.call(this, request);
    throw new Error('the answer is lost');
  });
};

it('a retry with the same key after an answer that was lost goes on with the first batch and is charged once', async () => {
  fakeOrigin(shop().answer);
  const account = await newAccount(10);
  loseNextOpenAnswer();
  const send = () => createBatch(account, { images: photoUrls(3) }, { 'idempotency-key': 'order-9' });
  expect(await problemOf(await send())).toMatchObject({ status: 503, code: 'outcome_unknown', retryable: true });
  const answer = await send();
  expect(answer.status).toBe(202);
  const { batch_id } = (await answer.json()) as { batch_id: string };
  expect((await sagaOf(batch_id).snapshot({ waitMs: 20_000 }))?.counts.completed).toBe(3);
  expect(await audited(account)).toMatchObject({ available: 7, held: 0, spent: 3 });
});

it('a wrong body under a key whose first request died does not set that request free to be charged again', async () => {
  fakeOrigin(shop().answer);
  const account = await newAccount(10);
  loseNextOpenAnswer();
  const send = (images: number) =>
    createBatch(account, { images: photoUrls(images) }, { 'idempotency-key': 'order-10' });
  expect(await problemOf(await send(2))).toMatchObject({ status: 503, code: 'outcome_unknown', retryable: true });
  expect((await problemOf(await send(3))).code).toBe('idempotency_mismatch');
  const answer = await send(2);
  expect(answer.status).toBe(202);
  expect(
    (await sagaOf(((await answer.json()) as { batch_id: string }).batch_id).snapshot({ waitMs: 20_000 }))?.counts
      .completed,
  ).toBe(2);
  expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2 });
});
