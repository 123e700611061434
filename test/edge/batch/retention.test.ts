/** How long files are kept: as the account wants, from its first complete download to a month. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchStatusSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { answerOf, registered } from '../portal/customer.ts';
import { brokenCalls } from '../support/network.ts';
import { type FakeOrigin, failing, fakeOrigin, RESULT_BYTES } from '../support/origin.ts';
import {
  accountOf,
  as,
  audited,
  bindings,
  call,
  createBatch,
  files,
  HERO,
  newAccount,
  newKey,
  problemOf,
  sagaOf,
  sagaStub,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

let account: TestAccount;
let origin: FakeOrigin;
beforeEach(async () => {
  origin = fakeOrigin(shop().answer);
  account = await newAccount(10);
});
afterEach(() => void vi.restoreAllMocks());

const DAY_MS = 86_400_000;
type Result = { readonly clean_url: string; readonly preview_url: string; readonly expires_at: string };
type Uploaded = { readonly batch_id: string; readonly results: readonly Result[] };
const keep = (days: number | null): Promise<void> => accountOf(account).setRetention(days);
const uploaded = async (count = 1, fields: Record<string, string> = {}): Promise<Uploaded> => {
  const answer = await upload(account, uploadForm(files(count), fields));
  expect(answer.status).toBe(200);
  return answer.json();
};
const only = ({ results }: Uploaded): Result => {
  const [result] = results;
  if (!result) throw new Error('no result');
  return result;
};
const read = async (url: string, init: RequestInit = {}): Promise<number> => {
  const answer = await call(url, init);
  await answer.arrayBuffer();
  return answer.status;
};
const results = (batchId: string) => storedKeys(`results/${batchId}/`);
const inputs = (batchId: string) => storedKeys(`inputs/${batchId}/`);
const status = async (batchId: string) =>
  batchStatusSchema.parse(await (await call(`${HERO}/status/${batchId}`, { headers: as(account) })).json());

/** The saga as if so long after the batch was made, with whatever its alarm does by then. */
const lapse = async (batchId: string, ms: number): Promise<void> => {
  await runInDurableObject(sagaStub(batchId), (saga, { storage }) => {
    const [{ createdAtMs } = { createdAtMs: 0 }] = storage.sql
      .exec<{ createdAtMs: number }>('select createdAtMs from batch')
      .toArray();
    saga.now = () => createdAtMs + ms;
  });
  await runDurableObjectAlarm(sagaStub(batchId));
};

describe('results', () => {
  it.each([
    ['by default a week', null, 7],
    ['a day where the account says so', 1, 1],
    ['a month where the account says so', 30, 30],
  ])('are kept %s, and not longer, nor are their links', async (_name, days, kept) => {
    await keep(days);
    const made = await uploaded();
    expect(Date.parse(only(made).expires_at) - Date.now()).toBeLessThanOrEqual(limits.downloads.urlMs);
    await lapse(made.batch_id, kept * DAY_MS - 60_000);
    expect(await results(made.batch_id)).toHaveLength(2);
    expect((await status(made.batch_id)).images[0]).toHaveProperty('clean_download_url');
    await evictDurableObject(sagaStub(made.batch_id));
    await lapse(made.batch_id, kept * DAY_MS);
    expect(await results(made.batch_id)).toEqual([]);
    expect(await inputs(made.batch_id)).toEqual([]);
    // With the longest retention the batch's own record ends as well.
    if (kept < limits.retention.daysMax)
      expect((await status(made.batch_id)).images[0]).not.toHaveProperty('clean_download_url');
    expect(await read(only(made).clean_url)).toBe(404);
  });

  it('of batches that were open before the wish was changed are kept as it was', async () => {
    await keep(2);
    const made = await uploaded();
    await keep(1);
    await lapse(made.batch_id, 1 * DAY_MS);
    expect(await results(made.batch_id)).toHaveLength(2);
    await lapse(made.batch_id, 2 * DAY_MS);
    expect(await results(made.batch_id)).toEqual([]);
  });

  it('go although the store fails at first', async () => {
    const made = await uploaded();
    vi.spyOn(bindings.BUCKET, 'list').mockRejectedValueOnce(new Error('We encountered an internal error.'));
    await lapse(made.batch_id, 7 * DAY_MS);
    vi.restoreAllMocks();
    await lapse(made.batch_id, 7 * DAY_MS + 600_000);
    expect(await results(made.batch_id)).toEqual([]);
  });

  it('have links that end with them: one signed on the last day does not outlive it', async () => {
    await keep(1);
    const made = await uploaded();
    const { images } = await status(made.batch_id);
    const [image] = images;
    if (image?.status !== 'completed') throw new Error('not completed');
    const createdAtMs = (await sagaOf(made.batch_id).snapshot())?.createdAtMs ?? 0;
    expect(Date.parse(image.expires_at ?? '')).toBeLessThanOrEqual(createdAtMs + DAY_MS);
  });
});

describe('with nothing kept after delivery', () => {
  beforeEach(() => keep(0));

  it('a result and its preview go with the first complete download, and then are a 410', async () => {
    const made = await uploaded();
    const { clean_url, preview_url } = only(made);
    expect(await read(preview_url)).toBe(200);
    const answer = await call(clean_url);
    expect(answer.headers.get('cache-control')).toContain('max-age=0');
    expect(answer.headers.get('content-length')).toBe(String(RESULT_BYTES));
    expect((await answer.arrayBuffer()).byteLength).toBe(RESULT_BYTES);
    await vi.waitFor(async () => expect(await results(made.batch_id)).toEqual([]), 5_000);
    for (const url of [clean_url, preview_url])
      expect(await problemOf(await call(url))).toMatchObject({ status: 410, code: 'result_delivered' });
    const [shown] = (await status(made.batch_id)).images;
    expect(shown).toMatchObject({ status: 'completed' });
    expect(shown).not.toHaveProperty('clean_download_url');
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('a look, a part, a preview, a repetition that has it and a download that breaks off are no delivery', async () => {
    const made = await uploaded();
    const { clean_url, preview_url } = only(made);
    expect(await read(clean_url, { method: 'HEAD' })).toBe(200);
    expect(await read(clean_url, { headers: { range: `bytes=0-${RESULT_BYTES - 1}` } })).toBe(206);
    expect(await read(clean_url, { headers: { 'if-none-match': '*' } })).toBe(304);
    expect(await read(preview_url)).toBe(200);
    await (await call(clean_url)).body?.cancel();
    await runDurableObjectAlarm(sagaStub(made.batch_id));
    expect(await results(made.batch_id)).toHaveLength(2);
    expect(await read(clean_url)).toBe(200);
    await vi.waitFor(async () => expect(await results(made.batch_id)).toEqual([]), 5_000);
  });

  it('an image for several marketplaces goes once each of its files was downloaded', async () => {
    const made = await uploaded(1, { marketplaces: 'amazon,walmart' });
    const [image] = (await status(made.batch_id)).images;
    if (image?.status !== 'completed') throw new Error('not completed');
    const urls = (image.outputs ?? []).map(({ output_url }) => output_url ?? '');
    expect(await read(urls[0] ?? '')).toBe(200);
    expect(await read(urls[0] ?? '')).toBe(200);
    await runDurableObjectAlarm(sagaStub(made.batch_id));
    expect(await results(made.batch_id)).toHaveLength(3);
    expect(await read(urls[1] ?? '')).toBe(200);
    await vi.waitFor(async () => expect(await results(made.batch_id)).toEqual([]), 5_000);
  });

  it('the other images of the batch stay until they are downloaded, a day at most', async () => {
    const made = await uploaded(2);
    expect(await read(only(made).clean_url)).toBe(200);
    await vi.waitFor(async () => expect(await results(made.batch_id)).toHaveLength(2), 5_000);
    await lapse(made.batch_id, limits.retention.undeliveredMs);
    expect(await results(made.batch_id)).toEqual([]);
  });

  it('an input goes as soon as its image is decided, completed or not', async () => {
    origin.script = (job) => (job.job_id.endsWith('1') ? failing('no_product_found') : 'complete');
    const answer = await createBatch(account, { images: photoUrls(3) });
    const { batch_id } = (await answer.json()) as { batch_id: string };
    await vi.waitFor(async () => expect((await sagaOf(batch_id).snapshot())?.completedAtMs).not.toBeNull(), 15_000);
    await vi.waitFor(async () => expect(await inputs(batch_id)).toEqual([]), 5_000);
    expect(await results(batch_id)).toHaveLength(4);
  });

  it('an input goes too where its image is decided by its deadline', async () => {
    await keep(0);
    origin.script = () => ({ busy: 1 });
    const { batch_id } = (await (await createBatch(account, { images: photoUrls(1) })).json()) as Uploaded;
    await vi.waitFor(async () => expect(await inputs(batch_id)).toHaveLength(1), 10_000);
    await lapse(batch_id, limits.batch.deadlineMs);
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(sagaStub(batch_id));
      expect(await inputs(batch_id)).toEqual([]);
    }, 10_000);
    expect((await status(batch_id)).progress).toMatchObject({ failed: 1 });
  });

  it('a delivery that the batch does not hear of loses nothing: the file stays until the next', async () => {
    const made = await uploaded();
    const { clean_url } = only(made);
    brokenCalls('SAGA', (method) => (method === 'noteDelivered' ? 'refused' : undefined));
    expect(await read(clean_url)).toBe(200);
    vi.restoreAllMocks();
    fakeOrigin(shop().answer);
    expect(await results(made.batch_id)).toHaveLength(2);
    expect(await read(clean_url)).toBe(200);
    await vi.waitFor(async () => expect(await results(made.batch_id)).toEqual([]), 5_000);
  });
});

describe('the portal', () => {
  it('shows how long files are kept and sets it, within its bounds', async () => {
    const customer = await registered();
    const get = () => answerOf(customer.call('GET', '/account/retention'));
    expect(await get()).toEqual({ days: null });
    for (const days of [0, 30, null]) {
      expect((await customer.call('POST', '/account/retention', { days })).status).toBe(200);
      expect(await get()).toEqual({ days });
    }
    for (const days of [-1, 31, 1.5, '7', undefined])
      expect((await customer.call('POST', '/account/retention', { days })).status).toBe(400);
  });
});

describe('retention through the API', () => {
  const change = async (body: unknown, key?: TestAccount): Promise<Response> =>
    call('/api/v1/account/retention', {
      method: 'PATCH',
      headers: as(key ?? (await newKey(account, 'live', { scopes: ['admin', 'account:read'] }))),
      body: JSON.stringify(body),
    });
  const told = async (): Promise<unknown> => {
    const answer = await call('/api/v1/account', { headers: as(account) });
    return ((await answer.json()) as { retention_days: unknown }).retention_days;
  };

  it('is set by an admin key, told with the balance, and kept to by what is sent from then on', async () => {
    expect(await told()).toBeNull();
    for (const days of [0, 30, 3, null, 1]) {
      const answer = await change({ retention_days: days });
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ retention_days: days })]);
      expect(await told()).toBe(days);
    }
    const { batch_id } = await uploaded();
    await lapse(batch_id, DAY_MS - 60_000);
    expect(await results(batch_id)).toHaveLength(2);
    await lapse(batch_id, DAY_MS);
    expect(await results(batch_id)).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['a day more than there are', { retention_days: limits.retention.daysMax + 1 }],
    ['less than nothing', { retention_days: -1 }],
    ['a part of a day', { retention_days: 1.5 }],
    ['a text', { retention_days: '3' }],
    ['more than it knows', { retention_days: 3, inputs: 1 }],
  ])('%s is refused and changes nothing', async (_, body) => {
    await keep(5);
    expect(await problemOf(await change(body))).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await told()).toBe(5);
  });

  it('is not for a key without the scope admin', async () => {
    expect(await problemOf(await change({ retention_days: 0 }, account))).toMatchObject({
      status: 403,
      code: 'key_scope_missing',
    });
    expect(await told()).toBeNull();
  });
});
