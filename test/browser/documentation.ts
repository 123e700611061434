/**
 * Reading public pages: without their code, on a slow phone, by the documentation's search, and copied for an agent.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Finds an error by a part of its code, from another page, and lands on its row. */
export const searchDocs = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/docs`);
  const field = page.locator('input[type=search]:visible');
  await field.fill('limited');
  await page.locator('.doc-search li:visible', { hasText: 'rate_limited' }).first().waitFor();
  await field.fill('rate_limited');
  await page.locator('.doc-search li:visible strong').first().getByText('rate_limited', { exact: true }).waitFor();
  await field.press('Enter');
  await page.waitForURL(`${base}/docs/errors#rate_limited`);
  await page.locator('#rate_limited').waitFor();
};

export const copyForAgent = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/docs/upload`);
  await page.getByRole('button', { name: 'Copy for an agent' }).click();
  await page.getByText('Copied', { exact: true }).first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const served = await (await fetch(`${base}/docs/upload.md`)).text();
  if (copied !== served || !copied.startsWith('# Uploading files') || !copied.includes(base))
    throw new Error(`copied: ${copied.slice(0, 200)}`);
};

/** What a crawler, or a reader whose code never arrives, gets. */
export const readWithoutCode = async (context: BrowserContext, base: string): Promise<void> => {
  const page = await context.newPage();
  await page.goto(base);
  await page.getByRole('heading', { level: 1, name: 'marketplace main image' }).waitFor();
  await page.goto(`${base}/docs/errors`);
  await page.locator('#rate_limited').waitFor();
  await page.goto(`${base}/docs/reference`);
  await page.locator('#post--api-v1-service-hero').waitFor();
  const wrong = await page.goto(`${base}/nothing-is-here`);
  if (wrong?.status() !== 404) throw new Error(`a wrong path is answered with ${wrong?.status()}`);
  await page.getByText('Nothing is at this address.').waitFor();
  const picture = await fetch(`${base}/og.png`);
  if (picture.headers.get('content-type') !== 'image/png') throw new Error(`/og.png: ${picture.status}`);
  const inside = await (await fetch(`${base}/overview`)).text();
  if (!inside.includes('<div id="app"></div>')) throw new Error('a page of a customer was written at build time');
};

/** The code takes over what is shown: nothing is drawn again, and it answers. */
export const takeOver = async (page: Page, base: string): Promise<void> => {
  await page.addInitScript(() => {
    const holder = globalThis as unknown as { first?: Element | null };
    new MutationObserver(() => {
      holder.first ??= document.querySelector('main h1');
    }).observe(document, { childList: true, subtree: true });
  });
  for (const path of ['/', '/docs', '/docs/reference', '/disclosure', '/status', '/changelog', '/terms']) {
    await page.goto(base + path);
    await page.waitForLoadState('networkidle');
    const isKept = await page.evaluate(() => {
      const { first } = globalThis as unknown as { first?: Element | null };
      return first !== undefined && first === document.querySelector('main h1');
    });
    if (!isKept) throw new Error(`${path} was drawn again`);
  }
  await page.goto(`${base}/docs`);
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByRole('tabpanel', { name: 'Python' }).waitFor();
};

/** A phone on a slow network, as Lighthouse has it by default: bytes a second, ms, and how much slower its processor is. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
const SLOW_PROCESSOR = 4;

/** When the largest part of a page was painted, ms after the visit began. */
export const largestPaintMs = async (browser: Browser, base: string, path: string): Promise<number> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  const tools = await context.newCDPSession(page);
  await tools.send('Network.enable');
  await tools.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await tools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      (globalThis as unknown as { paint: number | undefined }).paint = list.getEntries().at(-1)?.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  });
  await page.goto(base + path, { waitUntil: 'networkidle' });
  // The browser tells of a paint when it has nothing else to do.
  const paint = await page.waitForFunction(() => (globalThis as unknown as { paint?: number }).paint);
  const paintMs = (await paint.jsonValue()) ?? Number.NaN;
  await context.close();
  return paintMs;
};

/** Who is signed in reads the samples with a key that works. */
export const putTestKeyIn = async (page: Page, base: string): Promise<void> => {
  await page.goto(`${base}/docs`);
  await page.getByRole('button', { name: 'Put a new test key in' }).click();
  const line = page.locator('pre', { hasText: /export PACKSHOT_KEY=packshot_test_\w+/ });
  await line.waitFor();
  const [, secret = ''] = /PACKSHOT_KEY=(\S+)/.exec(await line.innerText()) ?? [];
  const answer = await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${secret}` } });
  if (answer.status !== 200) throw new Error(`the key in the sample is answered with ${answer.status}`);
};
