/** The first page: its sample is drawn right, and a visitor's own photo is made there without an account. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { limits } from '../../shared/limits.ts';
import { newPage, type Watch } from './chromium.ts';
import { drop } from './drop.ts';

/** Lossy files are not quite white beside an edge. */
const NEARLY_WHITE = 236;
/** px of the result's canvas; the picture shown has half of them. */
const BOX_MISS_MAX = 6;

/** The sample's box is drawn around all of the sample, its handle too. */
const sampleInItsBox = async (page: Page, base: string): Promise<void> => {
  const bytes = Buffer.from(await (await fetch(`${base}/samples/mug-result.webp`)).arrayBuffer());
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
  let [left, right, top, bottom] = [info.width, 0, info.height, 0];
  for (let i = 0; i < data.length; i++) {
    if (data[i]! > NEARLY_WHITE) continue;
    const [x, y] = [i % info.width, Math.floor(i / info.width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x + 1), Math.min(top, y), Math.max(bottom, y + 1)];
  }
  const [paper, box] = await Promise.all(
    ['.try-it .paper', '.try-it .product-box'].map((selector) => page.locator(selector).boundingBox()),
  );
  assert.ok(paper && box);
  const drawn = [box.x - paper.x, box.x + box.width - paper.x, box.y - paper.y, box.y + box.height - paper.y];
  for (const [at, edge] of [left, right, top, bottom].entries()) {
    const miss = Math.abs((drawn[at]! / paper.width - edge / info.width) * 2_000);
    assert.ok(miss <= BOX_MISS_MAX, `side ${at} of the sample's box is ${miss.toFixed(1)} px off`);
  }
};

/** Keeps the model's bytes from the page until it is let go. */
const holdModel = async (page: Page): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.context().route(/\.onnx/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
};

/**
 * A visitor without an account drops a photo on the first page: a quick look is there while the model still loads, then
 * the preview of this browser. A small copy is all that is sent.
 */
export const previewOnLanding = async (
  browser: Browser,
  seen: Watch,
  base: string,
  photo: Uint8Array,
): Promise<string> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await newPage(context, seen);
  page.setDefaultTimeout(30_000);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()} ${request.postData()?.length}`);
  });
  const letModelGo = await holdModel(page);
  await page.goto(base);
  await page.locator('.try-it .compare.on-canvas').waitFor();
  await sampleInItsBox(page, base);
  const notes = { name: 'notes.txt', type: 'text/plain', bytes: new TextEncoder().encode('no photo') };
  assert.ok(await drop(page, notes, 'h1'), 'the page is left for a text file');
  await page.getByRole('alert').filter({ hasText: 'notes.txt is not a photo' }).waitFor();
  const begun = performance.now();
  assert.ok(await drop(page, { name: 'mug.jpg', type: 'image/jpeg', bytes: photo }, 'h1'), 'the page is left');
  const look = page.getByAltText('A quick look at the result');
  await look.waitFor();
  const lookSeconds = (performance.now() - begun) / 1000;
  assert.equal(await look.evaluate((image: HTMLImageElement) => image.naturalWidth), limits.quickLook.canvas);
  await page.locator('.own-photo').getByText('a small copy that is not kept').waitFor();
  letModelGo();
  await page.locator('.own-photo .compare').waitFor({ timeout: 120_000 });
  const seconds = (performance.now() - begun) / 1000;
  assert.equal(await look.count(), 0);
  assert.equal(await page.locator('[data-verdict]').count(), 1);
  await page.locator('.own-photo [name=marketplace]').selectOption('zalando');
  await page.getByRole('img', { name: /canvas of 1,801 × 2,600 px/ }).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px wider than a phone`);
  assert.equal(sent.length, 1, sent.join('\n'));
  assert.match(sent[0] ?? '', /^POST \S+\/portal\/api\/quick-look \d+$/);
  const chars = Number(sent[0]?.split(' ')[2]);
  assert.ok(chars <= limits.quickLook.bodyBytesMax, `${chars} characters were sent`);
  await context.close();
  return `a quick look after ${lookSeconds.toFixed(1)} s, the preview after ${seconds.toFixed(1)} s with the model's download; ${Math.round(chars / 1_000)} kB were sent`;
};
