/** The queue delivers at least once and in any order; the saga lets each image run once. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import type { ImageMessage } from '../../../edge/env.ts';
import entry from '../../../edge/index.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { failing, fakeOrigin } from '../support/origin.ts';
import { audited, bindings, createBatch, newAccount, photo, sagaOf, sagaStub } from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

/**
 * Delivers messages to the Worker's own queue handler, as the platform would; answers what became of each: acknowledged,
 * or sent back for so many seconds.
 */
const deliver = (imageIds: readonly string[], how?: Delivery): Promise<('ack' | number)[]> =>
  deliverBodies(
    imageIds.map((image_id) => ({ image_id })),
    how,
  );
type Delivery = { readonly attempts?: number; readonly queue?: string };
const deliverBodies = async (
  bodies: readonly ImageMessage[],
  { attempts = 1, queue = 'packshot-images' }: Delivery = {},
): Promise<('ack' | number)[]> => {
  const said: ('ack' | number)[] = [];
  const messages = bodies.map((body, i) => ({
    id: `message ${i}`,
    timestamp: new Date(),
    attempts,
    body,
    ack: () => {
      said[i] = 'ack';
    },
    retry: ({ delaySeconds = 0 }: QueueRetryOptions = {}) => {
      said[i] = delaySeconds;
    },
  }));
  const handle = entry.queue as unknown as (
    batch: Pick<MessageBatch<ImageMessage>, 'queue' | 'messages'>,
  ) => Promise<void>;
  await handle({ queue, messages });
  return said;
};

const created = async (account: { apiKey: string }, body: unknown) => {
  const answer = await createBatch(account, body);
  expect(answer.status).toBe(202);
  return (await answer.json()) as { batch_id: string; images: { image_id: string }[] };
};

const ended = async (batchId: string) => {
  const batch = await sagaOf(batchId).snapshot({ waitMs: 20_000 });
  expect(batch?.completedAtMs).not.toBeNull();
  return batch!;
};

it('every message twice and out of order: each image runs once and is charged once', async () => {
  const outside = shop();
  const origin = fakeOrigin(outside.answer);
  const account = await newAccount(20);
  origin.script = (job) => (job.job_id.endsWith('3') ? failing('no_product_found') : 'complete');
  const { batch_id, images } = await created(account, { images: photoUrls(12) });
  const ids = images.map(({ image_id }) => image_id);
  await Promise.all([deliver([...ids].reverse()), deliver([...ids.slice(6), ...ids.slice(0, 6)]), deliver(ids)]);
  const batch = await ended(batch_id);
  await deliver([...ids].reverse(), { attempts: 3 });
  expect(batch.counts).toMatchObject({ total: 12, completed: 11, failed: 1 });
  expect(origin.jobs.map(({ job_id }) => job_id).toSorted()).toEqual(ids.toSorted());
  expect(outside.photoHits.toSorted()).toEqual(ids.map((_, i) => `/${i}.jpg`).toSorted());
  expect(await audited(account)).toMatchObject({ granted: 20, available: 9, held: 0, spent: 11 });
});

/** What the saga has noted of its first image. */
const firstImage = (batchId: string) =>
  runInDurableObject(sagaStub(batchId), (_saga, state) =>
    state.storage.sql
      .exec<{ waits: number; dueAtMs: number; status: string }>(
        'select waits, dueAtMs, status from image where "index" = 0',
      )
      .one(),
  );

it('an origin that is down for long fails nothing: told to wait more often than it may be tried, the image completes', async () => {
  const origin = fakeOrigin(shop().answer);
  origin.script = () => 'vanish';
  const account = await newAccount(1);
  const { batch_id } = await created(account, { images: photoUrls(1) });
  for (let waits = 1; waits <= edgeLimits.batch.attemptsMax + 2; waits++) {
    await vi.waitFor(async () => expect((await firstImage(batch_id)).waits).toBe(waits), 10_000);
    await runInDurableObject(sagaStub(batch_id), (saga) => {
      const now = saga.now();
      saga.now = () => now + edgeLimits.queue.delayMsMax;
    });
    if (waits === edgeLimits.batch.attemptsMax + 2) origin.script = () => 'complete';
    await runDurableObjectAlarm(sagaStub(batch_id));
  }
  expect((await ended(batch_id)).counts).toMatchObject({ completed: 1, failed: 0 });
  expect(await audited(account)).toMatchObject({ available: 0, held: 0, spent: 1 });
}, 60_000);

it("after origin's 503 the saga hands the image over again when it asked, and nothing is charged meanwhile", async () => {
  const origin = fakeOrigin(shop().answer);
  origin.script = () => ({ busy: 17 });
  const account = await newAccount(1);
  const beganAtMs = Date.now();
  const { batch_id, images } = await created(account, { images: photoUrls(1) });
  expect(await deliver(images.map(({ image_id }) => image_id))).toEqual(['ack']);
  await vi.waitFor(async () => expect((await firstImage(batch_id)).waits).toBeGreaterThan(0), 10_000);
  const { status, dueAtMs } = await firstImage(batch_id);
  expect(status).toBe('queued');
  expect(dueAtMs).toBeGreaterThanOrEqual(beganAtMs + 17_000);
  expect(await audited(account)).toMatchObject({ available: 0, held: 1, spent: 0 });
});

it('a dead letter is one failed try of its image; after the last try the image fails and its credit returns', async () => {
  const origin = fakeOrigin(shop().answer);
  origin.script = () => 'vanish';
  const account = await newAccount(1);
  const { batch_id, images } = await created(account, { images: photoUrls(1) });
  const die = () => deliver([images[0]!.image_id], { queue: 'packshot-images-dead' });
  expect(await die()).toEqual(['ack']);
  expect((await sagaOf(batch_id).snapshot())?.images[0]).toMatchObject({ status: 'queued', outcome: null });
  expect(await audited(account)).toMatchObject({ available: 0, held: 1, spent: 0 });
  await runInDurableObject(
    sagaStub(batch_id),
    (_saga, state) => void state.storage.sql.exec('update image set failures = ?', edgeLimits.batch.attemptsMax - 1),
  );
  expect(await die()).toEqual(['ack']);
  const over = await ended(batch_id);
  expect(over.images[0]?.outcome).toMatchObject({ status: 'failed', code: 'processing_failed' });
  expect(await audited(account)).toMatchObject({ available: 1, held: 0, spent: 0 });
});

it('six slow hosts of inputs never take more than two connections of an invocation, whose other images run', async () => {
  const outside = shop();
  let [waiting, most] = [0, 0];
  let answerAll = (): void => {};
  const gate = new Promise<void>((resolve) => (answerAll = resolve));
  const origin = fakeOrigin(async (url, init) => {
    const host = new URL(url).hostname;
    if (!host.startsWith('slow')) return outside.answer(url, init);
    most = Math.max(most, ++waiting);
    await gate;
    waiting--;
    return outside.answer(url, init);
  });
  const account = await newAccount(8);
  // The platform's own delivery is kept away: this one invocation has all eight.
  const send = vi.spyOn(bindings.JOBS, 'sendBatch').mockRejectedValue(new Error('the queue is gone'));
  const slow = Array.from({ length: 6 }, (_, i) => ({ input_url: `https://slow${i}.shop.com/${i}.jpg` }));
  const { batch_id, images } = await created(account, { images: [...slow, ...photoUrls(2)] });
  await vi.waitFor(() => expect(send).toHaveBeenCalled());
  const ids = images.map(({ image_id }) => image_id);
  // An input that is there already needs no host.
  for (const place of ['0006', '0007']) await bindings.BUCKET.put(`inputs/${batch_id}/${place}`, photo());
  const delivered = deliver(ids);
  await vi.waitFor(() => expect(origin.jobs).toHaveLength(2), 10_000);
  expect([waiting, most]).toEqual([2, 2]);
  answerAll();
  expect(await delivered).toEqual(ids.map(() => 'ack'));
  expect(most).toBe(2);
  expect((await ended(batch_id)).counts).toMatchObject({ completed: 8 });
});

it('several images of a batch come in one message, which is done when all are, and sent back where one broke', async () => {
  const origin = fakeOrigin(shop().answer);
  const account = await newAccount(20);
  const send = vi.spyOn(bindings.JOBS, 'sendBatch').mockResolvedValue(undefined as never);
  const { batch_id } = await created(account, { images: photoUrls(20) });
  await vi.waitFor(() => expect(send).toHaveBeenCalled());
  const bodies = [...(send.mock.calls[0]?.[0] ?? [])].map(({ body }) => body);
  const indexes = bodies.map((body) => ('indexes' in body ? body.indexes : []));
  expect(indexes.map(({ length }) => length)).toEqual([8, 8, 4]);
  expect(indexes.flat()).toEqual(Array.from({ length: 20 }, (_, index) => index));
  const record = BatchSaga.prototype.record;
  vi.spyOn(BatchSaga.prototype, 'record').mockImplementationOnce(async () => Promise.reject(new Error('broke')));
  const said = await deliverBodies(bodies);
  expect(said.filter((verdict) => verdict === 'ack')).toHaveLength(2);
  vi.spyOn(BatchSaga.prototype, 'record').mockImplementation(record);
  const broken = bodies[said.findIndex((verdict) => verdict !== 'ack')]!;
  await runInDurableObject(sagaStub(batch_id), (saga) => {
    saga.now = () => Date.now() + edgeLimits.batch.redispatchAfterMs;
  });
  expect(await deliverBodies([broken], { attempts: 2 })).toEqual(['ack']);
  expect((await ended(batch_id)).counts).toMatchObject({ completed: 20 });
  expect(origin.jobs).toHaveLength(21);
  expect(await audited(account)).toMatchObject({ available: 0, held: 0, spent: 20 });
});

it('a message for an unknown batch is acknowledged', async () => {
  fakeOrigin(shop().answer);
  expect(await deliver(['img_01jd0000000000000000000000_0000', 'nonsense'])).toEqual(['ack', 'ack']);
});

it("the 96 images that two accounts' batches have in flight are never more calls at origin than its limit, and slow ones lose none", async () => {
  const origin = fakeOrigin(shop().answer);
  const { concurrencyMax } = edgeLimits.batch;
  let [running, most] = [0, 0];
  origin.script = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 0));
    running--;
    return 'complete' as const;
  };
  const sent: ImageMessage[] = [];
  const toQueue = vi.spyOn(bindings.JOBS, 'sendBatch').mockImplementation(async (messages) => {
    for (const { body } of messages as Iterable<{ body: ImageMessage }>) sent.push(body);
    return {} as never;
  });
  const perBatch = edgeLimits.ledger.dispatchWindowMax;
  const accounts = [await newAccount(perBatch), await newAccount(perBatch)];
  const batches = await Promise.all(accounts.map((account) => created(account, { images: photoUrls(perBatch) })));
  const inFlight = () => sent.flatMap((body) => ('indexes' in body ? body.indexes : [])).length;
  await vi.waitFor(() => expect(inFlight()).toBe(2 * perBatch));
  toQueue.mockRestore();
  expect(await deliverBodies(sent)).toEqual(sent.map(() => 'ack'));
  expect(most).toBe(concurrencyMax);
  expect(origin.jobs).toHaveLength(2 * perBatch);
  for (const { batch_id } of batches)
    expect((await ended(batch_id)).counts).toMatchObject({ completed: perBatch, failed: 0 });
  for (const account of accounts)
    expect(await audited(account)).toMatchObject({ available: 0, held: 0, spent: perBatch });
}, 120_000);
