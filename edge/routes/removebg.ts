/** `POST /v1.0/removebg` and `GET /v1.0/account`, for clients of remove.bg. */
import type { Context, Hono } from 'hono';
import { failure } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Caller } from '../account/authenticate.ts';
import { authenticated, type Handler, type HttpDialect } from '../http/authenticated.ts';
import { declaredBytes } from '../http/body.ts';
import type { Call, HttpEnv } from '../http/call.ts';
import type { FetchInput } from '../input-url/fetch-input.ts';
import type { Services } from '../ports.ts';
import { removebgAccount } from '../removebg/account.ts';
import { removebgDialect } from '../removebg/dialect.ts';
import { bodyBytesMax } from '../removebg/read-body.ts';
import { answerStatus, removebgResponse, wantsJson } from '../removebg/respond.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { type UploadDialect, upload } from '../upload/upload.ts';

export type RemovebgRouteDeps = { readonly services: Services; readonly fetchInput: FetchInput };

export const removebgRoutes = (app: Hono<HttpEnv>, { services, fetchInput }: RemovebgRouteDeps): void => {
  const dialect = removebgDialect(fetchInput);
  const http = httpDialect(services);
  app.post(paths.removebg, (c) => {
    const slot = c.get('call').requestId;
    const work: Handler = (caller, call) => create(c, services, caller, call, dialect);
    return authenticated(c, services, routeScopes.removebg, work, slot, http);
  });
  app.get(paths.removebgAccount, (c) =>
    authenticated(c, services, routeScopes.removebgAccount, removebgAccount, undefined, http),
  );
};

/** The key is in X-Api-Key, as a secret alone; a bearer token is taken as well. */
const httpDialect = (services: Services): HttpDialect => ({
  authorization: (c) => {
    const key = c.req.header('x-api-key');
    return key === undefined ? c.req.header('authorization') : `Bearer ${key.trim()}`;
  },
  respond: (answer, facts, c) =>
    removebgResponse(answer, facts, { services, wantsJson: wantsJson(c.req.header('accept')) }),
  status: answerStatus,
});

const create = async (
  c: Context<HttpEnv>,
  services: Services,
  caller: Caller,
  { requestId, traceparent }: Call,
  dialect: UploadDialect,
): Promise<Answer> => {
  const bytes = declaredBytes(c.req.raw);
  if (bytes !== undefined && bytes > bodyBytesMax) return failed(failure('body_too_large'));
  const request = {
    requestId,
    traceparent,
    batchId: newId('batch', services.clock.nowMs(), services.randomBytes),
    idempotencyKey: c.req.header('idempotency-key') ?? null,
    contentType: c.req.header('content-type') ?? '',
    body: c.req.raw.body,
    bytes,
    respondAsync: false,
  };
  return upload(services, caller, request, dialect);
};
