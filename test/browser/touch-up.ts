/** A photo that needs a look: a product is painted away, and the file made anew. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import sharp from 'sharp';
import type { AccountSummary, SessionAnswer } from '../../shared/portal-api.ts';
import { sceneOfTwo } from '../support/scenes.ts';
import { newPage, type Watch } from './chromium.ts';
import { buyPack, register } from './customer.ts';
import { inspectPages, weigh } from './every-page.ts';

const MADE_MS_MAX = 120_000;
/** With the download of the model. */
const FOUND_MS_MAX = 120_000;

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type Shelf = {
  readonly folder: string;
  readonly paths: readonly string[];
  /** The photo's size, and where each product is in it. */
  readonly size: { readonly width: number; readonly height: number };
  readonly boxes: readonly [Box, Box];
};

const boxOf = (alpha: Uint8Array, width: number): Box => {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  alpha.forEach((value, i) => {
    if (value < 128) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  });
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
};

/** Two photos of a mug beside a shoe. */
const twoPhotos = async (): Promise<Shelf> => {
  const folder = await mkdtemp(join(tmpdir(), 'packshot-touch-up-'));
  const { rgb, alphas, width, height } = await sceneOfTwo(['mug', 'shoe'], { room: 'studio', scale: 0.62 });
  const picture = sharp(rgb, { raw: { width, height, channels: 3 } });
  const paths = ['both.jpg', 'other.jpg'].map((name) => join(folder, name));
  for (const [i, path] of paths.entries())
    await writeFile(
      path,
      await picture
        .clone()
        .jpeg({ quality: 92 - i })
        .toBuffer(),
    );
  return { folder, paths, size: { width, height }, boxes: [boxOf(alphas[0], width), boxOf(alphas[1], width)] };
};

export const accountOf = (page: Page): Promise<AccountSummary> =>
  page.evaluate(async () => {
    const answer = (await (await fetch('/portal/api/session')).json()) as SessionAnswer;
    if (!answer.me) throw new Error('nobody is signed in');
    return answer.me.account;
  });

/** Both need a look, because two products are on them; both are charged. */
const sendBoth = async (page: Page, base: string, { paths }: Shelf): Promise<void> => {
  await page.goto(`${base}/batches`);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose photos' }).click(),
  ]);
  await chooser.setFiles([...paths]);
  // Each product is large enough for its canvas.
  await page.locator('select[name=marketplace]').selectOption('meta');
  await page.getByRole('button', { name: 'Make a key for batches' }).click();
  await page.getByRole('button', { name: 'Start for 2 credits' }).click();
  await page.getByRole('link', { name: '2 need a look: touch them up' }).waitFor({ timeout: MADE_MS_MAX });
};

/** From the photo's pixels to the page's, where all of the photo is in sight. */
const placeOnPage = async (page: Page, { size }: Shelf) => {
  const stage = await page.locator('.touch-stage').boundingBox();
  assert.ok(stage);
  const scale = Math.min((stage.width - 26) / size.width, (stage.height - 26) / size.height);
  const [left, top] = [
    stage.x + (stage.width - size.width * scale) / 2,
    stage.y + (stage.height - size.height * scale) / 2,
  ];
  return { scale, at: (x: number, y: number) => [left + x * scale, top + y * scale] as const };
};

const openFirst = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: '2 need a look: touch them up' }).click();
  await page.getByRole('heading', { name: 'both.jpg' }).waitFor();
  await page.getByRole('button', { name: 'Make the file for 1 credit' }).and(page.locator(':enabled')).waitFor({
    timeout: FOUND_MS_MAX,
  });
  await page.getByText('1 of 2').waitFor();
};

/** What was done is on the screen. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  });

/** Share of the stage that is white, by what is on the screen: with the product on white, of what goes. */
const going = async (page: Page): Promise<number> => {
  await drawn(page);
  const shot = await page.locator('.touch-stage').screenshot();
  const { data, info } = await sharp(shot).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let white = 0;
  for (let i = 0; i < data.length; i += 3) if (data[i]! + data[i + 1]! + data[i + 2]! === 765) white++;
  return white / (info.width * info.height);
};

/** Over the shoe, line by line, well into the background. */
export const paintAway = async (page: Page, shelf: Shelf): Promise<void> => {
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByLabel('Size of the brush').fill('30');
  const { at, scale } = await placeOnPage(page, shelf);
  const { x, y, width, height } = shelf.boxes[1];
  const margin = 12 / scale;
  await page.mouse.move(...at(x - margin, y - margin));
  await page.mouse.down();
  for (let down = y - margin, line = 0; down <= y + height + margin; down += 25 / scale, line++) {
    const sides = line % 2 === 0 ? [x - margin, x + width + margin] : [x + width + margin, x - margin];
    for (const side of sides) await page.mouse.move(...at(side, down), { steps: 4 });
  }
  await page.mouse.up();
  await page.mouse.move(2, 2);
};

const undoAndRedo = async (page: Page, before: number): Promise<void> => {
  const painted = await going(page);
  assert.ok(painted > before + 0.01, `${painted} of the stage goes, ${before} before the stroke`);
  await page.keyboard.press('Control+z');
  await page.getByRole('status').filter({ hasText: 'Undone.' }).waitFor({ state: 'attached' });
  assert.ok(Math.abs((await going(page)) - before) < 0.005);
  await page.getByRole('button', { name: 'Redo' }).click();
  assert.ok(Math.abs((await going(page)) - painted) < 0.005);
};

/** By keys alone: a dab is painted, and taken back; what is held is shown as it was. */
const paintByKeys = async (page: Page): Promise<void> => {
  const before = await going(page);
  await page.locator('.touch-stage').focus();
  await page.keyboard.press('k');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.down(' ');
  for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.up(' ');
  assert.ok((await going(page)) < before - 0.005, 'the stroke keeps nothing');
  await page.keyboard.press('Control+z');
  await page.keyboard.down('b');
  assert.ok((await going(page)) < 0.1, 'the photo is not shown as it was');
  await page.keyboard.up('b');
  await page.keyboard.press('+');
  await page.keyboard.press('0');
};

const makeFile = async (page: Page): Promise<void> => {
  await page.getByLabel('Cost').getByText('1 credit, $0.25').waitFor();
  await page.getByRole('button', { name: 'Make the file for 1 credit' }).click();
  // The next one is there by itself; it is left as it is.
  await page.getByRole('heading', { name: 'other.jpg' }).waitFor();
  await page.getByRole('button', { name: 'Skip: leave it as it is' }).click();
  await page.locator('.tile[data-standing=ready]', { hasText: 'both.jpg' }).waitFor({ timeout: MADE_MS_MAX });
  assert.equal(await page.locator('.tile[data-standing=needs_a_look]').count(), 1);
};

/** The mug fills the canvas as one product does, and nothing else is on it. */
const readFileMade = async (page: Page, { boxes: [mug] }: Shelf): Promise<void> => {
  await page.locator('.tile', { hasText: 'both.jpg' }).getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'both.jpg' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: /^Meta/ }).click(),
  ]);
  const bytes = await readFile(await download.path());
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const product = Uint8Array.from({ length: info.width * info.height }, (_, i) =>
    data[i * 3]! + data[i * 3 + 1]! + data[i * 3 + 2]! < 765 ? 255 : 0,
  );
  const found = boxOf(product, info.width);
  assert.ok(Math.abs(found.width / found.height / (mug.width / mug.height) - 1) < 0.03, JSON.stringify({ found, mug }));
  assert.ok(Math.abs(Math.max(found.width, found.height) / info.width - 0.85) <= 0.005);
  await page.keyboard.press('Escape');
};

const inspectLooks = async (browser: Browser, context: BrowserContext, seen: Watch, base: string, page: Page) => {
  const rows = [{ name: 'touch-up', path: `${new URL(page.url()).pathname}/touch-up` }];
  const storageState = await context.storageState();
  for (const colorScheme of ['light', 'dark'] as const)
    for (const viewport of [
      { width: 1_280, height: 860 },
      { width: 390, height: 780 },
    ]) {
      const looking = await browser.newContext({ viewport, colorScheme, storageState });
      assert.deepEqual(await inspectPages(looking, seen, base, `${colorScheme}, ${viewport.width} px`, rows), []);
      await looking.close();
    }
  const phone = await browser.newContext({ viewport: { width: 390, height: 780 }, storageState });
  for (const row of rows) assert.deepEqual((await weigh(phone, seen, base, row)).faults, []);
  await phone.close();
};

export type Look = (page: Page, name: string) => Promise<void>;

/** By a new customer. `look` sees the page as it is on the way; `then` goes on with the same photos. */
export const touchUpPhoto = async (
  browser: Browser,
  seen: Watch,
  base: string,
  wide: ViewportSize,
  then: (page: Page, shelf: Shelf) => Promise<void> = async () => {},
  look: Look = async () => {},
): Promise<void> => {
  const shelf = await twoPhotos();
  const context = await browser.newContext({ viewport: wide });
  try {
    const page = await newPage(context, seen);
    page.setDefaultTimeout(60_000);
    await register(page, base, `kim-${Date.now()}@example.com`);
    await buyPack(page);
    await sendBoth(page, base, shelf);
    await look(page, 'batch');
    await openFirst(page);
    await look(page, 'found');
    await page.getByRole('button', { name: 'On white' }).click();
    const before = await going(page);
    await page.getByRole('button', { name: 'On white' }).click();
    await paintAway(page, shelf);
    await look(page, 'painted');
    await page.getByRole('button', { name: 'On white' }).click();
    await undoAndRedo(page, before);
    await paintByKeys(page);
    await drawn(page);
    await look(page, 'white');
    await makeFile(page);
    await look(page, 'made');
    await readFileMade(page, shelf);
    const { available, held, spent } = await accountOf(page);
    assert.deepEqual({ available, held, spent }, { available: 997, held: 0, spent: 3 });
    await inspectLooks(browser, context, seen, base, page);
    await then(page, shelf);
  } finally {
    await context.close();
    await rm(shelf.folder, { recursive: true, force: true });
  }
};
