/**
 * One file for each page, all of them the application, and `404.html` for every other path: the status then tells a page
 * from none. Pages with a part of their path open are rewritten to the page above them.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pagePaths } from '../src/page-paths.ts';

const isOpen = (path: string): boolean => path.includes(':');

/** Cloudflare's `_redirects`: 200 answers with another file. */
const rewritesFile = (): string =>
  pagePaths
    .filter(isOpen)
    .map((path) => `${path.replace(/:.*/, '*')} ${path.slice(0, path.indexOf('/', 1))} 200\n`)
    .join('');

export const buildPageFiles = async (into: string): Promise<void> => {
  for (const path of pagePaths) {
    if (path === '/' || isOpen(path)) continue;
    await mkdir(dirname(join(into, path)), { recursive: true });
    await copyFile(join(into, 'index.html'), join(into, `${path}.html`));
  }
  await copyFile(join(into, 'index.html'), join(into, '404.html'));
  await writeFile(join(into, '_redirects'), rewritesFile());
};
