/**
 * The pages in front of a session. Where Turnstile is configured, its script and frame are allowed on these pages alone,
 * and the isolation that its frame cannot have is off there. Elsewhere they are the static files as they are.
 */
import type { Context, Hono } from 'hono';
import type { HttpEnv } from '../http/call.ts';

/** As wrangler.toml's run_worker_first has them. */
const PAGES = ['/sign-in', '/sign-up', '/forgot-password'];
const TURNSTILE = 'https://challenges.cloudflare.com';

/** The policy of the other pages, with Turnstile's script and frame. */
const policyWith = (policy: string): string =>
  `${policy.replace(/script-src ('self')?/, `script-src $1 ${TURNSTILE}`)}; frame-src ${TURNSTILE}`;

export const signInPages = (app: Hono<HttpEnv>, hasTurnstile: boolean): void => {
  const send = async (c: Context<HttpEnv>): Promise<Response> => {
    const page = await c.env.ASSETS.fetch(c.req.raw);
    if (!hasTurnstile) return page;
    const changed = new Response(page.body, page);
    const policy = page.headers.get('content-security-policy');
    if (policy !== null) changed.headers.set('content-security-policy', policyWith(policy));
    changed.headers.delete('cross-origin-embedder-policy');
    return changed;
  };
  for (const path of PAGES) app.get(path, send);
};
