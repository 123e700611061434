/** `GET /api/v1/account`: balance and price. */
import type { Hono } from 'hono';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import { authenticated } from '../http/authenticated.ts';
import type { HttpEnv } from '../http/call.ts';
import type { Services } from '../ports.ts';
import { accountAnswer } from '../responses/account.ts';

export const accountRoutes = (app: Hono<HttpEnv>, services: Services): void => {
  app.get(paths.account, (c) =>
    authenticated(c, services, routeScopes.account, (caller, { requestId }) => accountAnswer(caller, requestId)),
  );
};
