/** The route table. */
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { failure } from '../shared/errors.ts';
import { type HttpEnv, newCall } from './http/call.ts';
import { methodNotAllowed, problem } from './http/respond.ts';
import { logEvent } from './log.ts';
import { ACCOUNT, accountRoutes } from './routes/account.ts';
import { DOWNLOAD, downloadRoutes } from './routes/downloads.ts';
import { HERO, type HeroDeps, heroRoutes, STATUS } from './routes/hero.ts';
import { type LocalAdminDeps, localAdminRoutes } from './routes/local-admin.ts';
import { OPENAPI, openapiRoutes } from './routes/openapi.ts';

export type AppDeps = HeroDeps & {
  readonly publicBaseUrl: string;
  readonly downloadSigningSecret: string;
  /** Null outside local mode. */
  readonly localAdmin: LocalAdminDeps | null;
  /** The developer portal's API. */
  readonly portal: () => Hono;
};

/** Path → methods, for 405 and for the test that holds the OpenAPI document against it. */
export const publicRoutes: Readonly<Record<string, readonly string[]>> = {
  [HERO]: ['POST'],
  [STATUS]: ['GET', 'HEAD'],
  [DOWNLOAD]: ['GET', 'HEAD'],
  [ACCOUNT]: ['GET', 'HEAD'],
  [OPENAPI]: ['GET', 'HEAD'],
};

/** Keys travel in a header, never in a cookie, so any page may call; what it may read is named. */
const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  allowHeaders: [
    'Authorization',
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
  ],
  maxAge: 86_400,
});

export const createApp = (deps: AppDeps): Hono<HttpEnv> => {
  const app = new Hono<HttpEnv>();
  const { clock, randomBytes } = deps.services;
  app.use(async (c, next) => {
    c.set('call', newCall(c.req.raw, clock.nowMs(), randomBytes));
    await next();
  });
  app.use('/api/v1/*', crossOrigin);
  heroRoutes(app, deps);
  downloadRoutes(app, { services: deps.services, secret: deps.downloadSigningSecret });
  accountRoutes(app, deps.services);
  openapiRoutes(app, deps.publicBaseUrl);
  if (deps.localAdmin) localAdminRoutes(app, deps.localAdmin);
  app.all('/portal/api/*', (c) => deps.portal().fetch(c.req.raw, c.env, c.executionCtx));
  for (const [path, allow] of Object.entries(publicRoutes)) {
    app.all(path, (c) => methodNotAllowed([...allow, 'OPTIONS'], c.get('call'), failure('method_not_allowed')));
  }
  app.notFound((c) => problem(failure('not_found'), c.get('call')));
  app.onError((error, c) => {
    logEvent('error', 'route_threw', {
      request_id: c.get('call').requestId,
      path: c.req.path,
      error: error.stack ?? error.message,
    });
    return problem(failure('internal_error'), c.get('call'));
  });
  return app;
};
