/** `GET·HEAD /api/v1/downloads/{token}/{filename}`: binary, no key; the signed link is the permission. */
import type { Context, Hono } from 'hono';
import { failure } from '../../shared/errors.ts';
import { paths } from '../../shared/paths.ts';
import { planDownload } from '../download/download.ts';
import type { HttpEnv } from '../http/call.ts';
import { download, problem } from '../http/respond.ts';
import type { Services } from '../ports.ts';

export type DownloadDeps = { readonly services: Services; readonly secrets: readonly string[] };

export const downloadRoutes = (app: Hono<HttpEnv>, deps: DownloadDeps): void => {
  app.get(paths.download, (c) => send(c, deps));
};

/** Hono answers HEAD with the GET route. */
const send = async (c: Context<HttpEnv>, { services, secrets }: DownloadDeps): Promise<Response> => {
  const { requestId } = c.get('call');
  const { objects, clock } = services;
  const asked = {
    token: c.req.param('token') ?? '',
    filename: c.req.param('filename') ?? '',
    range: c.req.header('range'),
    ifRange: c.req.header('if-range'),
    ifNoneMatch: c.req.header('if-none-match'),
  };
  const plan = await planDownload({ objects, secrets, nowMs: clock.nowMs() }, asked);
  if (!plan.ok) return problem(plan.failure, { requestId });
  const { part, objectKey } = plan.value;
  if (part === 'unchanged' || c.req.method === 'HEAD') return download(plan.value, null, { requestId });
  const body = await objects.read(objectKey, part === 'whole' ? undefined : part);
  return body ? download(plan.value, body, { requestId }) : problem(failure('not_found'), { requestId });
};
