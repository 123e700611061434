/** The money pages: a small pack, its receipt, a level for the low-balance mail, and what was spent. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { register } from './customer.ts';
import { violations } from './every-page.ts';

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

  await topUp(page);
  await page.getByRole('link', { name: /^pay_/ }).first().click();
  for (const text of ['API pack, 40 credits at $0.25', '[name of the seller: SELLER_NAME]', 'Tax'])
    await page.getByText(text, { exact: false }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^Invoice/ }).count(), 0, 'a test receipt has no invoice');
};

const saveCard = async (page: Page, open: string, card: string): Promise<void> => {
  await page.getByRole('button', { name: open }).click();
  await page.getByRole('button', { name: card }).click();
  await page.getByText('Visa ending in').waitFor();
};

/** Of the whole page, with what only a saved card brings. */
const noViolations = async (page: Page): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await page.getByText('Visa ending in').waitFor();
    await page.getByRole('table', { name: 'Ledger entries, newest first' }).waitFor();
    assert.deepEqual(await violations(page), [], colorScheme);
  }
};

/** A card that works buys the pack at once, because the balance is at the level; a declined one pauses. */
const topUp = async (page: Page): Promise<void> => {
  await saveCard(page, 'Save a card', 'Save a card that works');
  await page.getByLabel('When available credits are at or below').fill('60');
  await page.getByLabel('Pack to buy').selectOption({ label: '40 credits, $10.00' });
  await page.getByLabel('Monthly limit in dollars').fill('20');
  const consent = page.getByRole('checkbox', { name: /^I allow this card to be charged \$10\.00/ });
  await consent.check();
  await page.getByRole('button', { name: 'Switch on top-up' }).click();
  await page.getByText('$10.00 of $20.00 used this month').waitFor();
  await page.getByRole('table', { name: 'Last top-ups' }).getByText('Done').waitFor();
  await page.getByRole('table', { name: 'Ledger entries, newest first' }).getByText('$20.00').waitFor();
  await noViolations(page);
  await saveCard(page, 'Replace card', 'Save a card that is declined');
  await page.getByLabel('When available credits are at or below').fill('100');
  await consent.check();
  await page.getByRole('button', { name: 'Change terms' }).click();
  await page.getByText('Paused: your bank declined the card.').waitFor();
  await page.getByRole('button', { name: 'Remove card' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click();
  await page.getByText('No card saved').waitFor();
};
