/** `GET /status.json`: what the status page shows. Needs no key; any page may read it. */
import type { Hono } from 'hono';
import { STATUS_PATH, type StatusAnswer } from '../../shared/status.ts';
import type { HttpEnv } from '../http/call.ts';
import { publicJson } from '../http/respond.ts';
import { edgeLimits } from '../limits.ts';

/** `keepAlive`: for work that may outlast the request. */
export type ReadStatus = (keepAlive: (work: Promise<unknown>) => void) => Promise<StatusAnswer>;

export const statusRoute = (app: Hono<HttpEnv>, readStatus: ReadStatus): void => {
  app.get(STATUS_PATH, async (c) => {
    const answer = await readStatus((work) => c.executionCtx.waitUntil(work));
    return publicJson(answer, edgeLimits.status.cacheSeconds);
  });
};
