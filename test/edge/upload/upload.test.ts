import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchCreatedSchema, uploadResponseSchema } from '../../../shared/api.ts';
import { heicHeads } from '../../support/image-heads.ts';
import {
  type FakeOrigin,
  failing,
  fakeOrigin,
  PREVIEW_BYTES,
  RESULT_BYTES,
  withoutWaiting,
} from '../support/origin.ts';
import {
  audited,
  call,
  files,
  newAccount,
  newKey,
  photo,
  problemOf,
  storedKeys,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const body = async (response: Response) => uploadResponseSchema.parse(await response.json());

describe('an upload', () => {
  it('answers every file in its order with the specified fields, and charges one credit each', async () => {
    const account = await newAccount(10);
    const response = await upload(
      account,
      uploadForm([
        { name: 'left shoe.png', bytes: photo('png') },
        { name: 'right.jpg', bytes: photo() },
      ]),
    );
    expect(response.status).toBe(200);
    const answer = await body(response);
    expect(answer).toMatchObject({ success: true, processed_count: 2, cost_usd: 0.5, remaining_api_credits_usd: 2 });
    expect(answer.results.map((result) => result.original_name)).toEqual(['left shoe.png', 'right.jpg']);
    expect(answer.results[0]).toMatchObject({
      width: 2000,
      height: 2000,
      format: 'JPG',
      background: 'PURE_WHITE_255',
      amazon_compliant: true,
    });
    expect(response.headers.get('x-credits-charged')).toBe('2');
    expect(response.headers.get('x-credits-remaining')).toBe('8');
    expect(response.headers.get('request-id')).toBe(answer.request_id);
    expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2, pendingHolds: 0 });
  });

  it('gives URLs that serve the final file and its preview', async () => {
    const account = await newAccount();
    const [result] = (await body(await upload(account, uploadForm(files(1))))).results;
    if (!result || 'error' in result) throw new Error('not processed');
    const [clean, preview] = await Promise.all([call(result.clean_url), call(result.preview_url)]);
    expect((await clean.arrayBuffer()).byteLength).toBe(RESULT_BYTES);
    expect((await preview.arrayBuffer()).byteLength).toBe(PREVIEW_BYTES);
    expect(clean.headers.get('content-disposition')).toBe('attachment; filename="shoe.jpg"');
  });

  it('sends origin the resolved options, presigned URLs and the trace of the caller', async () => {
    const account = await newAccount();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const form = uploadForm(files(1), {
      marketplace: 'ebay',
      format: 'png',
      background: 'transparent',
      canvas: '1200',
    });
    const response = await upload(account, form, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    const answer = await body(response);
    expect(origin.jobs[0]?.options).toEqual({
      marketplace: 'ebay',
      layout: 'hero',
      canvas: 1200,
      fill: 0.85,
      format: 'png',
      quality: 92,
      background: 'transparent',
      shadow: 'none',
      on_finding: 'warn',
    });
    expect(origin.jobs[0]).toMatchObject({ account_id: account.accountId, priority: 'interactive', watermark: false });
    expect(origin.traces[0]).toContain(trace);
    expect(await storedKeys(`results/${answer.batch_id}/`)).toEqual([
      `results/${answer.batch_id}/0000.png`,
      `results/${answer.batch_id}/0000.preview.png`,
    ]);
    expect(answer.results[0]).toMatchObject({ format: 'PNG', background: 'TRANSPARENT' });
  });

  it('tells files of the same name apart', async () => {
    const account = await newAccount();
    const answer = await body(await upload(account, uploadForm(files(3, '../../Schuh (1).JPEG'))));
    const names = answer.results.map((result) => ('clean_url' in result ? result.clean_url.split('/').at(-1) : ''));
    expect(names).toEqual(['Schuh-1.jpg', 'Schuh-1-2.jpg', 'Schuh-1-3.jpg']);
  });

  it('with one broken file of two is a 200 that charges one and lists the other with its error', async () => {
    origin.script = (job) => (job.job_id.endsWith('_0000') ? failing('unreadable_image') : 'complete');
    const account = await newAccount(5);
    const response = await upload(
      account,
      uploadForm([
        { name: 'broken.jpg', bytes: photo() },
        { name: 'good.jpg', bytes: photo() },
      ]),
    );
    expect(response.status).toBe(200);
    const answer = await body(response);
    expect(answer).toMatchObject({ success: false, processed_count: 1, cost_usd: 0.25, remaining_api_credits_usd: 1 });
    expect(answer.results[0]).toMatchObject({ original_name: 'broken.jpg', error: { code: 'unreadable_image' } });
    expect(answer.results[1]).toMatchObject({ original_name: 'good.jpg', amazon_compliant: true });
    expect(await audited(account)).toMatchObject({ available: 4, held: 0, spent: 1 });
  });

  it('with a HEIC beside a JPEG makes and charges the JPEG', async () => {
    const account = await newAccount(5);
    const response = await upload(
      account,
      uploadForm([
        { name: 'IMG_1.HEIC', bytes: heicHeads['of an iPhone'] },
        { name: 'good.jpg', bytes: photo() },
      ]),
    );
    expect(response.status).toBe(200);
    const answer = await body(response);
    expect(answer).toMatchObject({ success: false, processed_count: 1 });
    expect(answer.results[0]).toMatchObject({ original_name: 'IMG_1.HEIC', error: { code: 'unsupported_heic' } });
    expect(answer.results[1]).toMatchObject({ original_name: 'good.jpg', amazon_compliant: true });
    expect(await audited(account)).toMatchObject({ available: 4, held: 0, spent: 1 });
  });

  it('with an empty file among good ones holds credits for the good ones only', async () => {
    const account = await newAccount(1);
    const response = await upload(
      account,
      uploadForm([
        { name: 'empty.jpg', bytes: new Uint8Array(0) },
        { name: 'good.jpg', bytes: photo() },
      ]),
    );
    const answer = await body(response);
    expect(answer.results.map((result) => ('error' in result ? result.error.code : 'ok'))).toEqual([
      'file_empty',
      'ok',
    ]);
    expect(new Set(answer.results.map((result) => result.image_id)).size).toBe(2);
    expect(await audited(account)).toMatchObject({ available: 0, spent: 1 });
  });

  it('in which every file fails answers with the first failure, names each file, and charges nothing', async () => {
    origin.script = (job) => failing(job.job_id.endsWith('_0000') ? 'no_product_found' : 'unreadable_image');
    const account = await newAccount(5);
    const response = await upload(
      account,
      uploadForm([
        { name: 'wall.jpg', bytes: photo() },
        { name: 'broken.jpg', bytes: photo() },
      ]),
    );
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 422, code: 'no_product_found' });
    expect(problem.errors?.map((row) => [row.field, row.code])).toEqual([
      ['files[0]', 'no_product_found'],
      ['files[1]', 'unreadable_image'],
    ]);
    expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0 });
  });

  it('with a test key runs the same way, marked and free', async () => {
    const account = await newAccount(0);
    const key = await newKey(account, 'test');
    const response = await upload(key, uploadForm(files(2)));
    expect(await body(response)).toMatchObject({ success: true, processed_count: 2, cost_usd: 0 });
    expect(origin.jobs.every((job) => job.watermark)).toBe(true);
    expect(await audited(account)).toMatchObject({ granted: 0, held: 0, spent: 0 });
  });

  it('is charged only for a file that was seen in the store', async () => {
    origin.script = () => 'claim';
    const account = await newAccount(3);
    const problem = await problemOf(await upload(account, uploadForm(files(1))));
    expect(problem).toMatchObject({ status: 500, code: 'result_missing' });
    expect(await audited(account)).toMatchObject({ available: 3, spent: 0 });
  });

  it('is not charged for another file of the same length in the place of its result', async () => {
    origin.script = () => 'swap';
    const account = await newAccount(3);
    const problem = await problemOf(await upload(account, uploadForm(files(1))));
    expect(problem).toMatchObject({ status: 500, code: 'result_missing' });
    expect(await audited(account)).toMatchObject({ available: 3, spent: 0 });
  });

  it('is not charged for a file of which the node gives no digest to compare', async () => {
    origin.script = () => 'undigested';
    const account = await newAccount(3);
    const problem = await problemOf(await upload(account, uploadForm(files(1))));
    expect(problem).toMatchObject({ status: 500, code: 'result_missing' });
    expect(await audited(account)).toMatchObject({ available: 3, spent: 0 });
  });

  it('gives a node leave to write each file with its own content type and no other', async () => {
    const account = await newAccount(3);
    await upload(account, uploadForm(files(1)));
    const { clean, preview } = origin.jobs[0]!.outputs;
    for (const url of [clean, preview])
      expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-type;host');
  });

  it('keeps at most four images of itself at origin', async () => {
    let running = 0;
    let most = 0;
    origin.script = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return 'complete' as const;
    };
    const account = await newAccount(20);
    expect((await upload(account, uploadForm(files(20)))).status).toBe(200);
    expect(most).toBe(4);
  });
});

describe('when origin is in trouble', () => {
  beforeEach(withoutWaiting);

  it('a node that is down gives 503 with Retry-After and charges nothing', async () => {
    origin.script = () => 'vanish';
    const account = await newAccount(5);
    const response = await upload(account, uploadForm(files(2)));
    expect(await problemOf(response)).toMatchObject({ status: 503, code: 'origin_unavailable' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0 });
  });

  it('a busy node is asked again with the same job id, and the image is charged once', async () => {
    origin.script = (_job, _node, attempt) => (attempt < 3 ? { busy: 1 } : 'complete');
    const account = await newAccount(5);
    expect((await upload(account, uploadForm(files(1)))).status).toBe(200);
    expect(new Set(origin.jobs.map((job) => job.job_id)).size).toBe(1);
    expect(origin.jobs).toHaveLength(3);
    expect(await audited(account)).toMatchObject({ available: 4, spent: 1 });
  });

  it('a job lost mid-way is run again; a permanent failure is not', async () => {
    origin.script = (_job, _node, attempt) =>
      attempt === 1 ? failing('processing_failed', true) : failing('unreadable_image');
    const account = await newAccount(5);
    expect(await problemOf(await upload(account, uploadForm(files(1))))).toMatchObject({ code: 'unreadable_image' });
    expect(origin.jobs).toHaveLength(2);
  });
});

describe('an upload with Prefer: respond-async', () => {
  it('is answered like a batch and completes by itself', async () => {
    const account = await newAccount(5);
    const response = await upload(account, uploadForm(files(2)), { prefer: 'respond-async' });
    expect(response.status).toBe(202);
    const created = (await response.json()) as {
      batch_id: string;
      charged_images: number;
      remaining_api_credits_usd: string;
    };
    expect(created).toMatchObject({ charged_images: 2, remaining_api_credits_usd: '$0.75' });
    const location = response.headers.get('location') ?? '';
    expect(location).toContain(created.batch_id);
    const status = (await (
      await call(`${location}?wait=20`, { headers: { authorization: `Bearer ${account.apiKey}` } })
    ).json()) as { status: string };
    expect(status.status).toBe('completed');
    expect(await audited(account)).toMatchObject({ available: 3, held: 0, spent: 2 });
  });

  it('says which files became no image, also to whoever asks again', async () => {
    const account = await newAccount(5);
    const form = () =>
      uploadForm([
        ...files(1),
        { name: 'notes.txt', bytes: Uint8Array.from('no image', (letter) => letter.charCodeAt(0)) },
        ...files(1),
      ]);
    const headers = { prefer: 'respond-async', 'idempotency-key': 'one-folder' };
    for (const response of [await upload(account, form(), headers), await upload(account, form(), headers)]) {
      expect(response.status).toBe(202);
      const created = batchCreatedSchema.parse(await response.json());
      expect(created.images).toHaveLength(2);
      expect(created.refused).toMatchObject([
        { original_name: 'notes.txt', error: { code: 'unsupported_media_type' } },
      ]);
    }
  });
});
