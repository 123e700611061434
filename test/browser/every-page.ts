/**
 * What holds for every page: axe finds nothing, nothing overflows on a phone, little script, nothing moves
 * while loading.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';
import { newPage, type Watch } from './chromium.ts';
import { pages } from './pages.ts';

/** As Brotli sends it. What few visitors use (the search, the preview) comes when it is used. */
export const SCRIPT_BYTES_MAX = 60_000;
/** "Good" by web.dev is 0.1; here nothing may visibly move. */
export const LAYOUT_SHIFT_MAX = 0.005;
/** The playground loads a model; its own code is still held to the limit, the runtime is not counted against it. */
const RUNTIME = /\/(runtime|parts)\//;

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Figures = {
  readonly name: string;
  readonly scriptBytes: number;
  readonly styleBytes: number;
  readonly shift: number;
  readonly faults: readonly string[];
};

type Row = { readonly name: string; readonly path: string };

const open = async (page: Page, base: string, { path }: Row): Promise<void> => {
  await page.goto(base + path);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
};

type AxeViolation = { id: string; impact: string | null; nodes: { target: unknown[]; failureSummary?: string }[] };

/** Violations of any impact, named with the element. */
export const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(await axeSource);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (root: Document, options: object) => Promise<{ violations: AxeViolation[] }> };
    };
    return (
      await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    ).violations;
  });
  return found.map(
    ({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes
        .slice(0, 3)
        .map((node) => String(node.target))
        .join(', ')}`,
  );
};

/** Icons that something squeezed, names that their owners write otherwise, tables cut off at a phone's edge. */
const blemishes = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isShown = (element: Element): boolean => element.getClientRects().length > 0;
    const icons = Array.from(document.querySelectorAll('svg.icon')).filter(
      (icon) => isShown(icon) && icon.getBoundingClientRect().width < Number(icon.getAttribute('width')) - 0.5,
    );
    const tables = Array.from(document.querySelectorAll('.docs .framed')).filter(
      (frame) => innerWidth < 600 && isShown(frame) && frame.scrollWidth > frame.clientWidth,
    );
    return [
      ...(icons.length > 0 ? [`${icons.length} icons narrower than they are drawn`] : []),
      ...(/\bEbay\b/.test(document.body.innerText) ? ['eBay is written "Ebay"'] : []),
      ...tables.map((frame) => `the table "${frame.getAttribute('aria-label')}" is cut off`),
    ];
  });

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Weighs a first visit: script and style as Cloudflare would send them (Brotli), and the sum of layout shifts. */
export const weigh = async (context: BrowserContext, seen: Watch, base: string, row: Row): Promise<Figures> => {
  const page = await newPage(context, seen);
  await page.addInitScript(() => {
    const holder = globalThis as unknown as { shift: number };
    holder.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
        if (!entry.hadRecentInput) holder.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  let scriptBytes = 0;
  let styleBytes = 0;
  const sizes: Promise<void>[] = [];
  page.on('response', (response) => {
    const type = response.request().resourceType();
    if ((type !== 'script' && type !== 'stylesheet') || RUNTIME.test(response.url())) return;
    sizes.push(
      response.body().then((body) => {
        const bytes = brotliCompressSync(body).length;
        if (type === 'script') scriptBytes += bytes;
        else styleBytes += bytes;
      }),
    );
  });
  await open(page, base, row);
  await Promise.all(sizes);
  const shift = await page.evaluate(() => (globalThis as unknown as { shift: number }).shift);
  await page.close();
  const faults = [
    ...(scriptBytes > SCRIPT_BYTES_MAX
      ? [`${row.name}: ${scriptBytes} bytes of script, more than ${SCRIPT_BYTES_MAX}`]
      : []),
    ...(shift > LAYOUT_SHIFT_MAX ? [`${row.name}: layout shift of ${shift.toFixed(4)}`] : []),
  ];
  return { name: row.name, scriptBytes, styleBytes, shift, faults };
};

/** axe and overflow in one colour scheme and width. */
export const inspectPages = async (
  context: BrowserContext,
  seen: Watch,
  base: string,
  label: string,
  rows: readonly Row[] = pages,
): Promise<string[]> => {
  const faults: string[] = [];
  const page = await newPage(context, seen);
  for (const row of rows) {
    await open(page, base, row);
    for (const violation of await violations(page)) faults.push(`${row.name} (${label}): ${violation}`);
    const wide = await overflow(page);
    for (const blemish of await blemishes(page)) faults.push(`${row.name} (${label}): ${blemish}`);
    if (wide > 0) faults.push(`${row.name} (${label}): ${wide} px wider than the screen`);
  }
  await page.close();
  return faults;
};
