/** The pictures of README, small and written by this script only. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const VIEW = { width: 1280, height: 800 };

const write = async (page: Page, name: string): Promise<void> => {
  await mkdir(docs, { recursive: true });
  await sharp(await page.screenshot())
    .resize({ width: VIEW.width })
    .webp({ quality: 84 })
    .toFile(join(docs, `${name}.webp`));
};

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** `playground` holds a finished run. */
export const takeScreenshots = async (
  browser: Browser,
  base: string,
  storageState: State,
  playground: Page,
): Promise<void> => {
  await playground.setViewportSize(VIEW);
  await playground.evaluate(() => scrollTo(0, 0));
  await write(playground, 'portal-playground');
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await (await browser.newContext({ viewport: VIEW, colorScheme, storageState })).newPage();
    for (const [name, path] of [
      ['overview', '/overview'],
      ['landing', '/'],
    ] as const) {
      await page.goto(base + path);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle');
      await write(page, `portal-${name}-${colorScheme}`);
    }
    await page.context().close();
  }
};
