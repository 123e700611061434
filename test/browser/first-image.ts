/** From the first page to the first image by the API, as a stranger goes: what is clicked, and what is filled in. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
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

/** Registers, puts a test key in, copies the quick start's two blocks, and runs them as they are. */
export const firstImage = async (browser: Browser, seen: Watch, base: string, photo: Uint8Array): Promise<string> => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await newPage(context, seen);
  const steps = await countSteps(page);
  await register(page, base, `first-${Date.now()}@example.com`);
  await page.getByRole('link', { name: 'Documentation' }).click();
  await page.getByRole('button', { name: 'Put a new test key in' }).click();
  await page.locator('pre', { hasText: /export PACKSHOT_KEY=packshot_test_\w+/ }).waitFor();
  const blocks = [];
  for (const at of [0, 1]) {
    await page.getByRole('button', { name: 'Copy code' }).nth(at).click();
    blocks.push(await page.evaluate(() => navigator.clipboard.readText()));
  }
  await context.close();
  const folder = await mkdtemp(join(tmpdir(), 'packshot-first-'));
  try {
    await writeFile(join(folder, 'photo.jpg'), photo);
    await promisify(execFile)('bash', ['-c', blocks.join('\n')], { cwd: folder });
    const { width, height } = await sharp(await readFile(join(folder, 'main-image.jpg'))).metadata();
    assert.deepEqual([width, height], [512, 512]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { clicks, fields } = steps;
  assert.ok(clicks <= CLICKS_MAX && fields.size <= FIELDS_MAX, `${clicks} clicks, ${fields.size} fields`);
  return `${clicks} clicks (one of them in the mail), ${fields.size} fields: ${[...fields].join(', ')}`;
};
