/** The pages one works with: a request as an inspector, the log's search, deliveries, resending and testing a webhook. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { upload } from '../support/local-system.ts';
import type { PhotoServer } from '../support/photo-server.ts';

const isLoaded = (page: Page, selector: string): Promise<unknown> =>
  page.waitForFunction((given) => {
    const picture = document.querySelector<HTMLImageElement>(given);
    return (picture?.naturalWidth ?? 0) > 0;
  }, selector);

/** Photo and result, timing, code, request and response; then its options and photo in the playground. */
export const inspectRequest = async (page: Page, base: string, key: string, photo: Uint8Array): Promise<void> => {
  const fields = { marketplace: 'etsy', background: '#f4f4f4', fill: '0.8' };
  const answer = await upload(base, key, [{ name: 'mug.jpg', bytes: photo }], fields);
  assert.equal(answer.status, 200);
  const { request_id } = (await answer.json()) as { request_id: string };
  await page.goto(`${base}/logs/${request_id}`);
  await isLoaded(page, '.image-frame.before img');
  await isLoaded(page, 'img.result');
  await page.locator('.timing summary').click();
  await page.locator('.timing').getByText('of it the model').waitFor();
  const code = await page.getByRole('tabpanel').innerText();
  for (const said of ['-F \'files=@"mug.jpg"\'', "-F 'marketplace=etsy'", '$PACKSHOT_KEY'])
    assert.ok(code.includes(said), `${said} is not in ${code}`);
  assert.ok(!(await page.content()).includes(key), 'the key is on the page');
  const shown = await page.locator('main').innerText();
  for (const said of ['"mug.jpg"', '"background": "#f4f4f4"', `"request_id": "${request_id}"`, '"clean_url"'])
    assert.ok(shown.includes(said), `${said} is missing`);
  await page.getByRole('link', { name: 'Open in the playground' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  await page.getByRole('button', { name: 'Other photo' }).waitFor();
  assert.equal(await page.locator('select[name=marketplace]').inputValue(), 'etsy');
};

/** A delivery that failed is found, looked into and sent again; a test event says that it is one. */
export const resendWebhook = async (page: Page, base: string, key: string, shop: PhotoServer): Promise<void> => {
  shop.answerHook('orders?token=s3cret', [500, 200]);
  const created = await fetch(`${base}/api/v1/service-hero`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input_url: `${shop.url}/photo/0.jpg`, webhook_url: `${shop.url}/hook/orders?token=s3cret` }),
  });
  assert.equal(created.status, 202);
  const { request_id } = (await created.json()) as { request_id: string };
  while (shop.hooks.length === 0) await page.waitForTimeout(200);
  await page.goto(`${base}/webhooks`);
  await page.getByRole('button', { name: 'Failed' }).click();
  const row = page.getByRole('row').filter({ hasText: '/hook/orders?…' });
  await row.first().waitFor();
  await row.first().getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"status": "completed"').first().waitFor();
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await dialog.getByText('Delivered: 200').waitFor();
  const [first, second] = shop.hooks;
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByLabel('URL of your receiver').fill(`${shop.url}/hook/test`);
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.locator('main').getByText('Delivered: 200').waitFor();
  const sent = JSON.parse(shop.hooks.at(-1)?.body ?? '{}') as { test?: boolean };
  assert.equal(sent.test, true);

  await page.goto(`${base}/logs/${request_id}`);
  const deliveries = page.locator('.card', { hasText: 'Webhook deliveries' });
  await deliveries.getByText('Resent').waitFor();
  assert.equal(await deliveries.getByRole('row').count(), 3);
  assert.ok(!(await page.content()).includes('s3cret'), 'the secret of the address is on the page');
};

/** An endpoint is added, tested and told of a batch; its deliveries are found under it; disabled, it is told of no more. */
export const useEndpoint = async (page: Page, base: string, key: string, shop: PhotoServer): Promise<void> => {
  const url = `${shop.url}/hook/endpoint`;
  const heard = () => shop.hooks.filter(({ name }) => name === 'endpoint');
  await page.goto(`${base}/webhooks`);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Endpoint URL').fill(url);
  if (key.startsWith('packshot_test_')) await dialog.getByRole('radio', { name: 'Test' }).check();
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('row').filter({ hasText: url }).getByText('Enabled').waitFor();
  await page.getByRole('button', { name: `Test ${url}` }).click();
  await dialog.getByRole('button', { name: 'Send test event' }).click();
  await dialog.getByText('Delivered: 200').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const created = await fetch(`${base}/api/v1/service-hero`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input_url: `${shop.url}/photo/1.jpg` }),
  });
  const { batch_id } = (await created.json()) as { batch_id: string };
  while (heard().length < 2) await page.waitForTimeout(200);
  assert.equal((JSON.parse(heard()[1]?.body ?? '{}') as { batch_id?: string }).batch_id, batch_id);
  await page
    .locator('select[name=endpoint]')
    .selectOption({ label: key.startsWith('packshot_test_') ? `${url} (test)` : url });
  await page.getByRole('button', { name: 'Refresh' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Automatic' });
  await row.first().waitFor();
  assert.equal(await row.count(), 1);
  await row.getByRole('button').click();
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await dialog.getByText('Delivered: 200').waitFor();
  assert.equal(heard()[2]?.headers['webhook-id'], heard()[1]?.headers['webhook-id']);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: `Disable ${url}` }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
};

/** By file name, by request id, by what nothing has; and the table of what was searched for. */
export const searchLog = async (page: Page, base: string, key: string, photo: Uint8Array): Promise<void> => {
  const answer = await upload(base, key, [{ name: 'Autumn Mug.jpg', bytes: photo }], { marketplace: 'walmart' });
  const { request_id } = (await answer.json()) as { request_id: string };
  const rows = page.locator('.log-table tbody tr');
  const field = page.getByLabel('File name or request id');
  await page.goto(`${base}/logs`);
  await rows.nth(1).waitFor();
  await field.fill('autumn');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/name=autumn/);
  await rows.filter({ hasText: 'Autumn Mug.jpg · Walmart' }).waitFor();
  assert.equal(await rows.count(), 1);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const table = await readFile(await (await downloading).path(), 'utf8');
  assert.equal(table.trim().split('\r\n').length, 2);
  assert.ok(table.includes('Autumn Mug.jpg') && table.includes(request_id));
  await page.getByLabel('Marketplace').selectOption('ebay');
  await page.getByText('Nothing matches').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await rows.nth(1).waitFor();
  await field.fill(request_id);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(`${base}/logs/${request_id}`);
};
