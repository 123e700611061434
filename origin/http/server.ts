/** The node's HTTP surface. A route parses, calls a flow, responds. */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import { type Failure, failure } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Outcome } from '../../shared/job.ts';
import { type JobRequest, jobRequestSchema } from '../../shared/job.ts';
import {
  LEDGER_EXPORT_SUBJECT,
  type LedgerExport,
  type LedgerExportResponse,
  ledgerExportSchema,
} from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { describeError, type Log, traceFields } from '../log.ts';
import { answerJob } from './answer-job.ts';
import { problem } from './respond.ts';
import { verifyServiceToken } from './service-token.ts';

export type Readiness = { readonly ready: boolean; readonly [fact: string]: unknown };
export type ServerDeps = {
  readonly secrets: readonly Uint8Array[];
  readonly log: Log;
  readonly serveJob: (job: JobRequest, gone: AbortSignal, log: Log) => Promise<Result<Outcome, Failure>>;
  readonly storeLedgerExport: (sent: LedgerExport) => Promise<LedgerExportResponse>;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<{ contentType: string; text: string }>;
  readonly onRefused: (cause: Failure) => void;
  readonly onFault: (place: string, error: unknown) => void;
};

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** The caller's, else one of our own, the same throughout the request. */
const requestId = (c: Context): string => {
  const known = c.get('requestId') as string | undefined;
  if (known !== undefined) return known;
  const given = c.req.header('Request-Id') ?? '';
  const id = REQUEST_ID.test(given) ? given : newId('request', Date.now(), randomBytes);
  c.set('requestId', id);
  return id;
};

/** Token first, then the body's shape; the token's subject must be what the body is about. */
const readSigned = async <T>(
  c: Context,
  secrets: readonly Uint8Array[],
  schema: z.ZodType<T>,
  subject: (value: T) => string,
): Promise<Result<T, Failure>> => {
  const body = new Uint8Array(await c.req.arrayBuffer());
  const token = await verifyServiceToken(c.req.header('Authorization'), body, secrets);
  if (!token.ok) return token;
  const parsed = schema.safeParse(parseJson(body));
  if (!parsed.success) {
    const rows = parsed.error.issues.map((issue) => ({
      field: issue.path.join('.') || 'body',
      code: 'invalid_request',
      detail: issue.message,
    }));
    return fail(failure('invalid_request', undefined, { errors: rows }));
  }
  return subject(parsed.data) === token.value
    ? ok(parsed.data)
    : fail(failure('unauthorized_service', 'the service token is for another subject'));
};

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
};

const bounded = (bytesMax: number) =>
  bodyLimit({ maxSize: bytesMax, onError: (c) => problem(c, failure('body_too_large'), requestId(c)) });

export const createServer = (deps: ServerDeps): Hono => {
  const app = new Hono();
  const refuse = (c: Context, cause: Failure): Response => {
    deps.onRefused(cause);
    return problem(c, cause, requestId(c));
  };

  app.post('/v1/jobs', bounded(limits.origin.jobBodyBytesMax), async (c) => {
    const job = await readSigned(c, deps.secrets, jobRequestSchema, (value) => value.job_id);
    if (!job.ok) return refuse(c, job.failure);
    const log = deps.log.child({
      request_id: requestId(c),
      job_id: job.value.job_id,
      ...traceFields(c.req.header('traceparent')),
    });
    const fault = (error: unknown): void => {
      deps.onFault('server', error);
      log.error({ error: describeError(error) }, 'a job failed unexpectedly');
    };
    return answerJob(c, deps.serveJob(job.value, c.req.raw.signal, log), {
      refuse: (cause) => refuse(c, cause),
      onFault: fault,
    });
  });

  app.post('/v1/ledger-entries', bounded(limits.origin.ledgerBodyBytesMax), async (c) => {
    const sent = await readSigned(c, deps.secrets, ledgerExportSchema, () => LEDGER_EXPORT_SUBJECT);
    if (!sent.ok) return refuse(c, sent.failure);
    return c.json(await deps.storeLedgerExport(sent.value));
  });

  app.get('/healthz', (c) => c.json({ status: 'alive' }));
  app.get('/readyz', async (c) => {
    const { ready, ...facts } = await deps.readiness();
    return c.json({ status: ready ? 'ready' : 'not_ready', ...facts }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => {
    const { contentType, text } = await deps.metrics();
    return c.body(text, 200, { 'Content-Type': contentType });
  });

  app.notFound((c) => problem(c, failure('not_found'), requestId(c)));
  app.onError((error, c) => {
    deps.onFault('server', error);
    deps.log.error({ request_id: requestId(c), error: describeError(error) }, 'a request failed unexpectedly');
    return problem(c, failure('internal_error'), requestId(c));
  });
  return app;
};
