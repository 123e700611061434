/** A folder of photos dropped into the portal: its cost, its grid, its ZIP and table, and what it was charged. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import sharp from 'sharp';
import type { AccountSummary, SessionAnswer } from '../../shared/portal-api.ts';
import { renderScene } from '../support/scenes.ts';
import { newPage, type Watch } from './chromium.ts';
import { buyPack, register } from './customer.ts';
import { inspectPages } from './every-page.ts';
import type { TakePicture } from './screenshots.ts';

const GOOD = 38;
/** One image a second on two idle cores; CI shares them. */
const MADE_MS_MAX = 300_000;
/** Large enough for the canvas of Meta, and no larger. */
const WIDTH = 960;

type PhotoFolder = { readonly path: string; readonly remove: () => Promise<void> };

const nameOf = (i: number): string => `bag-${String(i + 1).padStart(2, '0')}.jpg`;

/**
 * `autumn` with 38 photos in two folders, of which one bears another's name, one that is cut off, one without a product,
 * and a note. The photos are one scene in different JPEG qualities: other bytes, the same verdict.
 */
const photoFolder = async (): Promise<PhotoFolder> => {
  const root = await mkdtemp(join(tmpdir(), 'packshot-photos-'));
  const path = join(root, 'autumn');
  await mkdir(join(path, 'bags'), { recursive: true });
  await mkdir(join(path, 'more'));
  const bag = await renderScene('bag', { width: WIDTH });
  const photo = (i: number): Promise<Buffer> =>
    sharp(bag)
      .jpeg({ quality: 55 + i })
      .toBuffer();
  for (let i = 0; i < GOOD - 1; i++) await writeFile(join(path, 'bags', nameOf(i)), await photo(i));
  await writeFile(join(path, 'more', nameOf(0)), await photo(GOOD - 1));
  await writeFile(join(path, 'more', 'cut-off.jpg'), bag.subarray(0, bag.length / 3));
  const empty = sharp({ create: { width: WIDTH, height: 720, channels: 3, background: '#c8c4be' } });
  await writeFile(join(path, 'more', 'no-product.jpg'), await empty.jpeg().toBuffer());
  await writeFile(join(path, 'notes.txt'), 'no photo');
  return { path, remove: () => rm(root, { recursive: true, force: true }) };
};

/** As from a file manager: the browser reads the folder itself. */
const dropFolder = async (page: Page, path: string): Promise<void> => {
  const box = await page.locator('.folder-drop').boundingBox();
  assert.ok(box);
  const devtools = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
  await devtools.detach();
};

const accountOf = (page: Page): Promise<AccountSummary> =>
  page.evaluate(async () => {
    const answer = (await (await fetch('/portal/api/session')).json()) as SessionAnswer;
    if (!answer.me) throw new Error('nobody is signed in');
    return answer.me.account;
  });

/** What is dropped is told with its cost before anything is sent. */
const startBatch = async (page: Page, base: string, folder: PhotoFolder): Promise<void> => {
  await page.goto(`${base}/batches`);
  await page.getByText('No batches yet').waitFor();
  await dropFolder(page, folder.path);
  await page.getByRole('status').filter({ hasText: '1 file left out' }).getByText('notes.txt').waitFor();
  await page.locator('select[name=marketplace]').selectOption('meta');
  await page.getByRole('button', { name: 'Make a key for batches' }).click();
  const cost = page.getByLabel('Cost');
  await cost.getByText('40 credits, $10.00').waitFor();
  await cost.getByText('1,000 credits, $250.00').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'autumn');
  await page.getByRole('button', { name: 'Start for 40 credits' }).click();
  await page.getByRole('heading', { name: 'autumn' }).waitFor();
  assert.equal(await page.locator('.tile').count(), 40);
};

/** Once all are sent the tab is closed; another one finds the batch in the list and sees it end. */
const reopenBatch = async (
  context: BrowserContext,
  page: Page,
  base: string,
  open: () => Promise<Page>,
): Promise<Page> => {
  await page.getByText('Keep this tab open until all are sent').waitFor({ state: 'detached', timeout: 60_000 });
  await page.close();
  assert.equal(context.pages().length, 0);
  const again = await open();
  await again.goto(`${base}/batches`);
  await again.getByRole('link', { name: 'autumn' }).click();
  await again.locator('.batch-figures').getByText('40 of 40').waitFor({ timeout: MADE_MS_MAX });
  return again;
};

/** 38 are ready; the two others say by name why they are not. */
const readGrid = async (page: Page): Promise<void> => {
  assert.equal(await page.locator('.tile[data-standing=ready]').count(), GOOD);
  await page.getByRole('button', { name: 'Failed 2' }).click();
  const failed = page.locator('.tile');
  assert.equal(await failed.count(), 2);
  await failed
    .filter({ hasText: 'cut-off.jpg' })
    .getByText(/damaged or cut off/)
    .waitFor();
  await failed
    .filter({ hasText: 'no-product.jpg' })
    .getByText(/No product was found/)
    .waitFor();
  await page.getByRole('button', { name: /^All/ }).click();
};

const downloaded = async (page: Page, name: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
};

/** Every finished file once, with the bytes that the table tells of it; a row for every photo. */
const takeAllAway = async (page: Page): Promise<void> => {
  const zip = await downloaded(page, 'Download ZIP');
  assert.equal(zip.name, 'autumn.zip');
  const files = unzipSync(zip.bytes);
  const names = [...Array.from({ length: GOOD - 1 }, (_, i) => nameOf(i)), 'bag-01-2.jpg'];
  assert.deepEqual(Object.keys(files).sort(), names.sort());
  const csv = await downloaded(page, 'CSV');
  assert.equal(csv.name, 'autumn.csv');
  const rows: Record<string, string>[] = parse(Buffer.from(csv.bytes).toString(), { columns: true });
  assert.equal(rows.length, 40);
  const told = rows.map((row) => row['sha256']).filter(Boolean);
  const found = Object.values(files).map((bytes) => createHash('sha256').update(bytes).digest('hex'));
  assert.deepEqual(found.sort(), told.sort());
  assert.equal(rows.filter(({ verdict }) => verdict === 'ready').length, GOOD);
};

/** Only what can be downloaded was charged. */
const readCharge = async (page: Page): Promise<void> => {
  const { available, held, spent } = await accountOf(page);
  assert.deepEqual({ available, held, spent }, { available: 1_000 - GOOD, held: 0, spent: GOOD });
  await page.locator('.batch-figures').getByText('$9.50').waitFor();
};

/** Another photo takes the place of one that failed. */
const retakePhoto = async (page: Page, folder: PhotoFolder): Promise<void> => {
  await page.locator('.tile', { hasText: 'no-product.jpg' }).getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'no-product.jpg' });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'Send another photo' }).click(),
  ]);
  await chooser.setFiles(join(folder.path, 'bags', nameOf(7)));
  await page.locator('.batch-figures').getByText('40 of 40').waitFor({ timeout: MADE_MS_MAX });
  await page.getByRole('button', { name: 'Failed 1' }).waitFor({ timeout: MADE_MS_MAX });
  assert.equal(await page.locator('.tile[data-standing=ready]').count(), GOOD + 1);
};

const PHONE = { width: 360, height: 780 };

/** All of it, by a new customer; then the batch's own page is inspected as every page is. */
export const sellFolder = async (
  browser: Browser,
  seen: Watch,
  base: string,
  wide: ViewportSize,
  picture: TakePicture,
): Promise<void> => {
  const folder = await photoFolder();
  const context = await browser.newContext({ viewport: wide });
  const open = async (): Promise<Page> => {
    const page = await newPage(context, seen);
    page.setDefaultTimeout(60_000);
    return page;
  };
  try {
    const first = await open();
    await register(first, base, `bea-${Date.now()}@example.com`);
    await buyPack(first);
    await startBatch(first, base, folder);
    const page = await reopenBatch(context, first, base, open);
    await readGrid(page);
    await picture(page, 'folder');
    await takeAllAway(page);
    await readCharge(page);
    await retakePhoto(page, folder);
    const rows = [{ name: 'batch', path: new URL(page.url()).pathname }];
    const storageState = await context.storageState();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of [wide, PHONE]) {
        const looking = await browser.newContext({ viewport, colorScheme, storageState });
        const faults = await inspectPages(looking, seen, base, `${colorScheme}, ${viewport.width} px`, rows);
        assert.deepEqual(faults, []);
        await looking.close();
      }
  } finally {
    await context.close();
    await folder.remove();
  }
};
