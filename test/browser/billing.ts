/** The money pages: a small pack, its receipt, a level for the low-balance mail, and what was spent. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { register } from './customer.ts';

const toBilling = async (page: Page): Promise<void> => {
  await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Billing' }).click();
  await page.getByRole('heading', { name: 'Billing' }).waitFor();
};

/** As a new customer. */
export const buySmallPack = async (page: Page, base: string): Promise<void> => {
  await register(page, base, `bill-${Date.now()}@example.com`);
  await toBilling(page);
  assert.ok(await page.getByRole('radio', { name: /^1,000 credits/ }).isChecked(), 'the large pack is not preselected');
  await page.getByRole('radio', { name: /^40 credits/ }).check();
  await page.getByRole('button', { name: 'Buy with test checkout' }).click();
  await page.getByRole('button', { name: 'Pay $10.00 (test)' }).click();
  await page.getByText('40 credits were added').waitFor();
  await page.getByText('Nothing spent').waitFor();

  await page.getByLabel('Level in credits').fill('20');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('On: a mail comes when the balance falls to 20 credits.').waitFor();
  await page.reload();
  await page.getByText('On: a mail comes when the balance falls to 20 credits.').waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Off: no mail is sent.').waitFor();

  await page.getByRole('link', { name: /^pay_/ }).click();
  for (const text of ['API pack, 40 credits at $0.25', '[name of the seller: SELLER_NAME]', 'Tax'])
    await page.getByText(text, { exact: false }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^Invoice/ }).count(), 0, 'a test receipt has no invoice');
};
