/** What a new customer does in the portal, in the setup order of the specification. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

export const PASSWORD = 'correct horse battery';

export const register = async (page: Page, base: string, email: string): Promise<void> => {
  await page.goto(`${base}/`);
  await page.getByRole('link', { name: 'Get started' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.getByRole('link', { name: 'outbox' }).click();
  await page.locator('article', { hasText: email }).locator('.mail-link').first().click();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
};

export const signIn = async (page: Page, base: string, email: string): Promise<void> => {
  await page.goto(`${base}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
};

export const buyPack = async (page: Page): Promise<void> => {
  await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Billing' }).click();
  await page.getByRole('button', { name: 'Buy with test checkout' }).click();
  await page.getByText('This is not a payment.').waitFor();
  await page.getByRole('button', { name: /^Pay/ }).click();
  await page.getByText('1,000 credits were added').waitFor();
};

/** The secret, as the dialog shows it once. */
export const makeKey = async (page: Page, label: string, mode: 'Live' | 'Test' = 'Live'): Promise<string> => {
  await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Generate key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').fill(label);
  await dialog.getByRole('radio', { name: mode }).check();
  await dialog.getByRole('button', { name: 'Generate key' }).click();
  const secret = (await page.locator('dialog .secret code').textContent()) ?? '';
  assert.match(secret, mode === 'Live' ? /^packshot_live_/ : /^packshot_test_/);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  assert.ok(!(await page.content()).includes(secret), 'the secret is still on the page after it was stored');
  return secret;
};

/** Balance in dollars as the sidebar shows it. */
export const balance = async (page: Page, base: string): Promise<string> => {
  await page.goto(`${base}/overview`);
  const shown = page.locator('.balance-chip strong');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return (await shown.textContent()) ?? '';
};
