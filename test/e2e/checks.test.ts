/** Both tiers with the real model: what the free check says, the paid call says as well. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResponse } from '../../shared/api.ts';
import type { CheckAnswer } from '../../shared/check-api.ts';
import { paths } from '../../shared/paths.ts';
import { type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { renderScene, sceneWithTruth } from '../support/scenes.ts';
import { accountOf, expectBalanced } from './support.ts';

let system: TemporarySystem;
let photos: Awaited<ReturnType<typeof startPhotoServer>>;
/** Cut through the middle of the product. */
let cropped: Uint8Array<ArrayBuffer>;
let whole: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  whole = new Uint8Array(await renderScene('mug'));
  const { width, height, alpha } = await sceneWithTruth('mug');
  const columns = Array.from({ length: width }, (_, x) => x).filter((x) => {
    for (let y = 0; y < height; y++) if ((alpha[y * width + x] ?? 0) >= 128) return true;
    return false;
  });
  const middle = columns[Math.floor(columns.length / 2)] ?? 0;
  cropped = new Uint8Array(
    await sharp(whole)
      .extract({ left: middle, top: 0, width: width - middle, height })
      .jpeg({ quality: 95 })
      .toBuffer(),
  );
  photos = await startPhotoServer();
  system = await temporarySystem({ credits: 10, env: { LOCAL_INPUT_HOSTS: photos.hostPort } });
});
afterAll(async () => {
  await system?.remove();
  await photos?.close();
});

const authorization = (): string => `Bearer ${system.apiKey}`;
type Fields = Readonly<Record<string, string>>;
const check = (file: Uint8Array<ArrayBuffer>, fields: Fields = {}): Promise<Response> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('files', new Blob([file]), 'mug.jpg');
  return fetch(system.baseUrl + paths.check, { method: 'POST', headers: { authorization: authorization() }, body });
};
const checkUrl = (url: string, options: object): Promise<Response> =>
  fetch(system.baseUrl + paths.check, {
    method: 'POST',
    headers: { authorization: authorization(), 'content-type': 'application/json' },
    body: JSON.stringify({ input_url: url, options }),
  });

describe('a photo that is cut off', () => {
  it('is told by the check, at the edge where it is, and costs nothing', async () => {
    const before = await accountOf(system);
    const response = await check(cropped);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const answer = JSON.parse(text) as CheckAnswer;
    const found = answer.findings.find(({ code }) => code === 'product_cropped');
    expect(found, text).toMatchObject({ severity: 'required' });
    expect(found?.box?.x).toBe(0);
    expect(answer.product_box?.x).toBe(0);
    const { width, height } = await sharp(cropped).metadata();
    expect([answer.width, answer.height]).toEqual([width, height]);
    expect(await accountOf(system)).toEqual({ ...before, request_id: expect.any(String) });
  });

  it('is told by the paid call as well, which goes on by default and is not charged with on_finding=fail', async () => {
    const before = await accountOf(system);
    const paid = await upload(system.baseUrl, system.apiKey, [{ name: 'mug.jpg', bytes: cropped }]);
    const { results } = (await paid.json()) as UploadResponse;
    expect(results[0]).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ code: 'product_cropped' })]),
    });
    const files = [{ name: 'mug.jpg', bytes: cropped }];
    const stopped = await upload(system.baseUrl, system.apiKey, files, { on_finding: 'fail' });
    expect(stopped.status).toBe(422);
    expect(await stopped.json()).toMatchObject({
      code: 'product_cropped',
      retryable: false,
      errors: [{ field: 'files[0]', code: 'product_cropped', remedy: expect.stringMatching(/./) }],
    });
    const after = await accountOf(system);
    expect(after.spent_credits).toBe(before.spent_credits + 1);
    await expectBalanced(system, { spent: after.spent_credits });
  });
});

it('a photo with nothing to mend gets no required finding, as a file and by its URL', async () => {
  // Its product has some 560 px.
  const asFile = await check(whole, { canvas: '600' });
  const byUrl = await checkUrl(`${photos.url}/photo/0.jpg`, { canvas: 300 });
  for (const response of [asFile, byUrl]) {
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const { findings } = JSON.parse(text) as CheckAnswer;
    expect(
      findings.filter(({ severity }) => severity === 'required'),
      text,
    ).toEqual([]);
  }
});

it('a product that has too few pixels for its canvas is told with the figure', async () => {
  const { findings } = (await (await check(whole)).json()) as CheckAnswer;
  expect(findings).toMatchObject([{ code: 'source_too_small', detail: expect.stringMatching(/\d+ px/) }]);
});

it('a file that is no photo after all is refused with its reason', async () => {
  const broken = await check(whole.slice(0, 400));
  expect([415, 422]).toContain(broken.status);
  expect(await broken.json()).toMatchObject({ errors: [{ field: 'files[0]' }] });
});
