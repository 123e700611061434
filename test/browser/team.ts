/** A team: an owner invites, the invited registers by the mail, sees what the role includes, and is removed. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { newPage, watch } from './chromium.ts';
import { makeKey, PASSWORD, signIn } from './customer.ts';

const places = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Portal' }).getByRole('link').allInnerTexts();
const refused = (page: Page) => page.getByRole('heading', { name: 'Not part of your role' });
type Look = (page: Page, name: string) => Promise<void>;

const inviteMember = async (owner: Page, base: string, email: string, look: Look): Promise<void> => {
  await owner.goto(`${base}/members`);
  await owner.getByRole('button', { name: 'Invite' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByRole('radio', { name: 'billing' }).check();
  await look(owner, 'invite');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await owner.getByRole('cell', { name: email, exact: true }).waitFor();
  await look(owner, 'invited');
};

const registerByLink = async (member: Page, base: string, email: string, look: Look): Promise<void> => {
  await member.goto(`${base}/outbox`);
  await member.locator('article', { hasText: email }).locator('.mail-link').first().click();
  await member.getByRole('heading', { name: 'You are invited' }).waitFor();
  await look(member, 'invitation');
  await member.getByRole('button', { name: 'I am new here' }).click();
  await member.getByLabel('Name').fill('Grace Hopper');
  await member.getByLabel('Password').fill(PASSWORD);
  await member.getByRole('button', { name: 'Register and accept' }).click();
  await member.getByRole('heading', { name: 'Overview' }).waitFor();
};

const seeRole = async (member: Page, base: string, look: Look): Promise<void> => {
  const shown = ['Overview', 'Usage', 'Documentation', 'Billing', 'Members', 'Security', 'Settings'];
  assert.deepEqual(await places(member), shown);
  await look(member, 'billing-overview');
  await member.goto(`${base}/keys`);
  await refused(member).waitFor();
  await look(member, 'not-allowed');
  await member.getByRole('link', { name: 'Usage' }).click();
  await member.locator('.usage-facts, .empty').first().waitFor();
  await member.getByRole('link', { name: 'Billing' }).click();
  await member.getByRole('heading', { name: 'Billing' }).waitFor();
  await member.getByRole('link', { name: 'Members' }).click();
  await member.getByText('You', { exact: true }).waitFor();
  assert.equal(await member.getByRole('button', { name: 'Invite' }).count(), 0);
  await look(member, 'members-billing');
};

/** As developer: a key is made, which the owner is offered to revoke when the member goes. */
const becomeDeveloper = async (owner: Page, member: Page, base: string, email: string): Promise<void> => {
  await owner.goto(`${base}/members`);
  await owner.getByRole('button', { name: `Change role of ${email}` }).click();
  await owner.getByRole('radio', { name: 'developer' }).check();
  await owner.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await owner.getByRole('dialog').waitFor({ state: 'detached' });
  await member.goto(`${base}/overview`);
  await makeKey(member, 'Of Grace', 'Test');
};

const removeMember = async (owner: Page, email: string, look: Look): Promise<void> => {
  await owner.getByRole('button', { name: `Remove ${email}` }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByText('whose secret they were shown will go on').waitFor();
  await look(owner, 'remove');
  await dialog.getByRole('button', { name: 'Remove member' }).click();
  await dialog.getByRole('button', { name: 'Revoke Of Grace' }).click();
  await dialog.getByText('Revoked').waitFor();
  await look(owner, 'removed');
  await dialog.getByRole('button', { name: 'Done' }).click();
};

/** Both sign in with browsers of their own. `look`: told when a page is worth a picture. */
export const workAsTeam = async (
  browser: Browser,
  base: string,
  ownerEmail: string,
  look: Look = async () => undefined,
): Promise<void> => {
  // Apart from the other pages: being refused is what this is about.
  const seen = watch(base);
  const [ofOwner, ofMember] = [await browser.newContext(), await browser.newContext()];
  const [owner, member] = [await newPage(ofOwner, seen), await newPage(ofMember, seen)];
  const email = `grace-${Date.now()}@example.com`;
  await signIn(owner, base, ownerEmail);
  await inviteMember(owner, base, email, look);
  await registerByLink(member, base, email, look);
  await seeRole(member, base, look);
  await becomeDeveloper(owner, member, base, email);
  await removeMember(owner, email, look);
  await member.getByRole('link', { name: 'Logs', exact: true }).click();
  await member.getByText('You are no longer a member').waitFor();
  await member.getByRole('heading', { name: 'Get started' }).waitFor();
  await look(member, 'moved');
  await Promise.all([ofOwner.close(), ofMember.close()]);
  assert.deepEqual(
    seen.faults.filter((fault) => !fault.includes('status of 403')),
    [],
  );
};
