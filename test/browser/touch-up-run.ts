/** A run of the playground is touched up: another product's place, one more credit, and no second one for a lost answer. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page, Response } from 'playwright-core';
import { type UploadResult, uploadResponseSchema } from '../../shared/api.ts';
import { drop } from './drop.ts';
import { violations } from './every-page.ts';
import { accountOf, paintAway, type Shelf } from './touch-up.ts';

const MS_MAX = 120_000;
/** Share of the canvas by which a side of the product may be apart in photo and result; the preview's box, of both products, is off by far more. */
const APART_MAX = 0.01;

const isRun = (response: Response): boolean => response.url().endsWith('/service-hero');

const resultOf = async (response: Response): Promise<UploadResult> => {
  const [result] = uploadResponseSchema.parse(await response.json()).results;
  assert.ok(result && 'product_box' in result);
  return result;
};

const runBoth = async (page: Page, base: string, { paths: [path = ''] }: Shelf): Promise<void> => {
  await page.goto(`${base}/playground?marketplace=meta&detail=draft`);
  await page.locator('.drop').waitFor();
  await drop(page, { name: 'both.jpg', type: 'image/jpeg', bytes: await readFile(path) });
  await page.getByRole('button', { name: 'New live key' }).click();
  await page.getByRole('button', { name: 'Run for 1 credit' }).click();
  await page.getByText(/^Done in/).waitFor({ timeout: MS_MAX });
};

/** The first answer is lost on the way: what was made and charged is told when the same file is asked for again. */
const makeTwice = async (page: Page): Promise<Response> => {
  await page.route(
    '**/api/v1/service-hero',
    async (route) => {
      await route.fetch();
      await route.fulfill({ status: 200, contentType: 'application/json', body: '{"cut' });
    },
    { times: 1 },
  );
  const make = page.getByRole('button', { name: 'Make the file for 1 credit' });
  await make.click();
  await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor({ timeout: MS_MAX });
  const [answer] = await Promise.all([page.waitForResponse(isRun), make.click()]);
  return answer;
};

/** The photo lies so over the result that the mug, which alone was kept, is at its place on the canvas. */
const photoLiesRight = async (
  page: Page,
  { boxes: [mug], size }: Shelf,
  { product_box, width, height }: UploadResult,
) => {
  const [left = 0, top = 0, wide = 0, high = 0] = await page
    .locator('.compare .before')
    .evaluate(({ style }: HTMLElement) =>
      [style.left, style.top, style.width, style.height].map((text) => Number.parseFloat(text) / 100),
    );
  const drawn = [
    left + (mug.x / size.width) * wide,
    top + (mug.y / size.height) * high,
    left + ((mug.x + mug.width) / size.width) * wide,
    top + ((mug.y + mug.height) / size.height) * high,
  ];
  const { x, y } = product_box;
  const made = [x / width, y / height, (x + product_box.width) / width, (y + product_box.height) / height];
  const apart = made.map((share, i) => Math.abs(share - drawn[i]!));
  assert.ok(Math.max(...apart) <= APART_MAX, JSON.stringify({ made, drawn }));
};

/** By the customer of `touchUpPhoto`, whose photos these are. */
export const touchUpRun = async (page: Page, base: string, shelf: Shelf): Promise<void> => {
  const before = await accountOf(page);
  await runBoth(page, base, shelf);
  await page.getByRole('button', { name: 'Touch up' }).click();
  await page.getByRole('button', { name: 'Make the file for 1 credit' }).and(page.locator(':enabled')).waitFor({
    timeout: MS_MAX,
  });
  assert.deepEqual(await violations(page), []);
  await paintAway(page, shelf);
  const answer = await makeTwice(page);
  const made = await resultOf(answer);
  assert.equal(answer.headers()['idempotent-replayed'], 'true');
  await page.getByRole('img', { name: 'After: result of the API' }).waitFor({ timeout: MS_MAX });
  await photoLiesRight(page, shelf, made);
  await page.getByRole('region', { name: 'The same call in code' }).getByText('matte=@matte.png').waitFor();
  const { spent, held } = await accountOf(page);
  assert.deepEqual([spent - before.spent, held], [2, 0]);
};
