/** From the first page to the first image by the API, as a stranger goes: what is clicked, and what is filled in. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { uploadResponseSchema } from '../../shared/api.ts';
import { newPage, type Watch } from './chromium.ts';
import { register } from './customer.ts';

const CLICKS_MAX = 8;
const FIELDS_MAX = 3;

/** Counts what a person does, on every page of the visit. */
const countSteps = async (page: Page): Promise<{ clicks: number; readonly fields: Set<string> }> => {
  const steps = { clicks: 0, fields: new Set<string>() };
  await page.exposeFunction('noteClick', () => void steps.clicks++);
  await page.exposeFunction('noteField', (name: string) => void steps.fields.add(name));
  await page.addInitScript(() => {
    const note = globalThis as unknown as { noteClick: () => void; noteField: (name: string) => void };
    addEventListener(
      'click',
      ({ isTrusted, target }) => {
        // A click of a script is nobody's step, and local mode's outbox stands for a mailbox that is open anyway.
        if (isTrusted && !(target as Element).closest('a[href="/outbox"]')) note.noteClick();
      },
      true,
    );
    addEventListener('input', ({ target }) => note.noteField((target as HTMLInputElement).name), true);
  });
  return steps;
};

/** Registers, copies the call that the overview shows, and pastes it into a terminal; the page says that it came. */
export const firstImage = async (browser: Browser, seen: Watch, base: string): Promise<string> => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await newPage(context, seen);
  const steps = await countSteps(page);
  await register(page, base, `first-${Date.now()}@example.com`);
  await page.locator('.steps pre', { hasText: 'packshot_test_' }).waitFor();
  await page.getByRole('button', { name: 'Copy code' }).click();
  const program = await page.evaluate(() => navigator.clipboard.readText());
  const folder = await mkdtemp(join(tmpdir(), 'packshot-first-'));
  try {
    const { stdout } = await promisify(execFile)('bash', ['-c', program], { cwd: folder });
    const { results } = uploadResponseSchema.parse(JSON.parse(stdout));
    const [made] = results;
    assert.ok(made && 'clean_url' in made, stdout);
    const { width, height } = await sharp(await (await fetch(made.clean_url)).bytes()).metadata();
    assert.deepEqual([width, height], [512, 512]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { clicks, fields } = steps;
  await page.getByText('Your first image is made.').waitFor();
  await page.getByRole('link', { name: 'See it' }).click();
  await page.waitForURL('**/logs/req_*');
  await context.close();
  assert.ok(clicks <= CLICKS_MAX && fields.size <= FIELDS_MAX, `${clicks} clicks, ${fields.size} fields`);
  return `${clicks} clicks (one of them in the mail), ${fields.size} fields: ${[...fields].join(', ')}`;
};
