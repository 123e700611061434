/** Headless Chromium from the system, watched: a request to another host or an error on a page fails the run. */
import { access } from 'node:fs/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** WebGPU by software: SwiftShader comes with Chromium. */
const SOFTWARE_WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

const executable = async (): Promise<string> => {
  for (const path of PLACES)
    if (
      path &&
      (await access(path).then(
        () => true,
        () => false,
      ))
    )
      return path;
  throw new Error('Chromium was not found: install the package "chromium" or set CHROMIUM_PATH');
};

export const launch = async ({ webgpu = false } = {}): Promise<Browser> =>
  chromium.launch({ executablePath: await executable(), args: [...FLAGS, ...(webgpu ? SOFTWARE_WEBGPU : [])] });

export type Watch = { readonly faults: string[]; readonly on: (page: Page) => void };

/** A mailed link that is over, and a page that is not there: the server says so by the status. */
const isExpected = (pathname: string, text: string): boolean =>
  (['/sign-up/complete', '/invitation'].includes(pathname) && text.includes('status of 400')) ||
  (pathname === '/nothing-is-here' && text.includes('status of 404'));

/** Collects what must not happen on any page. */
export const watch = (baseUrl: string): Watch => {
  const faults: string[] = [];
  const own = new URL(baseUrl).origin;
  const on = (page: Page): void => {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== own) faults.push(`request to another host: ${url.origin}`);
    });
    page.on('pageerror', (error) => faults.push(`error on ${new URL(page.url()).pathname}: ${error.message}`));
    page.on('console', (message) => {
      const { pathname } = new URL(page.url());
      if (message.type() !== 'error' || isExpected(pathname, message.text())) return;
      faults.push(`console on ${pathname}: ${message.text().slice(0, 200)}`);
    });
  };
  return { faults, on };
};

export const newPage = async (context: BrowserContext, seen: Watch): Promise<Page> => {
  const page = await context.newPage();
  seen.on(page);
  return page;
};
