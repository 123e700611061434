/** One photo for several marketplaces: one file and one report each, for one credit, all or nothing. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { removeExpired } from '../../../edge/stores/objects.ts';
import { sweep } from '../../../edge/stores/sweep.ts';
import { type BatchStatusResponse, batchStatusSchema, uploadResponseSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { marketplaceNames } from '../../../shared/marketplaces/index.ts';
import { photoUrls, type Shop, shop } from '../batch/shop.ts';
import { type FakeOrigin, failing, fakeOrigin, otherBytes, PREVIEW_BYTES, RESULT_BYTES } from '../support/origin.ts';
import {
  as,
  audited,
  bindings,
  call,
  createBatch,
  files,
  HERO,
  newAccount,
  problemOf,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let outside: Shop;
beforeEach(() => {
  outside = shop();
  origin = fakeOrigin(outside.answer);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const three = 'amazon,walmart,zalando';
const EIGHT = marketplaceNames.slice(0, limits.marketplaces.perImageMax);

const resultsOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return uploadResponseSchema.parse(await response.json()).results;
};
const completedOf = async (response: Response) => {
  const [result] = await resultsOf(response);
  if (!result || 'error' in result) throw new Error('not processed');
  return result;
};
const statusOf = async (account: TestAccount, batchId: string): Promise<BatchStatusResponse> =>
  batchStatusSchema.parse(await (await call(`${HERO}/status/${batchId}?wait=25`, { headers: as(account) })).json());
const bytesBehind = async (url: string | undefined): Promise<number> =>
  (await (await call(url ?? '')).arrayBuffer()).byteLength;

describe('an upload for three marketplaces', () => {
  it('answers a file and a report for each, the first in the specified fields too, and costs one credit', async () => {
    const account = await newAccount();
    const response = await upload(account, uploadForm(files(1), { marketplaces: three }));
    expect(response.headers.get('x-credits-charged')).toBe('1');
    const result = await completedOf(response);
    const outputs = result.outputs ?? [];
    expect(outputs.map(({ marketplace, compliance }) => [marketplace, compliance.marketplace])).toEqual([
      ['amazon', 'amazon'],
      ['walmart', 'walmart'],
      ['zalando', 'zalando'],
    ]);
    expect(outputs.map(({ filename }) => filename)).toEqual(['shoe.jpg', 'shoe-walmart.jpg', 'shoe-zalando.jpg']);
    expect(outputs.map(({ width, height }) => `${width}x${height}`)).toEqual(['2000x2000', '2200x2200', '1801x2600']);
    expect(outputs[0]).toMatchObject({ output_url: result.clean_url, sha256: result.sha256 });
    expect(result.compliance.marketplace).toBe('amazon');
    expect(await Promise.all(outputs.map(({ output_url }) => bytesBehind(output_url)))).toEqual([
      RESULT_BYTES,
      otherBytes(0),
      otherBytes(1),
    ]);
    expect(outputs.map(({ bytes }) => bytes)).toEqual([RESULT_BYTES, otherBytes(0), otherBytes(1)]);
    expect(await bytesBehind(result.preview_url)).toBe(PREVIEW_BYTES);
    expect(await audited(account)).toMatchObject({ available: 9, held: 0, spent: 1 });
  });

  it('is one job, which names every file by a presigned URL', async () => {
    await upload(await newAccount(), uploadForm(files(1), { marketplaces: three }));
    expect(origin.jobs).toHaveLength(1);
    const [job] = origin.jobs;
    expect(job?.options.others?.map(({ marketplace }) => marketplace)).toEqual(['walmart', 'zalando']);
    const urls = [job?.outputs.clean, job?.outputs.preview, ...(job?.outputs.others ?? [])];
    expect(new Set(urls).size).toBe(4);
    expect(urls.every((url) => url?.includes('X-Amz-Signature='))).toBe(true);
  });

  it.each([0, 1])('without its further file %i the image fails and costs nothing', async (without) => {
    const account = await newAccount();
    origin.script = () => ({ without });
    const response = await upload(account, uploadForm(files(1), { marketplaces: three }));
    expect(await problemOf(response)).toMatchObject({ status: 500, code: 'result_missing' });
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, spent: 0 });
  });

  it('a file that cannot be made small enough fails the image, names the marketplace and costs nothing', async () => {
    const account = await newAccount();
    origin.script = () => {
      const deed = failing('output_too_large') as { fail: { detail: string } };
      deed.fail.detail = 'Walmart takes files of at most 5 MB; this png has 6.2 MB';
      return deed as never;
    };
    const problem = await problemOf(await upload(account, uploadForm(files(1), { marketplaces: three })));
    expect(problem).toMatchObject({ status: 422, code: 'output_too_large' });
    expect(problem.errors?.[0]?.detail).toContain('Walmart');
    expect(await audited(account)).toMatchObject({ available: 10, held: 0, spent: 0 });
  });

  it('of one marketplace has one output; without marketplaces there are none', async () => {
    const account = await newAccount();
    const one = await completedOf(await upload(account, uploadForm(files(1), { marketplaces: 'ebay' })));
    expect(one.outputs?.map(({ marketplace, output_url }) => [marketplace, output_url])).toEqual([
      ['ebay', one.clean_url],
    ]);
    expect((await completedOf(await upload(account, uploadForm(files(1), { marketplace: 'ebay' })))).outputs).toBe(
      undefined,
    );
  });
});

describe('a batch for several marketplaces', () => {
  it('takes a list or names set apart by commas, and its status has every file with fresh links', async () => {
    const account = await newAccount();
    for (const marketplaces of [three, three.split(',')]) {
      const created = await createBatch(account, {
        images: photoUrls(1),
        options: { marketplaces },
        webhook_url: 'https://hooks.shop.com/packshot',
      });
      expect(created.status).toBe(202);
      const { batch_id } = (await created.json()) as { batch_id: string };
      const { images, charged_images } = await statusOf(account, batch_id);
      const [image] = images;
      if (image?.status !== 'completed') throw new Error('not completed');
      expect([charged_images, image.outputs?.length]).toEqual([1, 3]);
      expect(image.outputs?.[0]?.output_url).toBe(image.clean_download_url);
      expect(await bytesBehind(image.outputs?.[2]?.output_url)).toBe(otherBytes(1));
      await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
      const told = batchStatusSchema.parse(JSON.parse(outside.hooks.pop()?.body ?? ''));
      expect(told.images[0]).toMatchObject({ outputs: image.outputs?.map(({ sha256, bytes }) => ({ sha256, bytes })) });
    }
    expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2 });
  });

  it('makes a bounded number of files', async () => {
    const account = await newAccount(1_000);
    const imagesOf = (count: number) => ({
      images: photoUrls(count),
      options: { marketplaces: EIGHT },
    });
    const problem = await problemOf(await createBatch(account, imagesOf(limits.batch.filesMax / EIGHT.length + 1)));
    expect([problem.status, problem.code]).toEqual([413, 'too_many_images']);
    expect(await audited(account)).toMatchObject({ available: 1_000, held: 0 });
  });
});

describe('what is refused', () => {
  it.each([
    ['both options', { marketplace: 'ebay', marketplaces: three }],
    ['a marketplace that is not known', { marketplaces: 'amazon,temu' }],
    ['one twice', { marketplaces: 'amazon,ebay,amazon' }],
    ['more than eight', { marketplaces: marketplaceNames.slice(0, EIGHT.length + 1).join(',') }],
    ['none', { marketplaces: '' }],
  ])('%s, in both styles', async (_, options) => {
    const account = await newAccount();
    const uploaded = await problemOf(await upload(account, uploadForm(files(1), options)));
    const batched = await problemOf(await createBatch(account, { input_url: photoUrls(1)[0]?.input_url, options }));
    expect([uploaded.code, uploaded.errors?.[0]?.field]).toEqual(['invalid_options', 'marketplaces']);
    expect([batched.code, batched.errors?.[0]?.field?.split('.').at(-1)]).toEqual(['invalid_options', 'marketplaces']);
    expect(await audited(account)).toMatchObject({ available: 10, held: 0 });
  });
});

describe('an Idempotency-Key', () => {
  it('gives the same answer with every file, and refuses other marketplaces', async () => {
    const account = await newAccount();
    const key = { 'idempotency-key': 'k1' };
    const send = (marketplaces: string) => upload(account, uploadForm(files(1), { marketplaces }), key);
    const first = await completedOf(await send(three));
    const again = await send(three);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await completedOf(again)).toEqual(first);
    for (const other of ['amazon,walmart', 'walmart,amazon,zalando'])
      expect((await problemOf(await send(other))).code).toBe('idempotency_mismatch');
    const batch = (marketplaces: string) =>
      createBatch(
        account,
        { input_url: photoUrls(1)[0]?.input_url, options: { marketplaces } },
        { 'idempotency-key': 'k2' },
      );
    expect((await batch(three)).status).toBe(202);
    expect((await problemOf(await batch('amazon'))).code).toBe('idempotency_mismatch');
    expect((await batch(three)).headers.get('idempotent-replayed')).toBe('true');
  });

  it('keeps the answer of the largest upload: sent again, it is charged once', async () => {
    const account = await newAccount(50);
    const send = () =>
      upload(account, uploadForm(files(limits.upload.filesMax), { marketplaces: EIGHT.join(',') }), {
        'idempotency-key': 'large',
      });
    const first = await resultsOf(await send());
    const again = await send();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await resultsOf(again)).toEqual(first);
    expect(await audited(account)).toMatchObject({ available: 30, spent: 20 });
  });
});

it('every file goes with its batch at the end of its life', async () => {
  const result = await completedOf(await upload(await newAccount(), uploadForm(files(1), { marketplaces: three })));
  const keys = await storedKeys(`results/${result.batch_id}/`);
  expect(keys.map((key) => key.split('/')[2])).toEqual([
    '0000.jpg',
    '0000.preview.jpg',
    '0000.walmart.jpg',
    '0000.zalando.jpg',
  ]);
  const clear = (nowMs: number) =>
    sweep((prefix, isExpired, max) => removeExpired(bindings.BUCKET, prefix, isExpired, max), nowMs);
  await clear(Date.now() + limits.retention.daysMax * 86_400_000 - 60_000);
  expect(await storedKeys(`results/${result.batch_id}/`)).toHaveLength(4);
  await clear(Date.now() + limits.retention.daysMax * 86_400_000 + 60_000);
  expect(await storedKeys(`results/${result.batch_id}/`)).toEqual([]);
});
