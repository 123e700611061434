/** Going somewhere by the keyboard: a page by a part of its name, a request by its id. */
import type { Page } from 'playwright-core';

export const goByPalette = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Page, file name or id' });
  await field.fill('webh');
  await page.getByRole('option', { selected: true }).getByText('Webhooks', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/webhooks`);
  await field.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Go to/ }).click();
  await field.fill('log');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await page.goto(`${base}/logs`);
  const id = new URL(
    await page
      .locator('tbody a[href^="/logs/req_"]')
      .first()
      .evaluate((a: HTMLAnchorElement) => a.href),
  );
  await page.keyboard.press('Control+k');
  await field.fill(id.pathname.slice('/logs/'.length));
  await page.keyboard.press('Enter');
  await page.waitForURL(id.href);
};
