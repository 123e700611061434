/** The route table. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { failure } from '../shared/errors.ts';
import type { Operator } from '../shared/operator.ts';
import { API_PREFIX, PORTAL_API_PREFIX, paths, REMOVEBG_PREFIX } from '../shared/paths.ts';
import { type HttpEnv, newCall } from './http/call.ts';
import { plainProblem } from './http/respond.ts';
import { errorText, logEvent } from './log.ts';
import { removebgProblem } from './removebg/respond.ts';
import { accountRoutes } from './routes/account.ts';
import { type CheckRouteDeps, checkRoutes } from './routes/check.ts';
import { documentRoutes } from './routes/documents.ts';
import { downloadRoutes } from './routes/downloads.ts';
import { type ImageRouteDeps, imageRoutes } from './routes/images.ts';
import { keyRoutes } from './routes/keys.ts';
import { legalPages } from './routes/legal-pages.ts';
import { type LocalAdminDeps, localAdminRoutes } from './routes/local-admin.ts';
import { marketplaceRoutes } from './routes/marketplaces.ts';
import { openapiRoutes } from './routes/openapi.ts';
import { type RemovebgRouteDeps, removebgRoutes } from './routes/removebg.ts';
import { resultRoutes } from './routes/results.ts';
import { securityTxt } from './routes/security-txt.ts';
import { signInPages } from './routes/sign-in-pages.ts';
import { type ReadStatus, statusRoute } from './routes/status.ts';

export type AppDeps = ImageRouteDeps &
  CheckRouteDeps &
  RemovebgRouteDeps & {
    readonly publicBaseUrl: string;
    /** Any of them may have signed a link. */
    readonly downloadSecrets: readonly string[];
    /** Null outside local mode. */
    readonly localAdmin: LocalAdminDeps | null;
    /** Adds the tools for agents, which call the routes of this very app. */
    readonly mcp: (app: Hono<HttpEnv>) => void;
    /** Whether visitors are checked by Cloudflare Turnstile before they sign in. */
    readonly hasTurnstile: boolean;
    /** For security.txt; null where the policy page says where to write. */
    readonly securityContact: string | null;
    /** Who operates this installation, for terms and privacy. */
    readonly operator: Operator;
    /** What the probes found. */
    readonly readStatus: ReadStatus;
    /** The developer portal's API. */
    readonly portal: () => Hono;
  };

const READ = ['GET', 'HEAD'];
const methods: Readonly<Record<keyof typeof paths, readonly string[]>> = {
  hero: ['POST'],
  check: ['POST'],
  status: READ,
  batch: ['DELETE'],
  batchImage: ['DELETE'],
  batchZip: READ,
  batchCsv: READ,
  download: READ,
  account: READ,
  accountData: ['DELETE'],
  accountRetention: ['PATCH'],
  marketplaces: READ,
  webhookEvents: READ,
  openapi: READ,
  removebg: ['POST'],
  removebgAccount: READ,
  keys: [...READ, 'POST'],
  key: ['PATCH'],
  keyRoll: ['POST'],
  keyRevoke: ['POST'],
};

/** Path → methods, for 405 and for the test that compares the OpenAPI document with it. */
export const publicRoutes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(methods).map(([name, allowed]) => [paths[name as keyof typeof paths], allowed]),
);

/**
 * Pages of other origins, for /api/v1 and /v1.0 as a whole: keys travel in a header, never in a cookie, so a page can do
 * what its key can and nothing in a visitor's name. Credentials are not allowed. The portal, whose sessions are cookies,
 * the tools for agents and local administration have none of it. The headers that a page may read are listed.
 */
const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
  allowHeaders: [
    'Authorization',
    'X-Api-Key',
    'Content-Type',
    'Idempotency-Key',
    'Prefer',
    'Range',
    'If-Range',
    'If-None-Match',
    'traceparent',
  ],
  exposeHeaders: [
    'Request-Id',
    'X-Credits-Charged',
    'X-Credits-Remaining',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'Location',
    'ETag',
    'Content-Disposition',
    'Content-Range',
    'Accept-Ranges',
    'Idempotent-Replayed',
    'X-Width',
    'X-Height',
    'X-Type',
    'X-Foreground-Top',
    'X-Foreground-Left',
    'X-Foreground-Width',
    'X-Foreground-Height',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Batch-Id',
  ],
  maxAge: 86_400,
});

/** In the words of whoever asks: remove.bg's clients read its own form alone. */
const problemOf = (c: Context<HttpEnv>): typeof plainProblem =>
  c.req.path.startsWith(`${REMOVEBG_PREFIX}/`) ? removebgProblem : plainProblem;

const COMPRESSED = /\b(gzip|deflate|br|zstd|compress)\b/i;

/** Bodies are not unpacked; a compressed one would be told that it is no form, or no JSON. */
const asItIs: MiddlewareHandler<HttpEnv> = async (c, next) => {
  // Others than these are a charset in the wrong header, and harmless.
  if (!COMPRESSED.test(c.req.header('content-encoding') ?? '')) return next();
  const detail = 'The body has a Content-Encoding. Send it as it is: photos are compressed already';
  return problemOf(c)(failure('malformed_request', detail), c.get('call'));
};

export const createApp = (deps: AppDeps): Hono<HttpEnv> => {
  const app = new Hono<HttpEnv>();
  const { clock, randomBytes } = deps.services;
  app.use(async (c, next) => {
    c.set('call', newCall(c.req.raw, clock.nowMs(), randomBytes, deps.publicBaseUrl));
    await next();
  });
  for (const prefix of [API_PREFIX, REMOVEBG_PREFIX]) app.use(`${prefix}/*`, crossOrigin, asItIs);
  imageRoutes(app, deps);
  checkRoutes(app, deps);
  resultRoutes(app, deps.services);
  downloadRoutes(app, { services: deps.services, secrets: deps.downloadSecrets });
  accountRoutes(app, deps.services, deps.audit);
  keyRoutes(app, deps);
  marketplaceRoutes(app);
  openapiRoutes(app, deps.publicBaseUrl);
  documentRoutes(app, deps.publicBaseUrl);
  signInPages(app, deps.hasTurnstile);
  securityTxt(app, { ...deps, nowMs: clock.nowMs });
  legalPages(app, deps.operator, deps.publicBaseUrl);
  statusRoute(app, deps.readStatus);
  removebgRoutes(app, deps);
  deps.mcp(app);
  if (deps.localAdmin) localAdminRoutes(app, deps.localAdmin);
  app.all(`${PORTAL_API_PREFIX}/*`, (c) => deps.portal().fetch(c.req.raw, c.env, c.executionCtx));
  for (const [path, allow] of Object.entries(publicRoutes)) {
    const headers = { Allow: [...allow, 'OPTIONS'].join(', ') };
    app.all(path, (c) => problemOf(c)(failure('method_not_allowed'), c.get('call'), headers));
  }
  app.notFound((c) => problemOf(c)(failure('not_found'), c.get('call')));
  app.onError((error, c) => {
    logEvent('error', 'route_threw', {
      request_id: c.get('call').requestId,
      path: c.req.path,
      error: errorText(error),
    });
    return problemOf(c)(failure('internal_error'), c.get('call'));
  });
  return app;
};
