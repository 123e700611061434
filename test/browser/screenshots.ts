/** The pictures of README, small and written by this script only. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const VIEW = { width: 1280, height: 800 };

/** What a page shows at that moment becomes `docs/portal-NAME.webp`, in light and in dark; then it looks as before. */
export type TakePicture = (page: Page, name: string) => Promise<void>;

export const takePicture: TakePicture = async (page, name) => {
  await mkdir(docs, { recursive: true });
  const before = page.viewportSize();
  await page.setViewportSize(VIEW);
  await page.evaluate(() => scrollTo(0, 0));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await sharp(await page.screenshot({ animations: 'disabled' }))
      .webp({ quality: 84 })
      .toFile(join(docs, `portal-${name}-${colorScheme}.webp`));
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
};

export const noPicture: TakePicture = async () => {};
