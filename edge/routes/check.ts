/** `POST /api/v1/check`: findings about one photo, free. */
import type { Hono } from 'hono';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import { type CheckDeps, checkPhoto } from '../check/check.ts';
import { authenticated } from '../http/authenticated.ts';
import type { HttpEnv } from '../http/call.ts';

export type CheckRouteDeps = CheckDeps;

export const checkRoutes = (app: Hono<HttpEnv>, deps: CheckRouteDeps): void => {
  app.post(paths.check, (c) =>
    authenticated(c, deps.services, routeScopes.check, (caller, call) => checkPhoto(deps, caller, c.req.raw, call)),
  );
};
