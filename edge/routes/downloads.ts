/** `GET·HEAD /api/v1/downloads/{token}/{filename}`: binary, no key; the signed link is the permission. */
import type { Context, Hono } from 'hono';
import { failure } from '../../shared/errors.ts';
import { paths } from '../../shared/paths.ts';
import { type DownloadPlan, planDownload } from '../download/download.ts';
import type { HttpEnv } from '../http/call.ts';
import { download, problem } from '../http/respond.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { notReady } from '../responses/accepted.ts';
import { batchOfObject } from '../stores/object-keys.ts';
import { isUnreachable } from '../stores/reliable.ts';

export type DownloadDeps = { readonly services: Services; readonly secrets: readonly string[] };

export const downloadRoutes = (app: Hono<HttpEnv>, deps: DownloadDeps): void => {
  app.get(paths.download, (c) => send(c, deps).catch((error: unknown) => asNotReady(error, c)));
};

/** What the caller has read to the last byte is delivered; what breaks off before is not, and stays. */
const delivering = (
  c: Context<HttpEnv>,
  { sagaOf }: Services,
  { objectKey, bytes }: DownloadPlan,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> => {
  const { readable, writable } = new FixedLengthStream(bytes);
  const sent = body.pipeTo(writable).then(
    () => sagaOf(batchOfObject(objectKey)).noteDelivered(objectKey),
    () => undefined,
  );
  c.executionCtx.waitUntil(
    sent.catch((error: unknown) =>
      logEvent('warn', 'delivery_not_noted', { object: batchOfObject(objectKey), error: errorText(error) }),
    ),
  );
  return readable;
};

/** What nobody can vouch for or give now is not served. */
const asNotReady = (error: unknown, c: Context<HttpEnv>): Response => {
  if (!isUnreachable(error)) throw error;
  return problem(notReady(), c.get('call'));
};

/** Hono answers HEAD with the GET route. */
const send = async (c: Context<HttpEnv>, { services, secrets }: DownloadDeps): Promise<Response> => {
  const call = c.get('call');
  const { objects, linkState, clock } = services;
  const asked = {
    token: c.req.param('token') ?? '',
    filename: c.req.param('filename') ?? '',
    range: c.req.header('range'),
    ifRange: c.req.header('if-range'),
    ifNoneMatch: c.req.header('if-none-match'),
  };
  const plan = await planDownload({ objects, linkState, secrets, nowMs: clock.nowMs() }, asked);
  if (!plan.ok) return problem(plan.failure, call);
  const { part, objectKey } = plan.value;
  if (part === 'unchanged' || c.req.method === 'HEAD') return download(plan.value, null, call);
  const body = await objects.read(objectKey, part === 'whole' ? undefined : part);
  if (!body) return problem(failure('not_found'), call);
  const sent = plan.value.isOnce && part === 'whole' ? delivering(c, services, plan.value, body) : body;
  return download(plan.value, sent, call);
};
