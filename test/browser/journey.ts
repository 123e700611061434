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

const open = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** A key with a cap and a permission less, from another address only, then rolled without overlap: the API obeys at once. */
export const limitAndRollKey = async (page: Page, base: string): Promise<void> => {
  const first = await makeKey(page, 'Limited');
  const answer = async (secret: string): Promise<string> => {
    const response = await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${secret}` } });
    return response.ok ? 'answered' : ((await response.json()) as { code: string }).code;
  };
  assert.equal(await answer(first), 'answered');
  await open(page, 'Edit Limited');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: /Read the balance/ }).uncheck();
  await dialog.getByLabel('Credits a day').fill('500');
  await dialog.getByLabel('Last day').fill('2999-06-30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('0 of 500 credits used today').waitFor();
  await page.getByText('Until 30 Jun 2999').waitFor();
  assert.equal(await answer(first), 'key_scope_missing');
  await open(page, 'Edit Limited');
  await dialog.getByRole('checkbox', { name: /Read the balance/ }).check();
  await dialog.getByLabel('Allowed addresses').fill('203.0.113.0/24\n2001:db8::/32');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('From 2 address ranges').waitFor();
  assert.equal(await answer(first), 'key_address_not_allowed');
  await open(page, 'Roll Limited');
  await dialog.getByLabel('The secret in use still works for').selectOption('0');
  await dialog.getByRole('button', { name: 'Roll key' }).click();
  const second = (await page.locator('dialog .secret code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  assert.equal(await answer(first), 'key_expired');
  assert.equal(await answer(second), 'key_address_not_allowed');
  assert.ok(!(await page.content()).includes(second), 'the secret is still on the page after it was stored');
};
