/** HEIC photos in the playground. Chromium reads none: what Safari's `createImageBitmap` answers is put in its place. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { drop } from './drop.ts';
import { heic } from './playground.ts';

const SIDES = [320, 200] as const;

/** The photo taken is a JPEG of the same sides, named after the HEIC, and the page says what was done. */
export const convertHeic = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/playground`);
  await page.locator('.drop').waitFor();
  await page.evaluate(([width, height]) => {
    const own = globalThis.createImageBitmap.bind(globalThis);
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d');
    globalThis.createImageBitmap = (async (source: ImageBitmapSource) =>
      source instanceof File ? canvas.transferToImageBitmap() : own(source)) as typeof createImageBitmap;
    const blobs: Record<string, Blob> = {};
    Object.assign(globalThis, { blobs });
    const address = URL.createObjectURL;
    URL.createObjectURL = (blob: Blob) => {
      const url = address(blob);
      blobs[url] = blob;
      return url;
    };
  }, SIDES);
  await drop(page, { name: 'IMG_2.HEIC', type: 'image/heic', bytes: heic });
  await page.getByText('IMG_2.HEIC is a HEIC photo; your browser made a JPEG of it.').waitFor({ timeout: 5_000 });
  const shown = await page.evaluate(async () => {
    const image = Array.from(document.images).find(({ src }) => src.startsWith('blob:'));
    if (!image) return undefined;
    await image.decode();
    const { blobs } = globalThis as unknown as { blobs: Record<string, File> };
    const file = blobs[image.src] as File;
    const head = [...new Uint8Array(await file.slice(0, 3).arrayBuffer())];
    return { sides: [image.naturalWidth, image.naturalHeight], name: file.name, head };
  });
  assert.deepEqual(shown, { sides: [...SIDES], name: 'IMG_2.jpg', head: [0xff, 0xd8, 0xff] });
};
