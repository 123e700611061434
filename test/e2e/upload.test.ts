/** Both tiers with the real model: what an integrator's first call gives. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presigner } from '../../edge/stores/presign.ts';
import { startSystem } from '../../local/system.ts';
import { type UploadResponse, type UploadResult, uploadResponseSchema } from '../../shared/api.ts';
import { bmpOf, psdOf } from '../hostile/formats.ts';
import { heicMug } from '../support/heic.ts';
import { checkHero } from '../support/hero-check.ts';
import { jxlOf } from '../support/jxl.ts';
import { type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { renderScene } from '../support/scenes.ts';
import { accountOf, download, expectBalanced, problemOf } from './support.ts';

let system: TemporarySystem;
beforeAll(async () => {
  system = await temporarySystem({ credits: 100, env: { HEIC_DECODER: 'libheif-js' } });
});
afterAll(() => system?.remove());

const send = (...args: Parameters<typeof upload> extends [string, string, ...infer Rest] ? Rest : never) =>
  upload(system.baseUrl, system.apiKey, ...args);

describe('the leave to write a result', () => {
  it('is for its own content type: the store refuses another', async () => {
    const endpoint = `${system.baseUrl}/cdn-cgi/local/r2/s3`;
    const keys = { accessKeyId: 'local-access-key', secretAccessKey: 'local-secret-key' };
    const presign = presigner({ endpoint, bucket: 'packshot', ...keys });
    const url = await presign('PUT', 'results/bat_01jd0000000000000000000000/0000.jpg');
    const put = async (contentType: string) => {
      const answer = await fetch(url, { method: 'PUT', body: 'a file', headers: { 'content-type': contentType } });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await put('text/html')).toBe(403);
    expect(await put('image/jpeg')).toBe(200);
  });
});

describe('an upload', () => {
  it('answers with the specified fields and a file a marketplace accepts, and costs 0.25 USD', async () => {
    const before = await accountOf(system);
    const answer = await send([{ name: 'mug.jpg', bytes: await renderScene('mug') }]);
    expect(answer.status).toBe(200);
    const body = uploadResponseSchema.parse(await answer.json());
    expect(body).toMatchObject({
      success: true,
      processed_count: 1,
      cost_usd: 0.25,
      remaining_api_credits_usd: before.remaining_api_credits_usd - 0.25,
    });
    const result = body.results[0] as UploadResult;
    expect(result).toMatchObject({
      original_name: 'mug.jpg',
      width: 2000,
      height: 2000,
      format: 'JPG',
      background: 'PURE_WHITE_255',
      amazon_compliant: true,
    });
    expect(result.clean_url.startsWith(`${system.baseUrl}/api/v1/downloads/`)).toBe(true);
    expect(answer.headers.get('x-credits-charged')).toBe('1');
    expect(answer.headers.get('x-credits-remaining')).toBe(String(before.available_credits - 1));

    const bytes = await download(result.clean_url);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(result.sha256);
    const file = await checkHero(bytes);
    expect(file).toMatchObject({
      width: 2000,
      height: 2000,
      format: 'jpeg',
      space: 'srgb',
      hasExif: false,
      cornersWhite: true,
    });
    expect(Math.abs(file.fill - 0.85)).toBeLessThanOrEqual(0.005);
    expect(Math.max(file.offCentre.x, file.offCentre.y)).toBeLessThanOrEqual(1);

    const preview = await sharp(await download(result.preview_url)).metadata();
    expect(Math.max(preview.width, preview.height)).toBeLessThanOrEqual(512);
    await expectBalanced(system, { spent: before.spent_credits + 1 });
  });

  it('returns the full-frame cut-out where the original layout and transparency are asked for', async () => {
    const photo = await renderScene('mug');
    const { width, height } = await sharp(photo).metadata();
    const answer = await send([{ name: 'mug.jpg', bytes: photo }], {
      layout: 'original',
      background: 'transparent',
      format: 'png',
    });
    const { results } = (await answer.json()) as UploadResponse;
    const result = results[0] as UploadResult;
    expect(result).toMatchObject({ width, height, format: 'PNG', background: 'TRANSPARENT', amazon_compliant: false });
    const { data, info } = await sharp(await download(result.clean_url))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(4);
    const opaque = Array.from({ length: width * height }, (_, i) => data[i * 4 + 3]).filter(
      (alpha) => alpha === 255,
    ).length;
    const empty = Array.from({ length: width * height }, (_, i) => data[i * 4 + 3]).filter(
      (alpha) => alpha === 0,
    ).length;
    expect(opaque).toBeGreaterThan(0.1 * width * height);
    expect(empty).toBeGreaterThan(0.5 * width * height);
    expect(opaque + empty).toBeGreaterThan(0.98 * width * height);
  });

  it('lists the broken one of two files with its error, in order, and charges the other alone', async () => {
    const before = await accountOf(system);
    const photo = await renderScene('mug');
    const answer = await send([
      { name: 'cut.jpg', bytes: photo.subarray(0, Math.floor(photo.length / 2)) },
      { name: 'whole.jpg', bytes: photo },
    ]);
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as UploadResponse;
    expect(body).toMatchObject({ success: false, processed_count: 1, cost_usd: 0.25 });
    expect(body.results).toMatchObject([
      { original_name: 'cut.jpg', error: { code: 'unreadable_image' } },
      { original_name: 'whole.jpg', amazon_compliant: true },
    ]);
    await expectBalanced(system, { spent: before.spent_credits + 1 });
  });
});

/** A PNG whose header claims the given size; the checksum of the header is right, pixel data is missing. */
const pngClaiming = async (width: number, height: number): Promise<Uint8Array> => {
  const png = new Uint8Array(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
      .png()
      .toBuffer(),
  );
  const view = new DataView(png.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  const { crc32 } = await import('node:zlib');
  view.setUint32(29, crc32(png.subarray(12, 29)));
  return png;
};
const plainWall = async (): Promise<Uint8Array> =>
  new Uint8Array(
    await sharp({ create: { width: 1200, height: 900, channels: 3, background: '#c9c4bb' } })
      .jpeg()
      .toBuffer(),
  );
const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor(bytes.length * 0.6));
const text = new TextEncoder();

it('a BMP, a PSD, a JPEG XL and, where it is switched on, a HEIC go through store and node like any photo', async () => {
  const photo = sharp(await renderScene('mug', { width: 640 }));
  const { data, info } = await photo.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const answer = await send([
    { name: 'mug.bmp', bytes: new Uint8Array(bmpOf(data, info.width, { bits: 24 })) },
    { name: 'mug.psd', bytes: new Uint8Array(psdOf(data, info.width, 4, { layers: 1, isPacked: true })) },
    { name: 'mug.jxl', bytes: await jxlOf(await photo.png().toBuffer(), { quality: 90 }) },
    { name: 'mug.heic', bytes: heicMug },
  ]);
  expect(answer.status).toBe(200);
  const results = uploadResponseSchema.parse(await answer.json()).results as UploadResult[];
  for (const [i, name] of ['mug.bmp', 'mug.psd', 'mug.jxl', 'mug.heic'].entries())
    expect(results[i]).toMatchObject({ original_name: name, format: 'JPG', amazon_compliant: true });
});

describe('a bad input answers with its own code and changes nothing', () => {
  it.each([
    ['an empty file', async () => new Uint8Array(), 422, 'file_empty'],
    [
      'text renamed .jpg',
      async () => text.encode('this is no picture, whatever its name says\n'.repeat(50)),
      415,
      'unsupported_media_type',
    ],
    ['a truncated JPEG', async () => cut(await renderScene('mug')), 422, 'unreadable_image'],
    [
      'a truncated PNG',
      async () =>
        cut(
          new Uint8Array(
            await sharp(await renderScene('mug'))
              .png()
              .toBuffer(),
          ),
        ),
      422,
      'unreadable_image',
    ],
    ['a PNG that claims 60,000 × 60,000', () => pngClaiming(60_000, 60_000), 413, 'image_too_large'],
    ['a plain wall without a product', plainWall, 422, 'no_product_found'],
    ['a file over 25 MB', async () => new Uint8Array(25_000_001).fill(0xff), 413, 'file_too_large'],
  ])('%s', async (_what, make, status, code) => {
    const before = await accountOf(system);
    const answer = await send([{ name: 'photo.jpg', bytes: await make() }]);
    const problem = await problemOf(answer);
    expect([answer.status, problem.code, problem.success]).toEqual([status, code, false]);
    expect(problem.request_id).toBe(answer.headers.get('request-id'));
    expect(await accountOf(system)).toMatchObject({
      available_credits: before.available_credits,
      held_credits: 0,
      spent_credits: before.spent_credits,
    });
    await expectBalanced(system, { spent: before.spent_credits });
  });

  it('an animated GIF is processed by its first frame', async () => {
    const frame = await sharp(await renderScene('mug'))
      .resize(640)
      .toBuffer();
    const gif = await sharp(
      [
        frame,
        await sharp({ create: { width: 640, height: 640, channels: 3, background: '#123' } })
          .png()
          .toBuffer(),
      ],
      { join: { animated: true } },
    )
      .gif()
      .toBuffer();
    const answer = await send([{ name: 'turntable.gif', bytes: new Uint8Array(gif), type: 'image/gif' }]);
    expect(((await answer.json()) as UploadResponse).results[0]).toMatchObject({ amazon_compliant: true });
  });
});

describe('the logs of a run', () => {
  const logs = async (): Promise<string> => {
    const folder = join(system.settings.dataDir, 'logs');
    const names = await readdir(folder);
    return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
  };

  it('have no download path and no presigned URL in them', async () => {
    const answer = (await (
      await send([{ name: 'logged.jpg', bytes: await renderScene('mug') }])
    ).json()) as UploadResponse;
    const { clean_url, preview_url } = answer.results[0] as UploadResult;
    await download(clean_url);
    expect((await fetch(`${clean_url}x`)).status).toBe(403);
    // A link of our own as an input is refused, and said so.
    const again = { images: [{ input_url: clean_url }] };
    const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' };
    const refused = { method: 'POST', headers, body: JSON.stringify(again) };
    expect([202, 400]).toContain((await fetch(`${system.baseUrl}/api/v1/service-hero`, refused)).status);
    await expect.poll(logs).toContain('job finished');
    const text = await logs();
    for (const url of [clean_url, preview_url]) {
      const [token = 'none'] = url.split('/downloads/')[1]?.split('/') ?? [];
      expect(token.length).toBeGreaterThan(60);
      expect(text).not.toContain(token);
      expect(text).not.toContain(token.split('.')[1]);
    }
    expect(text).not.toMatch(/X-Amz-Signature=(?!\[redacted\])/i);
  });
});

describe('a restart', () => {
  it('keeps the key, the balance and the results', async () => {
    const sent = (await (await send([{ name: 'kept.jpg', bytes: await renderScene('bag') }])).json()) as UploadResponse;
    const before = await accountOf(system);
    await system.stop();
    const again = await startSystem(system.settings);
    system = { ...again, remove: system.remove };
    try {
      expect(again.apiKey).toBe(system.apiKey);
      expect({ ...(await accountOf(system)), request_id: '' }).toEqual({ ...before, request_id: '' });
      expect((await download((sent.results[0] as UploadResult).clean_url)).length).toBeGreaterThan(10_000);
    } finally {
      await again.stop();
    }
  });
});
