/** What the playground says of files, of its own work, and of the result. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { type Dropped, drop } from './drop.ts';
import { progressWasTrue, watchSteps } from './instant.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
export const heic = new Uint8Array([0, 0, 0, 24, ...text('ftypheic'), 0, 0, 0, 0, ...text('mif1heic')]);

/** A small JPEG whose header names other sides: what a browser is told of a photo of that size, before it decodes any. */
const claimsToBe = async (width: number, height: number): Promise<Uint8Array> => {
  const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#ccc' } })
    .jpeg()
    .toBuffer();
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
};

/** Each file that is not taken is named, with the reason, at once and without a broken picture. */
export const refuseFiles = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/playground`);
  await page.locator('.drop').waitFor();
  const large = await claimsToBe(9_000, 9_000);
  const refused: readonly (readonly [Dropped, RegExp])[] = [
    [{ name: 'notes.txt', type: 'text/plain', bytes: text('no photo') }, /notes\.txt is not a photo.*JPEG, PNG, WebP/],
    [
      { name: 'IMG_1.HEIC', type: 'image/heic', bytes: heic },
      /IMG_1\.HEIC: The photo is a HEIC\/HEIF file.*export it as JPEG/,
    ],
    [
      { name: 'cut.jpg', type: 'image/jpeg', bytes: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]) },
      /cut\.jpg cannot be read/,
    ],
    [{ name: 'large.jpg', type: 'image/jpeg', bytes: large }, /large\.jpg has 81 megapixels, and 64 megapixels are/],
  ];
  for (const [file, said] of refused) {
    assert.ok(await drop(page, file), `the page is left for ${file.name}`);
    await page.getByRole('alert').filter({ hasText: said }).waitFor({ timeout: 5_000 });
    const broken = await page.evaluate(() =>
      Array.from(document.images).some((image) => image.complete && image.naturalWidth === 0),
    );
    assert.ok(!broken, `a broken picture for ${file.name}`);
  }
};

/** Notes each state of the progress bar: where it stands and what it tells a screen reader. */
const watchProgress = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const holder = globalThis as unknown as { bars: string[] };
    holder.bars = [];
    new MutationObserver(() => {
      const bar = document.querySelector('[role=progressbar]');
      if (!bar) return;
      const drawn = (bar.firstElementChild as HTMLElement).style.transform || 'moving';
      const state = `${bar.getAttribute('aria-valuenow')} ${drawn}`;
      if (holder.bars.at(-1) !== state) holder.bars.push(state);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });

const progressFaults = async (page: Page): Promise<string[]> => {
  const bars = await page.evaluate(() => (globalThis as unknown as { bars: string[] }).bars);
  assert.ok(bars.length > 0, 'no progress was shown');
  return bars.filter((state) => {
    const [now, drawn = ''] = state.split(' ');
    if (now === 'null') return drawn !== 'moving';
    const share = Number(drawn.replace(/[^\d.]/g, ''));
    return Math.abs(share * 100 - Number(now)) > 1;
  });
};

/** A photo dropped beside the zone is taken; its run button is in view, its progress true, its verdict said once. */
export const previewPhoto = async (page: Page, base: string, photo: Uint8Array): Promise<void> => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${base}/playground`);
  await page.locator('.drop').waitFor();
  await watchProgress(page);
  await watchSteps(page);
  assert.ok(await drop(page, { name: 'mug.jpg', type: 'image/jpeg', bytes: photo }, '.page-head'));
  const run = page.getByRole('button', { name: /^Run/ });
  const box = await run.boundingBox();
  assert.ok(box && box.y + box.height <= 900, `the run button ends at ${box && box.y + box.height} of 900`);
  await page.locator('[data-provider]').waitFor({ timeout: 120_000 });
  assert.deepEqual(await progressFaults(page), []);
  await progressWasTrue(page);
  assert.equal(await page.locator('[data-verdict]').count(), 1);
};

/** A pasted key's empty field goes when a new key is made. */
export const makeKeyInstead = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Paste a key' }).click();
  await page.getByLabel('Secret key').waitFor();
  await page.getByRole('button', { name: 'New test key' }).click();
  await page.getByRole('button', { name: 'Run free (test key)' }).and(page.locator(':enabled')).waitFor();
  assert.equal(await page.getByLabel('Secret key').count(), 0);
};

/** At either end of the slider one picture is shown whole, and no line. */
export const slideToEnds = async (page: Page): Promise<void> => {
  const slider = page.getByLabel('Show before or after');
  for (const [value, hidden] of [
    ['0', '.compare-label.left'],
    ['100', '.compare-after'],
  ] as const) {
    await slider.fill(value);
    assert.equal(await page.locator(`${hidden}:visible`).count(), 0, `${hidden} at ${value}`);
    const line = await page.locator('.compare-line').evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(line, 'rgba(0, 0, 0, 0)', `a line at ${value}`);
    const [frame, knob] = await Promise.all([
      page.locator('.compare').boundingBox(),
      page.locator('.compare-line').boundingBox(),
    ]);
    assert.ok(frame && knob && knob.x - 15 >= frame.x && knob.x + 15 <= frame.x + frame.width, `the knob at ${value}`);
  }
};

/** Test run, check and preview agree: one verdict on the page, the mark of a test key not counted. */
export const runWithTestKey = async (page: Page): Promise<void> => {
  const before = await page.locator('[data-verdict]').getAttribute('data-verdict');
  await page.getByRole('button', { name: 'Run free (test key)' }).click();
  await page.getByText(/^Done in/).waitFor({ timeout: 60_000 });
  await page.getByText('carries a mark, which does not count').waitFor();
  assert.equal(await page.locator('[data-verdict]').count(), 1);
  assert.equal(await page.locator('[data-verdict]').getAttribute('data-verdict'), before);
  assert.ok(!(await page.locator('.checks').innerText()).includes('does not meet'));
};

/** The answer of a run comes when the page shows other options: it is no result of those, and the log is linked. */
export const changeDuringRun = async (page: Page): Promise<void> => {
  const changed = Promise.withResolvers<void>();
  await page.route(
    '**/api/v1/service-hero',
    async (route) => {
      const response = await route.fetch();
      await changed.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const shadow = page.getByLabel('Shadow');
  const before = await shadow.isChecked();
  await page.getByRole('button', { name: 'Run free (test key)' }).click();
  await shadow.setChecked(!before);
  changed.resolve();
  await page.getByText('asked for before you changed this page').waitFor({ timeout: 60_000 });
  assert.equal(await page.getByText(/^Done in/).count(), 0, 'the result of other options is shown as that of these');
  await shadow.setChecked(before);
};

/** The page is loaded again while a run is under way: its result is there all the same. */
export const reloadDuringRun = async (page: Page): Promise<void> => {
  // The API takes the run and answers; the page is gone before it hears that.
  const answered = new Promise<number>((resolve) => {
    void page.route('**/api/v1/service-hero', async (route) => resolve((await route.fetch()).status()), { times: 1 });
  });
  await page.getByRole('button', { name: 'Run free (test key)' }).click();
  assert.equal(await answered, 200);
  await page.reload();
  const card = page.getByRole('region', { name: 'The run before the page was loaded again' });
  await card.getByRole('link', { name: /^Download/ }).waitFor({ timeout: 60_000 });
  await card.locator('[data-verdict]').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.locator('.drop').waitFor();
  assert.equal(await card.count(), 0);
};

/** Where WebGPU cannot be used, the page says so in a sentence; what the runtime said is folded away. */
export const failOnWebGpu = async (page: Page, base: string, photo: Uint8Array): Promise<void> => {
  await page.goto(`${base}/playground`);
  await page.getByText('Preview settings').click();
  await page.getByLabel('Preview computed by').selectOption('webgpu');
  await drop(page, { name: 'mug.jpg', type: 'image/jpeg', bytes: photo });
  const alert = page.getByRole('alert');
  await alert.getByText('WebGPU does not work in this browser.').waitFor({ timeout: 60_000 });
  const shown = await alert.evaluate((element) => {
    const copy = element.cloneNode(true) as Element;
    for (const folded of copy.querySelectorAll('details:not([open])')) folded.remove();
    return copy.textContent ?? '';
  });
  assert.doesNotMatch(shown, /ERR|backend|onnx|Error:/i);
};
