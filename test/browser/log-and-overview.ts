/** A failed request in the log, and the figures of the overview. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { upload } from '../support/local-system.ts';

/** File, sentence, key, options and body of a request that failed. */
export const readFailedEntry = async (
  page: Page,
  base: string,
  key: { label: string; secret: string },
): Promise<void> => {
  const wall = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#dddddd' } })
    .jpeg()
    .toBuffer();
  const answer = await upload(base, key.secret, [{ name: 'wall.jpg', bytes: wall }], { marketplace: 'ebay' });
  assert.equal(answer.status, 422);
  const { request_id } = (await answer.json()) as { request_id: string };
  await page.goto(`${base}/logs/${request_id}`);
  await page.getByText('No product was found in the image').first().waitFor();
  const shown = await page.locator('main').innerText();
  for (const said of ['wall.jpg', key.label, '"marketplace": "ebay"', '"code": "no_product_found"', '"success": false'])
    assert.ok(shown.includes(said), `${said} is missing`);
};

/** Runs of a test key count in neither the images nor their latency. */
export const readUsageOfTests = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/overview`);
  const figure = (name: string) => page.locator('.chart-facts div', { hasText: name }).locator('dd');
  await figure('Images').waitFor();
  for (const [name, value] of [
    ['Images', '0'],
    ['Latency p50', '–'],
    ['Latency p95', '–'],
  ] as const)
    assert.equal(await figure(name).innerText(), value, name);
};
