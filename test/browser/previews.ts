/**
 * The playground's preview against origin's pipeline with the same model. The two share all imaging code and differ in
 * the runtime of the model and in who decodes and resizes, so they agree closely and not to the bit.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { makeMainImage } from '../../origin/pipeline/index.ts';
import { type Detail, withDetail } from '../../portal/src/playground/detail.ts';
import { resolveOptions } from '../../shared/options.ts';
import { loadInfer } from '../support/infer.ts';

/** Side of the preview, px; origin's result is reduced to it. */
const SIDE = 1_000;
/**
 * Share of the pixels that either calls product and the other does not. A draft's matte is soft, so its outline moves
 * with the last bit.
 */
export const OUTLINE_MISS_MAX: Readonly<Record<Detail, number>> = { full: 0.01, draft: 0.02 };
/** Mean difference over all channels, of 255. */
export const MEAN_DIFFERENCE_MAX = 2;

const PREVIEW_MS_MAX = 150_000;

export type Agreement = {
  readonly detail: Detail;
  readonly outlineMiss: number;
  readonly meanDifference: number;
  readonly seconds: number;
};

/**
 * The sample photo, computed on WebAssembly or WebGPU: the preview's pixels and the photo's bytes as the browser has
 * them.
 */
export const preview = async (
  page: Page,
  base: string,
  provider: 'wasm' | 'webgpu',
  detail: Detail = 'full',
): Promise<{ rgb: Buffer; photo: Buffer; seconds: number }> => {
  await page.goto(`${base}/playground${detail === 'draft' ? '?detail=draft' : ''}`);
  await page.getByText('Preview settings').click();
  await page.getByLabel('Preview computed by').selectOption(provider);
  await page.evaluate(() => {
    const real = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob: Blob | MediaSource) => {
      (globalThis as unknown as { photo: unknown }).photo ??= blob;
      return real(blob);
    };
  });
  const started = performance.now();
  await page.getByRole('button', { name: 'Use a sample' }).click();
  await page.locator(`[data-provider="${provider}"]`).or(page.getByRole('alert')).waitFor({ timeout: PREVIEW_MS_MAX });
  const seconds = (performance.now() - started) / 1000;
  assert.equal(await page.getByRole('alert').count(), 0, await page.getByRole('alert').allInnerTexts().then(String));
  const png = await page.evaluate(() => {
    const canvas = document.querySelector('.compare-after canvas') as HTMLCanvasElement;
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  const photo = await page.evaluate(async () => {
    const bytes = new Uint8Array(await (globalThis as unknown as { photo: Blob }).photo.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  });
  const rgb = await sharp(Buffer.from(png, 'base64')).removeAlpha().raw().toBuffer();
  assert.equal(rgb.length, SIDE * SIDE * 3);
  return { rgb, photo: Buffer.from(photo, 'base64'), seconds };
};

/** Origin's own pipeline on the same photo, reduced to the preview's side. */
const originResult = async (photo: Buffer, model: string, detail: Detail): Promise<Buffer> => {
  const options = resolveOptions({});
  assert.ok(options.ok);
  const { infer } = await loadInfer(model);
  const hero = await makeMainImage(
    { bytes: new Uint8Array(photo), options: options.value, watermark: false },
    { decode, infer: withDetail(infer, detail), clock: monotonicClock },
  );
  assert.ok(hero.ok);
  return sharp(hero.value.clean).resize(SIDE, SIDE).removeAlpha().raw().toBuffer();
};

const isProduct = (rgb: Buffer, i: number): boolean => rgb[i]! < 250 || rgb[i + 1]! < 250 || rgb[i + 2]! < 250;

export const agreement = async (
  page: Page,
  base: string,
  provider: 'wasm' | 'webgpu',
  detail: Detail = 'full',
): Promise<Agreement> => {
  const { rgb, photo, seconds } = await preview(page, base, provider, detail);
  const origin = await originResult(photo, provider === 'wasm' ? 'isnet-int8' : 'isnet-w8', detail);
  let differ = 0;
  let either = 0;
  let sum = 0;
  for (let i = 0; i < rgb.length; i += 3) {
    const [a, b] = [isProduct(rgb, i), isProduct(origin, i)];
    if (a || b) either++;
    if (a !== b) differ++;
    for (let c = 0; c < 3; c++) sum += Math.abs(rgb[i + c]! - origin[i + c]!);
  }
  assert.ok(either > 0.2 * SIDE * SIDE, `the product takes only ${either} pixels`);
  return { detail, outlineMiss: differ / either, meanDifference: sum / rgb.length, seconds };
};

export const faultsOf = (name: string, { detail, outlineMiss, meanDifference }: Agreement): string[] => [
  ...(outlineMiss > OUTLINE_MISS_MAX[detail]
    ? [`${name}: outlines differ in ${(100 * outlineMiss).toFixed(2)} % of the product`]
    : []),
  ...(meanDifference > MEAN_DIFFERENCE_MAX
    ? [`${name}: colours differ by ${meanDifference.toFixed(2)} on average`]
    : []),
];

/** Draws the region of nearly the whole photo, which the same call in code then has. */
const drawRegion = async (page: Page): Promise<void> => {
  await page.getByText('One product of several').click();
  const photo = page.locator('.region-photo');
  await photo.scrollIntoViewIfNeeded();
  const box = await photo.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 0.05 * box.width, box.y + 0.05 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.95 * box.width, box.y + 0.95 * box.height, { steps: 4 });
  await page.mouse.up();
  const region = await page.getByLabel('Region').inputValue();
  assert.match(region, /^\d[\d.]*%(,\d[\d.]*%){3}$/);
  await page.getByText(`region=${region}`).waitFor();
};

/**
 * The free check and then the real run from the playground, with a key made there; what the page then shows came through
 * the API. The sample photo has too few pixels, which is marked on it.
 */
export const runFromPlayground = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'New live key' }).click();
  await drawRegion(page);
  await page.getByRole('button', { name: 'Check first, free' }).click();
  await page.getByRole('link', { name: 'Too few pixels' }).waitFor({ timeout: 60_000 });
  await page.getByRole('img', { name: /findings? marked on the photo$/ }).waitFor();
  await page.getByRole('button', { name: 'Run for 1 credit' }).click();
  await page.getByText(/^Done in/).waitFor({ timeout: 60_000 });
  await page.getByRole('img', { name: 'After: result of the API' }).waitFor({ timeout: PREVIEW_MS_MAX });
  await page.waitForFunction(() =>
    Array.from(document.images).every((image) => image.complete && image.naturalWidth > 0),
  );
};
