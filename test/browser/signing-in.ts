/** Getting in, staying in, and what a visitor sees on the way. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { newPage, type Watch } from './chromium.ts';
import { PASSWORD } from './customer.ts';

const PHONE = { width: 390, height: 844 };

const fillSignIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Three pages, each asked for while signed out. */
export const comeBackAfterSignIn = async (page: Page, base: string, email: string): Promise<void> => {
  for (const path of ['/keys', '/logs?status=success', '/billing']) {
    await page.context().clearCookies();
    await page.goto(base + path);
    await page.waitForURL(`${base}/sign-in?next=${encodeURIComponent(path)}`);
    await fillSignIn(page, email);
    await page.waitForURL(base + path);
    await page.waitForLoadState('networkidle');
    assert.equal(page.url(), base + path);
  }
};

/** The cookie is gone, the page does not know yet: the next call brings to sign-in and back, and nothing is shown on. */
export const endSession = async (page: Page, base: string, email: string): Promise<void> => {
  // Not the overview: until the first image is made it asks on its own, and that call may be the next one.
  await page.goto(`${base}/billing`);
  await page.locator('.balance-chip strong', { hasText: '$' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'API keys' }).click();
  await page.waitForURL(`${base}/sign-in?next=%2Fkeys`);
  await page.getByText('Your session has ended.').waitFor();
  assert.equal(await page.locator('.balance-chip').count(), 0);
  await fillSignIn(page, email);
  await page.waitForURL(`${base}/keys`);
};

/** A signed-in browser opens the link of its mail: the new password is confirmed, and works. */
export const resetPassword = async (page: Page, base: string, email: string): Promise<void> => {
  const password = `${PASSWORD} again`;
  await page.goto(`${base}/forgot-password`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('an email is on its way').waitFor();
  await page.getByRole('link', { name: 'outbox' }).click();
  const mail = page.locator('article', { hasText: email }).filter({ hasText: 'password' });
  await mail.locator('.mail-link').first().click();
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Your password was changed.').waitFor();
  await page.getByRole('link', { name: 'Sign in with the new password' }).click();
  await fillSignIn(page, email, password);
  await page.waitForURL(`${base}/overview`);
};

/** On a phone: the longest address breaks no page, and the header has a way in. */
export const visitOnPhone = async (browser: Browser, seen: Watch, base: string): Promise<void> => {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await newPage(context, seen);
  await page.goto(`${base}/`);
  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL(`${base}/sign-in`);
  await page.goto(`${base}/sign-up`);
  await page.getByLabel('Email address').fill(`${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(50)}.example.com`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `"Check your email" is ${width} px wide`);
  await context.close();
};

/** Pages answer 200, everything else 404 with the page that says so. */
export const askForPages = async (context: BrowserContext, base: string): Promise<void> => {
  const statusOf = async (path: string): Promise<number> => (await fetch(base + path)).status;
  for (const path of ['/', '/overview', '/docs/upload', '/logs/req_1', '/billing/receipts/pay_1'])
    assert.equal(await statusOf(path), 200, path);
  for (const path of ['/nothing-is-here', '/docs/nothing', '/overview/nothing'])
    assert.equal(await statusOf(path), 404);
  const page = await context.newPage();
  const answer = await page.goto(`${base}/nothing-is-here`);
  assert.equal(answer?.status(), 404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.close();
};
