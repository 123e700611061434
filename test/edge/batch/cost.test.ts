/** What an image costs at the platform, counted over all objects: calls, rows, messages, object operations. */

import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Costs, counting, type Meter } from '../support/costs.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  audited,
  createBatch,
  files,
  historyOf,
  newAccount,
  sagaOf,
  sagaStub,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

const say = (what: string, images: number, { calls, ...costs }: Costs): void => {
  const each = Object.entries(costs).map(([name, count]) => `${name} ${(count / images).toFixed(2)}`);
  console.log(`${what}, for each of ${images} images: ${each.join(', ')}; calls ${JSON.stringify(calls)}`);
};

/** The account's first request makes its history's tables, and its key's first use is noted. */
const afterTheFirst = async (account: TestAccount): Promise<Meter> => {
  const headers = { 'idempotency-key': 'first' };
  const answer = await upload(account, uploadForm(files(1)), headers);
  const { batch_id } = (await answer.json()) as { batch_id: string };
  const isSettled = () =>
    runInDurableObject(sagaStub(batch_id), (_saga, { storage }) =>
      storage.sql.exec<{ unsettled: number }>('select unsettled from batch').one(),
    );
  await vi.waitFor(async () => expect((await isSettled()).unsettled).toBe(0));
  await vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(1));
  return counting(account.accountId);
};

describe('the cost of an image at the platform', () => {
  it.each([
    ['without a key', {}, { account: 3, history: 1, rows: 17 }],
    ['with an Idempotency-Key', { 'idempotency-key': 'cost' }, { account: 3, history: 4, rows: 23 }],
  ])('of an upload %s is bounded', async (name, headers, bounds) => {
    fakeOrigin();
    const account = await newAccount(10);
    const meter = await afterTheFirst(account);
    expect((await upload(account, uploadForm(files(1)), headers)).status).toBe(200);
    await vi.waitFor(async () => expect(meter.costs().calls['logRequest']).toBe(1));
    const costs = meter.costs();
    say(`upload ${name}`, 1, costs);
    expect(costs.account).toBeLessThanOrEqual(bounds.account);
    expect(costs.history).toBeLessThanOrEqual(bounds.history);
    expect(costs.saga).toBeLessThanOrEqual(2);
    expect(costs.rowsWritten).toBeLessThanOrEqual(bounds.rows);
    expect(costs.messages).toBe(0);
    expect(costs.writesOfObjects).toBeLessThanOrEqual(3);
    expect(costs.readsOfObjects).toBeLessThanOrEqual(3);
  });

  it('of a batch of 100 is bounded', async () => {
    fakeOrigin(shop().answer);
    const account = await newAccount(101);
    const meter = await afterTheFirst(account);
    const answer = await createBatch(account, { images: photoUrls(100) });
    const { batch_id } = (await answer.json()) as { batch_id: string };
    expect((await sagaOf(batch_id).snapshot({ waitMs: 25_000 }))?.completedAtMs).not.toBeNull();
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ held: 0, spent: 101 }));
    const costs = meter.costs();
    say('batch', 100, costs);
    // The test itself asks the account three times.
    expect(costs.account).toBeLessThanOrEqual(20);
    expect(costs.rowsWritten).toBeLessThanOrEqual(700);
    expect(costs.messages).toBeLessThanOrEqual(25);
  });
});
