/** `GET /api/v1/marketplaces`: the rules of every marketplace, with where they are written. Needs no key. */
import type { Hono } from 'hono';
import { paths } from '../../shared/paths.ts';
import type { HttpEnv } from '../http/call.ts';
import { reference } from '../http/respond.ts';
import { marketplacesBody } from '../responses/marketplaces.ts';

export const marketplaceRoutes = (app: Hono<HttpEnv>): void => {
  app.get(paths.marketplaces, (c) => {
    const { requestId } = c.get('call');
    return reference(marketplacesBody(requestId), { requestId });
  });
};
