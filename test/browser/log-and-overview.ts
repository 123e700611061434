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

/** Use of test keys is apart from that of live ones; the file has the rows that the page shows, and the address all of it. */
export const readUsagePage = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/usage`);
  const figure = (name: string) => page.locator('.usage-facts div', { hasText: name }).locator('dd');
  await page.getByText('Nothing used in these days').waitFor();
  await page.getByRole('button', { name: 'Show test keys' }).click();
  await figure('Failed').waitFor();
  assert.equal(await figure('Failed').innerText(), '1');
  assert.equal(await figure('Spent').innerText(), '–');
  await page.getByRole('button', { name: 'Marketplace' }).click();
  const rows = page.getByRole('table', { name: 'The whole range by marketplace' }).locator('tbody tr');
  const ebay = rows.filter({ hasText: 'eBay' });
  await ebay.waitFor();
  assert.equal(await ebay.locator('[data-label="Failed"]').innerText(), '1');
  const { search } = new URL(page.url());
  assert.ok(search.includes('mode=test') && search.includes('by=marketplace'), search);
  const table = page.getByRole('table', { name: 'Usage by day' }).locator('tbody tr');
  const file = page.getByRole('link', { name: 'Export CSV' });
  const text = await page.evaluate(async (url) => (await fetch(url)).text(), (await file.getAttribute('href')) ?? '');
  // One line of names; the table has one of sums.
  assert.equal(text.trim().split('\r\n').length, await table.count());
};
