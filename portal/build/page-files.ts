/**
 * One file for each page, all of them the application, and `404.html` for every other path: the status then tells a page
 * from none. Public pages hold their content and say in their head what they are. Pages with a part of their path open
 * are rewritten to the page above them. The edge puts its own address in the place of `UNKNOWN_ORIGIN`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import type { RenderedPage } from '../src/docs/built.ts';
import { type PagePath, pagePaths } from '../src/page-paths.ts';
import { ledeOf } from './markdown.ts';
import { OG_IMAGE } from './og-image.ts';

/** A path that no page has: what is rendered for it is what every unknown path shows. */
const NO_PAGE = '/404';
const isOpen = (path: string): boolean => path.includes(':');
const PUBLIC: readonly PagePath[] = ['/', '/disclosure', '/status', '/changelog', '/terms', '/privacy'];
const isPublic = (path: PagePath): boolean => PUBLIC.includes(path) || /^\/docs(\/|$)/.test(path);

export const publicPaths: readonly string[] = [...pagePaths.filter(isPublic), NO_PAGE];

/** Cloudflare's `_redirects`: 200 answers with another file. */
const rewritesFile = (): string => {
  const rows = pagePaths
    .filter(isOpen)
    .map((path) => `${path.replace(/:.*/, '*')} ${path.slice(0, path.indexOf('/', 1))} 200\n`);
  return [...new Set(rows)].join('');
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** What a search engine or a message shows of a link to the page. */
const headOf = ({ path, title }: RenderedPage, description: string): string => {
  const address = UNKNOWN_ORIGIN + path;
  const og = {
    type: 'website',
    site_name: 'packshot',
    title,
    description,
    url: address,
    image: UNKNOWN_ORIGIN + OG_IMAGE,
  };
  return [
    `<link rel="canonical" href="${address}" />`,
    ...Object.entries(og).map(([name, value]) => `<meta property="og:${name}" content="${escaped(value)}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
    ...(path === '/changelog'
      ? ['<link rel="alternate" type="application/atom+xml" title="packshot changelog" href="/changelog.xml" />']
      : []),
  ].join('\n    ');
};

/** Pages that begin with what they are about. */
const DESCRIBED = /^\/(docs|status|changelog|terms|privacy)/;
const DESCRIPTION = /<meta name="description" content="([^"]*)" \/>/;

/** Puts a page into the document that Vite made. */
const pageFile = (template: string, page: RenderedPage): string => {
  const common = DESCRIPTION.exec(template)?.[1] ?? '';
  const description = DESCRIBED.test(page.path) ? ledeOf(page.html) : common;
  const isPage = page.path !== NO_PAGE;
  return template
    .replace(/<title>.*<\/title>/, () => `<title>${escaped(page.title)}</title>`)
    .replace(DESCRIPTION, () => `<meta name="description" content="${escaped(description)}" />`)
    .replace(
      '</head>',
      () => `  ${isPage ? headOf(page, description) : '<meta name="robots" content="noindex" />'}\n  </head>`,
    )
    .replace('<div id="app"></div>', () => `<div id="app">${page.html}</div>`)
    .replace(/\s*<noscript>.*<\/noscript>/, '');
};

const sitemap = (): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...publicPaths.filter((path) => path !== NO_PAGE).map((path) => `  <url><loc>${UNKNOWN_ORIGIN}${path}</loc></url>`),
    '</urlset>\n',
  ].join('\n');

export const buildPageFiles = async (pages: readonly RenderedPage[], into: string): Promise<void> => {
  const template = await readFile(join(into, 'index.html'), 'utf8');
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(into, name)), { recursive: true });
    await writeFile(join(into, name), text);
  };
  for (const path of pagePaths) if (!isOpen(path)) await write(path === '/' ? 'index.html' : `${path}.html`, template);
  for (const page of pages)
    await write(page.path === '/' ? 'index.html' : `${page.path}.html`, pageFile(template, page));
  await write('_redirects', rewritesFile());
  await write('sitemap.xml', sitemap());
};
