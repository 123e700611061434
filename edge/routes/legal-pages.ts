/** Terms and privacy: the built pages, with who operates this installation put in, and its own address. */
import type { Context, Hono } from 'hono';
import { type Operator, withOperator } from '../../shared/operator.ts';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import type { HttpEnv } from '../http/call.ts';

/** As wrangler.toml's run_worker_first has them. */
const PAGES = ['/terms', '/privacy'];

export const legalPages = (app: Hono<HttpEnv>, operator: Operator, publicBaseUrl: string): void => {
  const send = async (c: Context<HttpEnv>): Promise<Response> => {
    // Without the caller's conditions: what the file was says nothing of what is answered.
    const file = await c.env.ASSETS.fetch(new Request(new URL(c.req.path, c.req.url)));
    if (!file.ok) return file;
    const text = withOperator((await file.text()).replaceAll(UNKNOWN_ORIGIN, publicBaseUrl), operator);
    const page = new Response(text, file);
    for (const name of ['content-length', 'etag']) page.headers.delete(name);
    return page;
  };
  for (const path of PAGES) app.get(path, send);
};
