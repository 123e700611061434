/** One account's large batch must not delay another account's small one. */

import { afterEach, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { fakeOrigin } from '../support/origin.ts';
import { audited, createBatch, newAccount, sagaOf } from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

it("a batch of 4 that comes after another account's 120 is done long before them", async () => {
  const origin = fakeOrigin(shop().answer);
  const [large, small] = [await newAccount(120), await newAccount(4)];
  const batchOf = async (account: typeof large, images: number): Promise<string> => {
    const answer = await createBatch(account, { images: photoUrls(images) });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { batch_id: string }).batch_id;
  };
  const first = await batchOf(large, 120);
  const second = await batchOf(small, 4);
  for (const batchId of [first, second])
    expect((await sagaOf(batchId).snapshot({ waitMs: 25_000 }))?.completedAtMs).not.toBeNull();
  const ofLargeBefore = origin.jobs.findLastIndex(({ account_id }) => account_id === small.accountId) - 3;
  // The dispatch window of one batch bounds the wait of every other, however large it is; one more window may have
  // begun meanwhile.
  expect(ofLargeBefore).toBeLessThanOrEqual(2 * edgeLimits.ledger.dispatchWindowMax);
  expect(origin.jobs).toHaveLength(124);
  expect(await audited(large)).toMatchObject({ available: 0, held: 0, spent: 120 });
  expect(await audited(small)).toMatchObject({ available: 0, held: 0, spent: 4 });
});
