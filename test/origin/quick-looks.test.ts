/** Quick looks of a running node with the real model: what they show, and that nothing is left of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { nodePaths } from '../../shared/paths.ts';
import { type QuickLookRequest, type QuickLookResponse, quickLookResponseSchema } from '../../shared/quick-look.ts';
import { disguised, notAccepted } from '../support/hostile-images.ts';
import { renderScene } from '../support/scenes.ts';
import { type PostOptions, postSigned } from './support/caller.ts';
import { type NodeProcess, startNodeProcess } from './support/process.ts';
import { type Storage, startStorage } from './support/storage.ts';

const { canvas, imageBytesMax, sideMax } = limits.quickLook;
let storage: Storage;
let node: NodeProcess;
let dataDir: string;
let mug: Uint8Array;

beforeAll(async () => {
  storage = await startStorage();
  dataDir = await mkdtemp(join(tmpdir(), 'packshot-looks-'));
  mug = await renderScene('mug', { width: sideMax });
  node = await startNodeProcess({ DATA_DIR: dataDir, STORAGE_URLS: storage.url });
});
afterAll(async () => {
  node.kill('SIGKILL');
  await node.ended;
  await storage.close();
  await rm(dataDir, { recursive: true, force: true });
});

const request = (id: string, bytes: Uint8Array, more: Partial<QuickLookRequest> = {}): QuickLookRequest => ({
  look_id: id,
  account_id: 'visitors',
  image: Buffer.from(bytes).toString('base64'),
  deadline_at: Date.now() + 60_000,
  ...more,
});
const post = (look: QuickLookRequest, options: PostOptions = {}): Promise<Response> =>
  postSigned(node.url, nodePaths.quickLooks, look.look_id, look, options);
const look = async (id: string, bytes: Uint8Array, more: Partial<QuickLookRequest> = {}): Promise<QuickLookResponse> =>
  quickLookResponseSchema.parse(await (await post(request(id, bytes, more))).json());

describe('POST /v1/quick-looks', () => {
  it('answers the product on white, centred, and stores and fetches nothing', async () => {
    const made = await look('qlk_mug', mug);
    if (!('look' in made)) throw new Error(JSON.stringify(made));
    const { data, info } = await sharp(Buffer.from(made.look.image, 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: canvas, height: canvas, channels: 3 });
    const at = (x: number, y: number): number => (y * canvas + x) * 3;
    for (const [x, y] of [
      [0, 0],
      [canvas - 1, 0],
      [0, canvas - 1],
      [canvas - 1, canvas - 1],
    ] as const)
      expect([...data.subarray(at(x, y), at(x, y) + 3)]).toEqual([255, 255, 255]);
    const middle = data[at(canvas / 2, canvas / 2)]!;
    expect(middle).toBeLessThan(250);
    expect(storage.requests).toEqual([]);
    expect(storage.outputs.size).toBe(0);
  });

  it('wants a service token for this very look', async () => {
    const asked = request('qlk_token', mug);
    expect((await post(asked, { token: undefined })).status).toBe(401);
    expect((await post(asked, { changes: { subject: 'qlk_other' } })).status).toBe(401);
    expect((await post(asked, { changes: { body: '{}' } })).status).toBe(401);
  });

  it('takes no more bytes than it says', async () => {
    const large = request('qlk_large', new Uint8Array(imageBytesMax + 3));
    expect((await post(large)).status).toBe(400);
    const larger = request('qlk_larger', new Uint8Array(limits.quickLook.bodyBytesMax));
    expect((await post(larger)).status).toBe(413);
  });

  it('takes no more pixels than it says, however few bytes they are', async () => {
    const flat = { width: 8_000, height: 8_000, channels: 3, background: '#777' } as const;
    const bytes = new Uint8Array(await sharp({ create: flat }).jpeg({ quality: 1, progressive: true }).toBuffer());
    expect(bytes.length).toBeLessThan(imageBytesMax);
    expect(await look('qlk_pixels', bytes)).toMatchObject({ failed: { code: 'image_too_large', retryable: false } });
  });

  it('answers what cannot be read with its code, and goes on', async () => {
    for (const [name, bytes] of Object.entries({ ...notAccepted, ...disguised })) {
      const answered = await look('qlk_hostile', bytes);
      expect('failed' in answered && answered.failed.code, name).toMatch(
        /^(unsupported_media_type|unreadable_image|image_too_large)$/,
      );
    }
    expect(await look('qlk_late', mug, { deadline_at: Date.now() - 1 })).toMatchObject({
      failed: { code: 'deadline_exceeded' },
    });
    expect(await look('qlk_after', mug)).toHaveProperty('look');
  });
});
