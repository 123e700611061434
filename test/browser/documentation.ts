/** Reading the documentation: its search, and a page copied for an agent. */
import type { Page } from 'playwright-core';

/** Finds an error by a part of its code, from another page, and lands on its row. */
export const searchDocs = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/docs`);
  const field = page.locator('input[type=search]:visible');
  await field.fill('limited');
  await page.locator('.doc-search li:visible', { hasText: 'rate_limited' }).first().waitFor();
  await field.fill('rate_limited');
  await page.locator('.doc-search li:visible strong').first().getByText('rate_limited', { exact: true }).waitFor();
  await field.press('Enter');
  await page.waitForURL(`${base}/docs/errors#rate_limited`);
  await page.locator('#rate_limited').waitFor();
};

export const copyForAgent = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/docs/upload`);
  await page.getByRole('button', { name: 'Copy for an agent' }).click();
  await page.getByText('Copied', { exact: true }).first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const served = await (await fetch(`${base}/docs/upload.md`)).text();
  if (copied !== served || !copied.startsWith('# Uploading files') || !copied.includes(base))
    throw new Error(`copied: ${copied.slice(0, 200)}`);
};
