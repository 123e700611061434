/** Both tiers with the real model, asked as remove.bg's clients ask. */
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporarySystem, temporarySystem } from '../support/local-system.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { renderScene, sceneWithTruth } from '../support/scenes.ts';
import { accountOf, download, expectBalanced } from './support.ts';

let system: TemporarySystem;
let photos: Awaited<ReturnType<typeof startPhotoServer>>;
beforeAll(async () => {
  photos = await startPhotoServer([await renderScene('mug')]);
  system = await temporarySystem({ credits: 50, env: { LOCAL_INPUT_HOSTS: photos.hostPort } });
});
afterAll(async () => {
  await system?.remove();
  await photos?.close();
});

const send = async (given: Record<string, string>, accept = '*/*'): Promise<Response> => {
  const form = new FormData();
  form.append('image_file', new Blob([new Uint8Array(await renderScene('mug'))]), 'mug.jpg');
  for (const [name, value] of Object.entries(given)) form.append(name, value);
  const headers = { 'x-api-key': system.apiKey, accept };
  return fetch(`${system.baseUrl}/v1.0/removebg`, { method: 'POST', headers, body: form });
};
const fileOf = async (response: Response): Promise<Uint8Array> => {
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.status, Buffer.from(bytes).toString('utf8', 0, 300)).toBe(200);
  return bytes;
};

describe('POST /v1.0/removebg', () => {
  it('answers the product where it was, for one credit, and its box in the headers', async () => {
    const before = await accountOf(system);
    const response = await send({ size: 'full' });
    const file = await fileOf(response);
    const truth = await sceneWithTruth('mug');
    const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: truth.width, height: truth.height, channels: 4 });
    let both = 0;
    let either = 0;
    for (let i = 0; i < truth.alpha.length; i++) {
      const [found, real] = [data[i * 4 + 3]! >= 128, truth.alpha[i]! >= 128];
      if (found && real) both++;
      if (found || real) either++;
    }
    expect(both / either).toBeGreaterThan(0.95);
    expect(Number(response.headers.get('x-foreground-width'))).toBeLessThan(truth.width);
    expect(response.headers.get('x-credits-charged')).toBe('1');
    await expectBalanced(system, { spent: before.spent_credits + 1 });
  });

  it('answers a preview of a URL as JSON, free of charge', async () => {
    const before = await accountOf(system);
    const response = await fetch(`${system.baseUrl}/v1.0/removebg`, {
      method: 'POST',
      headers: { 'x-api-key': system.apiKey, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ size: 'preview', type: 'auto', crop: false, image_url: `${photos.url}/photo/0.jpg` }),
    });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { result_b64: string } };
    const { width, height, format } = await sharp(Buffer.from(data.result_b64, 'base64')).metadata();
    expect(width * height).toBeLessThanOrEqual(250_000);
    expect(format).toBe('png');
    await expectBalanced(system, { spent: before.spent_credits });
  });

  it('answers an archive whose download lasts', async () => {
    const response = await send({ size: 'auto', format: 'zip' });
    const file = await fileOf(response);
    expect(Object.keys(unzipSync(file)).sort()).toEqual(['alpha.png', 'color.jpg']);
    const status = await fetch(`${system.baseUrl}/api/v1/service-hero/status/${response.headers.get('x-batch-id')}`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    const { images } = (await status.json()) as { images: { clean_download_url: string }[] };
    expect(await download(images[0]?.clean_download_url ?? '')).toEqual(file);
  });

  it('a region that the photo does not hold is a 400 and costs nothing', async () => {
    const before = await accountOf(system);
    const response = await send({ size: 'full', roi: '0px 0px 5000px 5000px' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ code: 'roi_exceeds_bounds' }] });
    await expectBalanced(system, { spent: before.spent_credits });
  });
});
