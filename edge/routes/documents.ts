/**
 * Public pages, what tells of them (`/robots.txt`, `/sitemap.xml`, `/llms.txt`) and the documentation as Markdown: static
 * files, with this service's own address put in.
 */
import type { Context, Hono } from 'hono';
import { failure } from '../../shared/errors.ts';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import type { HttpEnv } from '../http/call.ts';
import { document, problem } from '../http/respond.ts';

/** As wrangler.toml's run_worker_first has them. */
const TEXTS = ['/docs.md', '/docs/:page{[a-z-]+\\.md}', '/changelog.md', '/llms.txt'];
const PAGES = [
  '/',
  '/docs',
  '/docs/*',
  '/disclosure',
  '/status',
  '/changelog',
  '/changelog.xml',
  '/robots.txt',
  '/sitemap.xml',
];
const TEXT = /^(text\/|application\/xml)/;

export const documentRoutes = (app: Hono<HttpEnv>, publicBaseUrl: string): void => {
  const send = async (c: Context<HttpEnv>): Promise<Response> => {
    // Without the caller's conditions: the file is not what is answered.
    const file = await c.env.ASSETS.fetch(new Request(new URL(c.req.path, c.req.url)));
    if (!file.ok || file.headers.get('content-type')?.startsWith('text/html'))
      return problem(failure('not_found'), c.get('call'));
    const text = (await file.text()).replaceAll(UNKNOWN_ORIGIN, publicBaseUrl);
    return document(text, c.req.path.endsWith('.md') ? 'text/markdown' : 'text/plain');
  };
  const sendPage = async (c: Context<HttpEnv>): Promise<Response> => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    if (file.body === null || !TEXT.test(file.headers.get('content-type') ?? '')) return file;
    const page = new Response((await file.text()).replaceAll(UNKNOWN_ORIGIN, publicBaseUrl), file);
    page.headers.delete('content-length');
    return page;
  };
  for (const path of TEXTS) app.get(path, send);
  for (const path of PAGES) app.get(path, sendPage);
};
