import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, failing, fakeOrigin, withoutWaiting } from '../support/origin.ts';
import {
  accountStub,
  entriesOf,
  files,
  newAccount,
  photo,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(500);
});
afterEach(() => vi.restoreAllMocks());

/** Fires the account's alarm as if `ms` had passed, until nothing is due. */
const wakeAfter = (ms: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), async (ledger) => {
    ledger.now = () => Date.now() + ms;
    for (let i = 0; i < 5; i++) await ledger.alarm();
  });
const mine = () =>
  origin.exports.flatMap((sent) => sent.entries).filter((entry) => entry.account_id === account.accountId);

const endedBatches = () =>
  origin.exports.flatMap((sent) => sent.batches).filter((batch) => batch.account_id === account.accountId);

it('every ledger entry reaches origin in its order, with the summary of each batch that ended', async () => {
  origin.script = (job) => (job.job_id.endsWith('_0001') ? failing('unreadable_image') : 'complete');
  await upload(account, uploadForm([...files(1), { name: 'bad.jpg', bytes: photo() }]));
  await wakeAfter(edgeLimits.ledger.outboxDelayMs);
  expect(mine().map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
  expect(
    mine()
      .map((entry) => entry.kind)
      .slice(0, 2),
  ).toEqual(['grant', 'hold']);
  expect(
    mine()
      .map((entry) => entry.kind)
      .slice(2)
      .sort(),
  ).toEqual(['post', 'void']);
  expect(endedBatches()).toMatchObject([{ status: 'completed_with_errors', images: 2, completed: 1, failed: 1 }]);
});

it('a batch says how many of its images failed without their outcome having been heard', async () => {
  withoutWaiting();
  origin.script = (job) => {
    if (job.job_id.endsWith('_0000')) return 'complete';
    return job.job_id.endsWith('_0001') ? failing('unreadable_image') : 'vanish';
  };
  await upload(account, uploadForm(files(3)));
  await wakeAfter(edgeLimits.ledger.outboxDelayMs);
  expect(endedBatches()).toMatchObject([{ images: 3, completed: 1, failed: 2, unheard: 1 }]);
});

it('what origin did not store is sent again later, and what it stored is not', async () => {
  origin.takesExport = false;
  await upload(account, uploadForm(files(1)));
  await wakeAfter(edgeLimits.ledger.outboxDelayMs);
  expect(mine()).toEqual([]);
  origin.takesExport = true;
  await wakeAfter(edgeLimits.ledger.outboxDelayMs + limits.ledger.outboxRetryMs);
  expect(mine().map((entry) => entry.seq)).toEqual([1, 2, 3]);
  await wakeAfter(2 * limits.ledger.outboxRetryMs);
  expect(mine()).toHaveLength(3);
});

it('a long backlog is exported in calls of bounded size, without a gap', async () => {
  origin.takesExport = false;
  await runInDurableObject(accountStub(account.accountId), async (ledger) => {
    await ledger.hold({ batchId: 'bat_01jd0000000000000000000001', images: 450 });
    for (let index = 0; index < 450; index++)
      await ledger.resolve('bat_01jd0000000000000000000001', [{ index, as: 'posted' }]);
  });
  origin.takesExport = true;
  await wakeAfter(limits.ledger.outboxRetryMs);
  expect(mine().map((entry) => entry.seq)).toEqual((await entriesOf(account)).map((entry) => entry.sequence));
  expect(Math.max(...origin.exports.map((sent) => sent.entries.length))).toBe(limits.ledger.outboxBatchMax);
});

it('the ledger keeps its entries: no statement changes or deletes one', async () => {
  await runInDurableObject(accountStub(account.accountId), (_ledger, state) => {
    expect(() => state.storage.sql.exec('update entry set credits = 0')).toThrow(/append-only/);
    expect(() => state.storage.sql.exec('delete from entry')).toThrow(/append-only/);
  });
});
