/** `GET /status.json`: what the status page shows. Needs no key; any page may read it. */
import type { Hono } from 'hono';
import { STATUS_PATH, type StatusAnswer } from '../../shared/status.ts';
import type { HttpEnv } from '../http/call.ts';
import { publicJson } from '../http/respond.ts';
import { edgeLimits } from '../limits.ts';

export const statusRoute = (app: Hono<HttpEnv>, readStatus: () => Promise<StatusAnswer>): void => {
  app.get(STATUS_PATH, async () => publicJson(await readStatus(), edgeLimits.status.cacheSeconds));
};
