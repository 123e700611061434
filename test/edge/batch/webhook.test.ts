/** Which webhooks a batch's receiver gets, and when. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import type { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import { batchStatusSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { fakeOrigin } from '../support/origin.ts';
import { accountOf, as, call, createBatch, HERO, newAccount, sagaOf, sagaStub } from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

const url = 'https://hooks.shop.com/packshot';

const endedBatch = async (account: { apiKey: string }, images: readonly { input_url: string }[]): Promise<string> => {
  const answer = await createBatch(account, { images, webhook_url: url });
  expect(answer.status).toBe(202);
  const { batch_id } = (await answer.json()) as { batch_id: string };
  expect((await sagaOf(batch_id).snapshot({ waitMs: 20_000 }))?.completedAtMs).not.toBeNull();
  return batch_id;
};

/** Lets the saga's clock run to its next alarm and fires it. False: it has nothing more to do within a day. */
const nextAlarm = async (batchId: string, sinceMs: number): Promise<boolean> => {
  const dueMs = await runInDurableObject(sagaStub(batchId), async (saga: BatchSaga, state: DurableObjectState) => {
    const alarm = await state.storage.getAlarm();
    if (alarm !== null) saga.now = () => Math.max(alarm, Date.now());
    return alarm;
  });
  if (dueMs === null || dueMs > sinceMs + limits.webhook.windowMs) return false;
  return runDurableObjectAlarm(sagaStub(batchId));
};

it('the receiver is called once when a batch ends, signed, with the body of its status', async () => {
  const outside = shop();
  fakeOrigin(outside.answer);
  const account = await newAccount(5);
  const batchId = await endedBatch(account, [...photoUrls(2), { input_url: 'https://photos.shop.com/missing.jpg' }]);
  await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
  const { headers, body } = outside.hooks[0]!;
  const { secret } = await accountOf(account).webhookSecret();
  const told = batchStatusSchema.parse(new Webhook(secret).verify(body, headers));
  const shown = batchStatusSchema.parse(
    await (await call(`${HERO}/status/${batchId}`, { headers: as(account) })).json(),
  );
  const lasting = ({ request_id: _id, images, ...rest }: typeof told) => ({
    ...rest,
    images: images.map(({ image_id, status }) => ({ image_id, status })),
  });
  expect(lasting(told)).toEqual(lasting(shown));
  expect(told).toMatchObject({
    batch_id: batchId,
    status: 'completed_with_errors',
    progress: { completed: 2, failed: 1 },
    refunded_images: 1,
  });
  while (await nextAlarm(batchId, Date.now()));
  expect(outside.hooks).toHaveLength(1);
});

it('a receiver that fails is tried again, later each time, with the same id, until it accepts', async () => {
  const outside = shop();
  outside.hookStatuses = [500, 503, 404, 200];
  fakeOrigin(outside.answer);
  const batchId = await endedBatch(await newAccount(1), photoUrls(1));
  await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
  const begun = Date.now();
  for (let i = 0; i < 10 && (await nextAlarm(batchId, begun)); i++);
  expect(outside.hooks).toHaveLength(4);
  expect(new Set(outside.hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

it('a receiver that answers 410 is not called again', async () => {
  const outside = shop();
  outside.hookStatuses = [500, 410];
  fakeOrigin(outside.answer);
  const batchId = await endedBatch(await newAccount(1), photoUrls(1));
  await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
  const begun = Date.now();
  for (let i = 0; i < 10 && (await nextAlarm(batchId, begun)); i++);
  expect(outside.hooks).toHaveLength(2);
});

it('a receiver that never accepts is given up after a day and a bounded number of attempts', async () => {
  const outside = shop();
  outside.hookStatuses = [500];
  fakeOrigin(outside.answer);
  const batchId = await endedBatch(await newAccount(1), photoUrls(1));
  await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
  const begun = Date.now();
  for (let i = 0; i < 50 && (await nextAlarm(batchId, begun)); i++);
  expect(outside.hooks.length).toBeGreaterThan(5);
  expect(outside.hooks.length).toBeLessThanOrEqual(limits.webhook.attemptsMax);
});
