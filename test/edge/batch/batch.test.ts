import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import entry from '../../../edge/index.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { type BatchStatusResponse, batchCreatedSchema, batchStatusSchema } from '../../../shared/api.ts';
import { imageId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  as,
  audited,
  call,
  createBatch,
  entriesOf,
  newAccount,
  newKey,
  photo,
  problemOf,
  sagaOf,
  sagaStub,
  storedKeys,
  type TestAccount,
} from '../support/service.ts';

/** The shop's server and the resolver that knows it. */
const shop = async (url: string): Promise<Response> => {
  if (url.includes('dns-query'))
    return Response.json({ Status: 0, Answer: url.includes('type=AAAA') ? [] : [{ type: 1, data: '93.184.216.34' }] });
  if (url.includes('missing')) return new Response('no', { status: 404 });
  return new Response(photo(), { headers: { 'content-type': 'image/jpeg' } });
};

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin(shop);
  account = await newAccount(100);
});
afterEach(() => vi.restoreAllMocks());

const urls = (...names: string[]) => ({
  images: names.map((name) => ({ input_url: `https://shop.example.org/${name}` })),
});
const created = async (response: Response) => {
  expect(response.status).toBe(202);
  return batchCreatedSchema.parse(await response.json());
};
const status = async (batchId: string, wait = 20, key: { apiKey: string } = account): Promise<BatchStatusResponse> => {
  const response = await call(`/api/v1/service-hero/status/${batchId}?wait=${wait}`, { headers: as(key) });
  expect(response.status).toBe(200);
  return batchStatusSchema.parse(await response.json());
};

describe('a batch', () => {
  it('is accepted at once with the specified fields and the address of its status', async () => {
    const response = await createBatch(account, urls('a.jpg', 'b.jpg'));
    expect(response.headers.get('location')).toMatch(/^\/api\/v1\/service-hero\/status\/bat_/);
    expect(response.headers.get('x-credits-charged')).toBe('2');
    const answer = await created(response);
    expect(answer).toMatchObject({
      success: true,
      status: 'queued',
      charged_images: 2,
      remaining_api_credits_usd: '$24.50',
    });
    expect(answer.images).toEqual(
      [0, 1].map((index) => ({ image_id: imageId(answer.batch_id, index), status: 'queued' })),
    );
  });

  it('runs by itself; its status shows its progress, names and links', async () => {
    const { batch_id } = await created(
      await createBatch(account, { ...urls('red%20shoe.png?w=2', 'missing.jpg'), options: { format: 'webp' } }),
    );
    const done = await status(batch_id);
    expect(done).toMatchObject({
      status: 'completed_with_errors',
      progress: { total: 2, queued: 0, processing: 0, completed: 1, failed: 1 },
    });
    expect(done).toMatchObject({
      success: true,
      charged_images: 1,
      refunded_images: 1,
      remaining_api_credits_usd: '$24.75',
    });
    const [good, bad] = done.images;
    expect(good).toMatchObject({ status: 'completed', filename: 'red-shoe.webp', format: 'WEBP' });
    expect(bad).toMatchObject({ status: 'failed', error: { code: 'url_status' } });
    expect(bad).not.toHaveProperty('clean_download_url');
    if (good?.status !== 'completed') throw new Error('not completed');
    for (const url of [good.clean_download_url, good.preview_url]) expect((await call(url ?? '')).status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 99, held: 0, spent: 1 });
    expect(origin.jobs.filter((job) => job.account_id === account.accountId).map((job) => job.priority)).toEqual([
      'batch',
    ]);
  });

  it('of a single input_url is a batch of one image', async () => {
    const { batch_id } = await created(
      await createBatch(account, { input_url: 'https://shop.example.org/a.jpg', filename: 'mine.jpg' }),
    );
    expect((await status(batch_id)).images[0]).toMatchObject({ status: 'completed', filename: 'mine.jpg' });
  });

  it('fetches an input once, however often its image is tried', async () => {
    origin.script = (_job, _node, attempt) => (attempt === 1 ? { busy: 1 } : 'complete');
    const { batch_id } = await created(await createBatch(account, urls('a.jpg')));
    expect(await status(batch_id)).toMatchObject({ status: 'completed' });
    expect(origin.jobs).toHaveLength(2);
    const fetches = vi.mocked(globalThis.fetch).mock.calls.filter(([url]) => String(url).endsWith('/a.jpg'));
    expect(fetches).toHaveLength(1);
  });

  it('with a test key is free and marked', async () => {
    const key = await newKey(account, 'test');
    const { batch_id, charged_images } = await created(await createBatch(key, urls('a.jpg')));
    expect(charged_images).toBe(0);
    expect(await status(batch_id, 20, key)).toMatchObject({
      status: 'completed',
      charged_images: 0,
      refunded_images: 0,
    });
    expect(origin.jobs[0]?.watermark).toBe(true);
    expect(await audited(account)).toMatchObject({ available: 100 });
  });

  it('in which every image fails has failed, and costs nothing', async () => {
    origin.script = () => failing('no_product_found');
    const { batch_id } = await created(await createBatch(account, urls('a.jpg', 'b.jpg')));
    expect(await status(batch_id)).toMatchObject({
      success: false,
      status: 'failed',
      charged_images: 0,
      refunded_images: 2,
      remaining_api_credits_usd: '$25.00',
    });
    expect(await audited(account)).toMatchObject({ available: 100, spent: 0, held: 0 });
  });

  it('is waited for no longer than asked, and says when to come back', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    origin.script = () => gate.then(() => 'complete' as const);
    const { batch_id } = await created(await createBatch(account, urls('a.jpg')));
    const path = `/api/v1/service-hero/status/${batch_id}`;
    const response = await call(`${path}?wait=1`, { headers: as(account) });
    expect(await response.json()).toMatchObject({ completed_at: null });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    expect((await status(batch_id)).completed_at).not.toBeNull();
    expect(await problemOf(await call(`${path}?wait=26`, { headers: as(account) }))).toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('a queue message', () => {
  const deliver = async (queue: string, ids: readonly string[]) => {
    const batch = createMessageBatch(
      queue,
      ids.map((image_id, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body: { image_id } })),
    );
    const ctx = createExecutionContext();
    await entry.queue(batch);
    return getQueueResult(batch, ctx);
  };

  it('delivered twice, before and after, and in any order, changes neither outcome nor charge', async () => {
    const { batch_id, images } = await created(await createBatch(account, urls('a.jpg', 'b.jpg', 'c.jpg')));
    const ids = images.map((image) => image.image_id);
    await deliver('packshot-images', [...ids].reverse());
    await status(batch_id);
    const result = await deliver('packshot-images', [...ids, ...ids]);
    expect(result.explicitAcks).toHaveLength(6);
    expect(result.retryMessages).toEqual([]);
    expect(await status(batch_id)).toMatchObject({ status: 'completed', progress: { completed: 3 } });
    expect(new Set(origin.jobs.map((job) => job.job_id)).size).toBe(origin.jobs.length);
    expect(await audited(account)).toMatchObject({ spent: 3, held: 0 });
    const posts = (await entriesOf(account)).filter((entry) => entry.kind === 'post');
    expect(posts.reduce((sum, { credits }) => sum + credits, 0)).toBe(3);
  });

  it('for a busy origin is acknowledged, and the image handed over again after its Retry-After', async () => {
    const { batch_id } = await created(await createBatch(account, urls('a.jpg')));
    await status(batch_id);
    origin.script = () => ({ busy: 7 });
    const other = await created(await createBatch(account, urls('b.jpg')));
    const seen = vi.waitFor(() =>
      expect(origin.jobs.some((job) => job.job_id === other.images[0]?.image_id)).toBe(true),
    );
    await seen;
    await vi.waitFor(async () => expect((await sagaOf(other.batch_id).snapshot())?.counts.queued).toBe(1));
    const beganAtMs = Date.now();
    const result = await deliver('packshot-images', [other.images[0]?.image_id ?? '']);
    expect(result.retryMessages).toEqual([]);
    expect(result.explicitAcks).toHaveLength(1);
    const dueAtMs = await runInDurableObject(
      sagaStub(other.batch_id),
      (_saga, state) => state.storage.sql.exec<{ dueAtMs: number }>('select dueAtMs from image').one().dueAtMs,
    );
    expect(dueAtMs).toBeGreaterThanOrEqual(beganAtMs + 7_000);
    expect(await audited(account)).toMatchObject({ spent: 1, held: 1 });
  });

  it('in the dead letter queue leaves its image to a later try and the credit held', async () => {
    origin.script = () => ({ busy: 300 });
    const { batch_id, images } = await created(await createBatch(account, urls('a.jpg')));
    await vi.waitFor(() => expect(origin.jobs).toHaveLength(1));
    const result = await deliver('packshot-images-dead', [images[0]?.image_id ?? '']);
    expect(result.explicitAcks).toEqual(['m0']);
    expect(await status(batch_id)).toMatchObject({ refunded_images: 0, images: [{ status: 'queued' }] });
    expect(await audited(account)).toMatchObject({ available: 99, held: 1 });
  });

  it('for an image that does not exist is dropped', async () => {
    const result = await deliver('packshot-images', [imageId('bat_01jd0000000000000000000009', 0), 'nonsense']);
    expect(result.explicitAcks).toEqual(['m0', 'm1']);
    expect(await storedKeys('inputs/bat_01jd0000000000000000000009')).toEqual([]);
  });
});

describe('a batch request is refused', () => {
  it.each([
    ['that is no JSON', '{', 'malformed_request', undefined],
    ['of the wrong shape', '[]', 'invalid_request', undefined],
    ['without images', '{"images":[]}', 'invalid_request', 'images'],
    [
      'with an unknown field',
      '{"images":[{"input_url":"https://a.example.org/a.jpg"}],"hook":1}',
      'invalid_request',
      'hook',
    ],
    [
      'with an unknown field of an image',
      '{"images":[{"input_url":"https://a.example.org/a.jpg","size":1}]}',
      'invalid_request',
      'images.0.size',
    ],
    [
      'with an unknown option',
      '{"input_url":"https://a.example.org/a.jpg","options":{"colour":"red"}}',
      'invalid_options',
      'options.colour',
    ],
    [
      'with a webhook on a private host',
      '{"input_url":"https://a.example.org/a.jpg","webhook_url":"http://127.0.0.1/"}',
      'invalid_request',
      'webhook_url',
    ],
  ])('%s', async (_name, text, code, field) => {
    const response = await call('/api/v1/service-hero', {
      method: 'POST',
      headers: as(account, { 'content-type': 'application/json' }),
      body: text,
    });
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 400, code });
    expect(problem.errors?.[0]?.field || undefined).toBe(field);
    expect(await audited(account)).toMatchObject({ available: 100, held: 0 });
  });

  it('with 1,001 images, or a body too large', async () => {
    expect(await problemOf(await createBatch(account, urls(...Array(1_001).fill('a.jpg'))))).toMatchObject({
      status: 413,
      code: 'too_many_images',
    });
    expect(await problemOf(await createBatch(account, { pad: 'x'.repeat(limits.batch.bodyBytesMax) }))).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });
});

// Last in the file: its images go on when the test is over.
describe('a large batch', () => {
  it('of a thousand images is accepted, and no more of them than the dispatch window are in progress at once', async () => {
    const rich = await newAccount(1_040);
    // Origin was busy in other tests; it takes so many images until the consumer is at its full pace again.
    const before = await created(await createBatch(rich, urls(...Array.from({ length: 40 }, (_, i) => `${i}.jpg`))));
    expect((await status(before.batch_id, 25, rich)).progress).toMatchObject({ completed: 40 });
    let most = 0;
    let running = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    origin.script = async () => {
      most = Math.max(most, ++running);
      await gate;
      return failing('no_product_found');
    };
    const { batch_id, images } = await created(
      await createBatch(rich, urls(...Array.from({ length: 1_000 }, (_, i) => `${i}.jpg`))),
    );
    expect(images).toHaveLength(1_000);
    expect(await status(batch_id, 0, rich)).toMatchObject({ progress: { total: 1_000 } });
    expect(await audited(rich)).toMatchObject({ available: 0, held: 1_000, pendingHolds: 1 });
    await vi.waitFor(() => expect(running).toBeGreaterThanOrEqual(edgeLimits.batch.concurrencyMax), {
      timeout: 15_000,
    });
    expect((await sagaOf(batch_id).snapshot())?.counts.processing).toBeLessThanOrEqual(
      edgeLimits.ledger.dispatchWindowMax,
    );
    // Each invocation of the consumer has its own eight; together they stay within the window.
    expect(most).toBeLessThanOrEqual(edgeLimits.ledger.dispatchWindowMax);
    release();
  });
});
