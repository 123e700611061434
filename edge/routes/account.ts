/** `GET /api/v1/account`: balance and price. */
import type { Hono } from 'hono';
import { authenticated } from '../http/authenticated.ts';
import type { HttpEnv } from '../http/call.ts';
import type { Services } from '../ports.ts';
import { accountAnswer } from '../responses/account.ts';

export const ACCOUNT = '/api/v1/account';

export const accountRoutes = (app: Hono<HttpEnv>, services: Services): void => {
  app.get(ACCOUNT, (c) => authenticated(c, services, (caller, { requestId }) => accountAnswer(caller, requestId)));
};
