/**
 * The setup order of the specification, walked as a new customer would: register, buy, make a key, call, read the log,
 * see the balance, revoke, 401.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { upload } from '../support/local-system.ts';
import { balance, buyPack, makeKey, register } from './customer.ts';

export const walkSetupOrder = async (page: Page, base: string, email: string, photo: Uint8Array): Promise<void> => {
  await register(page, base, email);
  assert.equal(await balance(page, base), '$0.00');
  await buyPack(page);
  const secret = await makeKey(page, 'Catalogue');
  assert.equal(await balance(page, base), '$250.00');

  const answer = await upload(base, secret, [{ name: 'mug.jpg', bytes: photo }]);
  assert.equal(answer.status, 200, await answer.clone().text());
  const { request_id } = (await answer.json()) as { request_id: string };

  await seeLogEntry(page, base, request_id);
  assert.equal(await balance(page, base), '$249.75');
  await sumsOfExportAreBalance(page, base, 999);

  await page.goto(`${base}/keys`);
  await page.getByRole('button', { name: 'Revoke Catalogue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Revoked').waitFor();
  const refused = await upload(base, secret, [{ name: 'mug.jpg', bytes: photo }]);
  assert.equal(refused.status, 401);
  assert.equal(((await refused.json()) as { code: string }).code, 'key_revoked');
  assert.equal(await balance(page, base), '$249.75');
};

const seeLogEntry = async (page: Page, base: string, requestId: string): Promise<void> => {
  await page.goto(`${base}/logs`);
  const row = page.getByRole('row', { name: /POST \/service-hero/ }).first();
  await row.getByText('200').waitFor();
  await row.click();
  await page.waitForURL(`**/logs/${requestId}`);
  const picture = page.getByRole('img', { name: /^Result/ });
  await picture.waitFor();
  await page.waitForFunction(() =>
    Array.from(document.images).every((image) => image.complete && image.naturalWidth > 0),
  );
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  assert.match(download.suggestedFilename(), /\.jpg$/);
};

/** The CSV as the browser downloads it: its sums are the balance. */
const sumsOfExportAreBalance = async (page: Page, base: string, credits: number): Promise<void> => {
  const csv = await page.evaluate(async (url) => (await fetch(url)).text(), `${base}/portal/api/ledger.csv`);
  const [head = '', ...lines] = csv.trim().split('\r\n');
  const column = (name: string): number =>
    lines.reduce((sum, line) => sum + Number(line.split(',')[head.split(',').indexOf(name)]), 0);
  assert.equal(column('available_change'), credits);
  assert.equal(column('held_change'), 0);
  assert.equal(column('spent_change'), 1);
};

/** With the live tail on, a request shows up without any reload. */
export const seeLiveTail = async (page: Page, base: string, secret: string): Promise<void> => {
  await page.goto(`${base}/logs`);
  await page.getByRole('button', { name: 'Go live' }).click();
  const before = await page.locator('tbody tr').count();
  const answer = await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal(answer.status, 200);
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length > n, before);
};
