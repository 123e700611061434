import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { originLimits } from '../../origin/limits.ts';
import { type CheckRequest, type CheckResponse, checkResponseSchema } from '../../shared/findings.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { nodePaths } from '../../shared/paths.ts';
import { disguised, notAccepted } from '../support/hostile-images.ts';
import { renderScene } from '../support/scenes.ts';
import { newJob, outcomeOf, type PostOptions, postJob, postSigned } from './support/caller.ts';
import { type NodeProcess, startNodeProcess } from './support/process.ts';
import { type Storage, startStorage } from './support/storage.ts';

let storage: Storage;
let node: NodeProcess;
let dataDir: string;

/** The mug's scene, cut so that the frame runs through the mug. */
const cutMug = async (): Promise<Uint8Array> => {
  const scene = await renderScene('mug', { width: 2400 });
  return new Uint8Array(await sharp(scene).extract({ left: 0, top: 0, width: 1150, height: 1800 }).jpeg().toBuffer());
};

beforeAll(async () => {
  storage = await startStorage();
  dataDir = await mkdtemp(join(tmpdir(), 'packshot-checks-'));
  storage.inputs.set('/in/mug', await renderScene('mug', { width: 2400 }));
  storage.inputs.set('/in/cut', await cutMug());
  storage.inputs.set('/in/garbage', new TextEncoder().encode('not an image at all'));
  storage.inputs.set('/in/huge', new Uint8Array(25_000_001));
  node = await startNodeProcess({ DATA_DIR: dataDir, STORAGE_URLS: storage.url });
});
afterAll(async () => {
  node.kill('SIGKILL');
  await node.ended;
  await storage.close();
  await rm(dataDir, { recursive: true, force: true });
});

const newCheck = (id: string, input: string, more: Partial<CheckRequest> = {}): CheckRequest => {
  const { account_id, input_url, options, deadline_at } = newJob(storage, id, input);
  return { check_id: id, account_id, input_url, options: options as ResolvedOptions, deadline_at, ...more };
};
const post = (check: CheckRequest, options: PostOptions = {}): Promise<Response> =>
  postSigned(node.url, nodePaths.checks, check.check_id, check, options);
const answer = async (response: Response): Promise<CheckResponse> => checkResponseSchema.parse(await response.json());
const check = async (id: string, input: string, more: Partial<CheckRequest> = {}): Promise<CheckResponse> =>
  answer(await post(newCheck(id, input, more)));

describe('POST /v1/checks', () => {
  it('says what is found about a photo, and the paid call says the same; the check stores nothing', async () => {
    const found = await check('chk_cut', 'cut');
    if (!('check' in found)) throw new Error(JSON.stringify(found));
    expect(found.check).toMatchObject({ width: 1150, height: 1800 });
    expect(found.check.findings.map(({ code }) => code)).toContain('product_cropped');
    expect(storage.outputs.size).toBe(0);
    const paid = await outcomeOf(await postJob(node.url, newJob(storage, 'img_cut', 'cut')));
    if (paid.status !== 'completed') throw new Error(paid.detail);
    expect(paid.findings.map(({ code }) => code)).toEqual(found.check.findings.map(({ code }) => code));
  });

  it('finds nothing wrong with a photo that is in order', async () => {
    expect(await check('chk_mug', 'mug')).toMatchObject({ check: { findings: [] } });
  });

  it('takes a check of an edge that knows no on_finding', async () => {
    const request = newCheck('chk_old', 'mug');
    const { on_finding: _, ...options } = request.options;
    const response = await postSigned(node.url, nodePaths.checks, 'chk_old', { ...request, options });
    expect(await answer(response)).toHaveProperty('check');
  });

  it('wants a service token for this very check', async () => {
    const request = newCheck('chk_token', 'mug');
    const before = storage.requests.length;
    expect((await post(request, { token: undefined })).status).toBe(401);
    expect((await post(request, { changes: { subject: 'chk_other' } })).status).toBe(401);
    expect((await post(request, { changes: { body: '{}' } })).status).toBe(401);
    const wrong = await postSigned(node.url, nodePaths.checks, 'chk_token', { ...request, surprise: 1 });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'invalid_request' }]);
    expect(storage.requests).toHaveLength(before);
  });

  it('answers what cannot be read with its code, for good, and an absent input as passing', async () => {
    const failed = (code: string, retryable: boolean) => ({ failed: { code, retryable } });
    expect(await check('chk_garbage', 'garbage')).toMatchObject(failed('unsupported_media_type', false));
    expect(await check('chk_huge', 'huge')).toMatchObject(failed('file_too_large', false));
    expect(await check('chk_gone', 'nowhere')).toMatchObject(failed('processing_failed', true));
  });

  it('survives files made to do harm', async () => {
    for (const [name, bytes] of Object.entries({ ...notAccepted, ...disguised })) {
      storage.inputs.set(`/in/${encodeURIComponent(name)}`, bytes);
      const answered = await check('chk_hostile', encodeURIComponent(name));
      expect('failed' in answered && answered.failed.code, name).toMatch(
        /^(unsupported_media_type|unreadable_image|image_too_large)$/,
      );
    }
    expect(await check('chk_after', 'mug')).toHaveProperty('check');
  });

  it('past its deadline is not run', async () => {
    const before = storage.requests.length;
    const late = await check('chk_late', 'mug', { deadline_at: Date.now() - 1 });
    expect(late).toMatchObject({ failed: { code: 'deadline_exceeded', retryable: true } });
    expect(storage.requests).toHaveLength(before);
  });

  it('runs one at a time and refuses what would wait too long, while paid jobs go on', async () => {
    storage.inputs.set('/in/held', await renderScene('mug'));
    storage.hold.add('/in/held');
    const deadline = { deadline_at: Date.now() + 8_000 };
    const waiting = Array.from({ length: originLimits.checks.queueMax + 1 }, (_, i) =>
      check(`chk_held_${i}`, 'held', deadline),
    );
    await expect.poll(() => storage.requests.filter(({ path }) => path === '/in/held').length).toBe(1);
    const refused = await post(newCheck('chk_refused', 'mug'));
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'origin_busy' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const paid = await outcomeOf(await postJob(node.url, newJob(storage, 'img_beside', 'mug')));
    expect(paid.status).toBe('completed');
    for (const answered of await Promise.all(waiting))
      expect(answered).toMatchObject({ failed: { code: 'deadline_exceeded' } });
    expect(await check('chk_freed', 'mug')).toHaveProperty('check');
  });
});

describe('a job with on_finding=fail', () => {
  const failing = { options: { ...newJob({ url: 'http://x' }, '', '').options, on_finding: 'fail' as const } };

  it('ends as failed with the finding’s code, stores no result, and says the same when it is repeated', async () => {
    const job = newJob(storage, 'img_refused', 'cut', failing);
    const outcome = await outcomeOf(await postJob(node.url, job));
    expect(outcome).toMatchObject({ status: 'failed', code: 'product_cropped', retryable: false });
    expect(storage.outputs.has('/out/img_refused')).toBe(false);
    expect(await outcomeOf(await postJob(node.url, job))).toEqual(outcome);
  });

  it('completes where nothing is found', async () => {
    const outcome = await outcomeOf(await postJob(node.url, newJob(storage, 'img_fine', 'mug', failing)));
    expect(outcome).toMatchObject({ status: 'completed', findings: [] });
  });
});
