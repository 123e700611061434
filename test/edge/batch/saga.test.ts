import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Account } from '../../../edge/account/account.ts';
import type { OpenBatch } from '../../../edge/batch/port.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { resolveOptions } from '../../../shared/options.ts';
import { completed, type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  accountStub,
  audited,
  bindings,
  ledgerOf,
  newAccount,
  photo,
  sagaOf,
  sagaStub,
  type TestAccount,
} from '../support/service.ts';

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));

let origin: FakeOrigin;
let account: TestAccount;
let batchId: string;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(10);
  batchId = newId('batch', Date.now(), random);
});
afterEach(() => vi.restoreAllMocks());

const resolved = resolveOptions({});
if (!resolved.ok) throw new Error('defaults do not resolve');
const outcome = completed({ options: resolved.value });
const broken = { status: 'failed', code: 'unreadable_image', detail: 'broken', retryable: false } as const;

const request = (style: 'upload' | 'batch', images: number): OpenBatch => ({
  batchId,
  accountId: account.accountId,
  keyId: account.keyId,
  requestId: 'req_1',
  fingerprint: 'f',
  mode: 'live',
  options: resolved.value,
  webhookUrl: null,
  style,
  deadlineAtMs: Date.now() + limits.upload.waitMsMax,
  images: Array.from({ length: images }, (_, i) => ({
    originalName: `${i}.jpg`,
    filename: `${i}.jpg`,
    inputUrl: null,
  })),
});

/** Moves the saga's clock and fires its alarm, as a restart does. */
const wakeAfter = async (ms: number): Promise<void> => {
  await runInDurableObject(sagaStub(batchId), (saga) => {
    const now = saga.now();
    saga.now = () => now + ms;
  });
  await runDurableObjectAlarm(sagaStub(batchId));
};

/** The ledger's next call fails: after it took effect, or before. */
const ledgerFails = (method: 'hold' | 'settle', acts: boolean): void => {
  const real = Account.prototype[method] as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(Account.prototype, method).mockImplementationOnce(async function (this: Account, ...args: unknown[]) {
    if (acts) await real.apply(this, args);
    throw new Error('the answer is lost');
  } as never);
};

describe('a saga that lost an answer', () => {
  it.each([true, false])('asks for its hold again, and holds once (the ledger had acted: %s)', async (acts) => {
    ledgerFails('hold', acts);
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'ledger_silent' });
    expect(await sagaOf(batchId).snapshot()).toBeUndefined();
    await wakeAfter(edgeLimits.batch.redriveAfterMs);
    expect((await sagaOf(batchId).snapshot())?.credits).toEqual({ held: 3, posted: 0, voided: 0 });
    expect(await audited(account)).toMatchObject({ available: 7, held: 3 });
  });

  it.each([true, false])('settles an outcome again, and charges once (the ledger had acted: %s)', async (acts) => {
    await sagaOf(batchId).open(request('upload', 1));
    await sagaOf(batchId).start(0);
    ledgerFails('settle', acts);
    expect(await sagaOf(batchId).record(0, outcome)).toMatchObject({ result: 'recorded', ended: { available: null } });
    expect((await sagaOf(batchId).snapshot())?.status).toBe('completed');
    await wakeAfter(edgeLimits.batch.redriveAfterMs);
    expect(await audited(account)).toMatchObject({ available: 9, held: 0, spent: 1, pendingHolds: 0 });
  });
});

describe('a batch opened again', () => {
  it.each([true, false])('after a silent ledger asks it at once, and holds once (it had acted: %s)', async (acts) => {
    ledgerFails('hold', acts);
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'ledger_silent' });
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'opened', available: 7 });
    expect(await audited(account)).toMatchObject({ available: 7, held: 3 });
  });

  it('after a refusal is refused again, with the balance as it is by then', async () => {
    const refused = { result: 'refused', required: 11 };
    expect(await sagaOf(batchId).open(request('upload', 11))).toEqual({ ...refused, available: 10 });
    await ledgerOf(account).hold({ batchId: newId('batch', Date.now(), random), images: 4 });
    expect(await sagaOf(batchId).open(request('upload', 11))).toEqual({ ...refused, available: 6 });
    expect(await audited(account)).toMatchObject({ available: 6, held: 4 });
  });

  it('after it was given up is refused, and holds nothing', async () => {
    ledgerFails('hold', false);
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'ledger_silent' });
    expect(await sagaOf(batchId).giveUp(batchId)).toBe('dropped');
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'given_up' });
    expect(await audited(account)).toMatchObject({ available: 10, held: 0 });
  });

  it('after it was given up before it was ever opened holds nothing and is not known', async () => {
    expect(await sagaOf(batchId).giveUp(batchId)).toBe('dropped');
    expect(await sagaOf(batchId).giveUp(batchId)).toBe('dropped');
    expect(await sagaOf(batchId).open(request('batch', 3))).toEqual({ result: 'given_up' });
    expect(await sagaOf(batchId).snapshot({ evenAsking: true })).toBeUndefined();
    expect(await sagaOf(batchId).start(0)).not.toMatchObject({ result: 'run' });
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, entries: 1 });
    await wakeAfter(edgeLimits.batch.refusedKeptMs);
    expect(await runInDurableObject(sagaStub(batchId), (_saga, state) => state.storage.sql.databaseSize)).toBeLessThan(
      10_000,
    );
  });

  it('for another request changes nothing', async () => {
    expect(await sagaOf(batchId).open(request('upload', 3))).toEqual({ result: 'opened', available: 7 });
    expect(await sagaOf(batchId).open({ ...request('upload', 5), fingerprint: 'g' })).toEqual({
      result: 'fingerprint_mismatch',
    });
    expect((await sagaOf(batchId).snapshot())?.images).toHaveLength(3);
    expect(await audited(account)).toMatchObject({ available: 7, held: 3 });
  });
});

describe('a saga whose request died', () => {
  it('before any image was run returns every credit at the deadline', async () => {
    await sagaOf(batchId).open(request('upload', 3));
    await evictDurableObject(sagaStub(batchId));
    await wakeAfter(limits.upload.waitMsMax);
    const batch = await sagaOf(batchId).snapshot();
    expect(batch?.status).toBe('failed');
    expect(batch?.images.map((image) => image.outcome)).toEqual(
      Array(3).fill(expect.objectContaining({ code: 'deadline_exceeded' })),
    );
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, spent: 0 });
  });

  it('between two images keeps the first one charged and returns the other', async () => {
    await sagaOf(batchId).open(request('upload', 2));
    await sagaOf(batchId).start(0);
    await sagaOf(batchId).record(0, outcome);
    await sagaOf(batchId).start(1);
    await evictDurableObject(sagaStub(batchId));
    await wakeAfter(limits.upload.waitMsMax);
    expect((await sagaOf(batchId).snapshot())?.status).toBe('completed_with_errors');
    expect(await audited(account)).toMatchObject({ available: 9, held: 0, spent: 1 });
  });

  it('takes no outcome for an image that the deadline has decided', async () => {
    await sagaOf(batchId).open(request('upload', 1));
    await sagaOf(batchId).start(0);
    await wakeAfter(limits.upload.waitMsMax);
    expect(await sagaOf(batchId).record(0, outcome)).toMatchObject({
      result: 'already_decided',
      outcome: { code: 'deadline_exceeded' },
    });
    expect(await audited(account)).toMatchObject({ available: 10, spent: 0 });
  });
});

describe('a saga whose queue lost its messages', () => {
  it('hands its images over again, and each runs and is charged once', async () => {
    for (const index of [0, 1]) await bindings.BUCKET.put(`inputs/${batchId}/000${index}`, photo());
    const send = vi.spyOn(bindings.JOBS, 'sendBatch').mockRejectedValue(new Error('the queue is gone'));
    await sagaOf(batchId).open({ ...request('batch', 2), deadlineAtMs: Date.now() + limits.batch.deadlineMs });
    await vi.waitFor(() => expect(send).toHaveBeenCalled());
    send.mockRestore();
    expect(origin.jobs).toEqual([]);
    await evictDurableObject(sagaStub(batchId));
    await wakeAfter(edgeLimits.batch.redispatchAfterMs);
    const batch = await sagaOf(batchId).snapshot({ waitMs: 10_000 });
    expect(batch).toMatchObject({ status: 'completed', counts: { completed: 2 } });
    expect(origin.jobs).toHaveLength(2);
    expect(await audited(account)).toMatchObject({ spent: 2, held: 0 });
  });
});

describe('an outcome', () => {
  it('is decided once: a second, different one is answered with the first', async () => {
    await sagaOf(batchId).open(request('upload', 1));
    await sagaOf(batchId).start(0);
    await sagaOf(batchId).record(0, broken);
    expect(await sagaOf(batchId).record(0, outcome)).toEqual({ result: 'already_decided', outcome: broken });
    expect(await audited(account)).toMatchObject({ available: 10, spent: 0 });
  });

  it('of an unknown image or batch is refused', async () => {
    expect(await sagaOf(batchId).record(0, outcome)).toEqual({ result: 'unknown_batch' });
    await sagaOf(batchId).open(request('upload', 1));
    expect(await sagaOf(batchId).record(1, outcome)).toEqual({ result: 'unknown_image' });
  });

  it('is not taken for a batch whose credits were refused, nor can such a batch be seen', async () => {
    expect(await sagaOf(batchId).open(request('upload', 11))).toMatchObject({
      result: 'refused',
      available: 10,
      required: 11,
    });
    expect(await sagaOf(batchId).start(0)).toEqual({ result: 'not_open' });
    expect(await sagaOf(batchId).record(0, outcome)).toEqual({ result: 'not_open' });
    expect(await sagaOf(batchId).snapshot()).toBeUndefined();
  });
});

describe('an image', () => {
  it('is run by one at a time, and by another once the first has been silent for too long', async () => {
    await sagaOf(batchId).open({ ...request('upload', 1), deadlineAtMs: Date.now() + limits.batch.deadlineMs });
    expect((await sagaOf(batchId).start(0)).result).toBe('run');
    expect((await sagaOf(batchId).start(0)).result).toBe('busy');
    await wakeAfter(edgeLimits.batch.redispatchAfterMs);
    expect((await sagaOf(batchId).start(0)).result).toBe('run');
  });
});

describe('a hold left open for long', () => {
  const ledgerWakes = async (): Promise<void> => {
    await runInDurableObject(accountStub(account.accountId), async (ledger) => {
      ledger.now = () => Date.now() + edgeLimits.ledger.holdCheckAfterMs;
      await ledger.alarm();
    });
  };

  it('is asked about: the saga that knows the batch keeps its credits held', async () => {
    await sagaOf(batchId).open({ ...request('upload', 2), deadlineAtMs: Date.now() + limits.batch.deadlineMs });
    await ledgerWakes();
    expect(await audited(account)).toMatchObject({ held: 2, pendingHolds: 1 });
    await sagaOf(batchId).start(0);
    await sagaOf(batchId).record(0, outcome);
    await wakeAfter(edgeLimits.batch.settleAfterMs);
    expect(await audited(account)).toMatchObject({ held: 1, spent: 1 });
  });

  it('is released only when its saga does not know the batch', async () => {
    await ledgerOf(account).hold({ batchId, images: 4 });
    expect(await audited(account)).toMatchObject({ available: 6, held: 4 });
    await ledgerWakes();
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, pendingHolds: 0 });
    expect(await ledgerOf(account).resolve(batchId, [{ index: 0, as: 'posted' }])).toEqual([
      { result: 'already_released' },
    ]);
  });
});

describe('a batch past its life', () => {
  it('is deleted entirely', async () => {
    await sagaOf(batchId).open(request('upload', 1));
    await sagaOf(batchId).start(0);
    await sagaOf(batchId).record(0, outcome);
    const unsettled = () =>
      runInDurableObject(
        sagaStub(batchId),
        (_saga, state) => state.storage.sql.exec('select unsettled from batch').one()['unsettled'],
      );
    await vi.waitFor(async () => expect(await unsettled()).toBe(0));
    await wakeAfter(edgeLimits.batch.keptMs);
    expect(await sagaOf(batchId).snapshot()).toBeUndefined();
    expect(await runInDurableObject(sagaStub(batchId), (_saga, state) => state.storage.sql.databaseSize)).toBeLessThan(
      10_000,
    );
  });
});

describe('the alarm of a saga', () => {
  const alarmAt = (): Promise<number | null> =>
    runInDurableObject(sagaStub(batchId), (_saga, state) => state.storage.getAlarm());
  /** As after six failed tries: the platform drops it, and the object is put away. */
  const dropped = async (): Promise<void> => {
    await runInDurableObject(sagaStub(batchId), (_saga, state) => state.storage.deleteAlarm());
    await evictDurableObject(sagaStub(batchId));
  };

  it.each(['live', 'test'] as const)(
    'that was dropped is set again when its %s batch is next asked for',
    async (mode) => {
      await sagaOf(batchId).open({ ...request('upload', 2), mode });
      await dropped();
      await sagaOf(batchId).snapshot();
      await vi.waitFor(async () => expect(await alarmAt()).not.toBeNull());
      await wakeAfter(limits.upload.waitMsMax);
      expect((await sagaOf(batchId).snapshot())?.status).toBe('failed');
      expect(await audited(account)).toMatchObject({ available: 10, held: 0 });
    },
  );

  it('that was dropped in a living object is set again by any call', async () => {
    await sagaOf(batchId).open(request('upload', 1));
    await runInDurableObject(sagaStub(batchId), (_saga, state) => state.storage.deleteAlarm());
    await sagaOf(batchId).start(0);
    await vi.waitFor(async () => expect(await alarmAt()).not.toBeNull());
  });

  it('never throws, and comes again after a full disk', async () => {
    await sagaOf(batchId).open(request('upload', 1));
    await runInDurableObject(sagaStub(batchId), async (saga, state) => {
      const fails = vi.spyOn(state.storage, 'transactionSync').mockImplementation(() => {
        throw new Error('database or disk is full: SQLITE_FULL');
      });
      await saga.alarm();
      fails.mockRestore();
    });
    expect(await alarmAt()).not.toBeNull();
    await wakeAfter(limits.upload.waitMsMax);
    expect((await sagaOf(batchId).snapshot())?.status).toBe('failed');
    expect(await audited(account)).toMatchObject({ available: 10, held: 0 });
  });
});
