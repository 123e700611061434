/** `POST /api/v1/service-hero` (both styles) and the status of a batch. */

import type { Context, Hono } from 'hono';
import { type Failure, failure } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { paths } from '../../shared/paths.ts';
import { ok, type Result } from '../../shared/result.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Caller } from '../account/authenticate.ts';
import type { RecordAudit } from '../audit/record.ts';
import { createBatch } from '../batch/create.ts';
import { batchEvents } from '../batch/events.ts';
import { removeBatch } from '../batch/remove.ts';
import { batchStatus } from '../batch/status.ts';
import { auditDeed } from '../http/audit-deed.ts';
import { authenticated } from '../http/authenticated.ts';
import { declaredBytes, withText } from '../http/body.ts';
import type { Call, HttpEnv } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { upload } from '../upload/upload.ts';

const UPLOAD = 'multipart/form-data';
const BATCH = 'application/json';

export type ImageRouteDeps = {
  readonly services: Services;
  readonly audit: RecordAudit;
  readonly checkWebhookUrl: (url: string) => Result<string, Failure>;
};

export const imageRoutes = (app: Hono<HttpEnv>, deps: ImageRouteDeps): void => {
  app.post(paths.hero, (c) => {
    const slot = mediaType(c) === UPLOAD ? c.get('call').requestId : undefined;
    return authenticated(c, deps.services, routeScopes.hero, (caller, call) => create(c, deps, caller, call), slot);
  });
  app.delete(paths.batch, (c) =>
    authenticated(c, deps.services, routeScopes.batch, (caller, call) => remove(c, deps, caller, call)),
  );
  app.delete(paths.batchImage, (c) =>
    authenticated(c, deps.services, routeScopes.batchImage, (caller, call) => remove(c, deps, caller, call)),
  );
  app.get(paths.status, (c) =>
    authenticated(c, deps.services, routeScopes.status, (caller, call) => status(c, deps, caller, call)),
  );
  app.get(paths.webhookEvents, (c) =>
    authenticated(c, deps.services, routeScopes.webhookEvents, async (caller, call) => events(c, deps, caller, call)),
  );
};

/** The media type alone chooses between the two styles. */
const mediaType = (c: Context<HttpEnv>): string =>
  (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const create = async (
  c: Context<HttpEnv>,
  { services, checkWebhookUrl }: ImageRouteDeps,
  caller: Caller,
  call: Call,
): Promise<Answer> => {
  const { requestId, traceparent } = call;
  const keyed = {
    requestId,
    traceparent,
    batchId: newId('batch', services.clock.nowMs(), services.randomBytes),
    idempotencyKey: c.req.header('idempotency-key') ?? null,
  };
  switch (mediaType(c)) {
    case UPLOAD: {
      const bytes = declaredBytes(c.req.raw);
      if (bytes !== undefined && bytes > limits.upload.bodyBytesMax) return failed(failure('body_too_large'));
      return upload(services, caller, {
        ...keyed,
        contentType: c.req.header('content-type') ?? '',
        body: c.req.raw.body,
        bytes,
        respondAsync: prefersAsync(c),
      });
    }
    case BATCH: {
      const within = {
        openRoom: services.bodies.of(caller.accountId),
        bytesMax: limits.batch.bodyBytesMax,
        factor: edgeLimits.bodies.jsonFactor,
      };
      const created = await withText({ body: c.req.raw.body, bytes: declaredBytes(c.req.raw) }, within, async (text) =>
        ok(await createBatch(services, caller, { ...keyed, text, checkWebhookUrl })),
      );
      return created.ok ? created.value : failed(created.failure);
    }
    default:
      return failed(failure('unsupported_content_type'));
  }
};

const prefersAsync = (c: Context<HttpEnv>): boolean =>
  (c.req.header('prefer') ?? '').split(',').some((preference) => preference.trim().toLowerCase() === 'respond-async');

const SECONDS = /^\d{1,2}$/;
/** Of a long poll; undefined where it is none. */
const waitSeconds = (c: Context<HttpEnv>): number | undefined => {
  const wait = c.req.query('wait') ?? '0';
  return SECONDS.test(wait) && Number(wait) <= limits.batch.statusWaitSecondsMax ? Number(wait) : undefined;
};
const badWait = failed(
  failure('invalid_request', `wait must be a whole number of seconds, at most ${limits.batch.statusWaitSecondsMax}`),
);

const events = (
  c: Context<HttpEnv>,
  { services }: ImageRouteDeps,
  caller: Caller,
  { requestId }: Call,
): Promise<Answer> | Answer => {
  const wait = waitSeconds(c);
  return wait === undefined ? badWait : batchEvents(services, caller, requestId, c.req.query('after'), wait);
};

const remove = async (
  c: Context<HttpEnv>,
  { services, audit }: ImageRouteDeps,
  caller: Caller,
  { requestId }: Call,
): Promise<Answer> => {
  const [batchId, imageId] = [c.req.param('batch_id') ?? '', c.req.param('image_id') ?? null];
  const answer = await removeBatch(services, caller, requestId, batchId, imageId);
  if (answer.kind !== 'failed')
    await auditDeed(audit, c, caller, { action: 'data.deleted', subject: imageId ?? batchId });
  return answer;
};

const status = async (
  c: Context<HttpEnv>,
  { services }: ImageRouteDeps,
  caller: Caller,
  { requestId }: Call,
): Promise<Answer> => {
  const wait = waitSeconds(c);
  if (wait === undefined) return badWait;
  return batchStatus(services, caller, requestId, c.req.param('batch_id') ?? '', wait);
};
