/** The node's HTTP surface, its route table. A route parses, calls a flow, responds. */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type RequestIdVariables, requestId } from 'hono/request-id';
import {
  ERASURE_SUBJECT,
  type ErasureRequest,
  type ErasureResponse,
  erasureRequestSchema,
} from '../../shared/erasure.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { type CheckRequest, type CheckResponse, checkRequestSchema } from '../../shared/findings.ts';
import { newId } from '../../shared/ids.ts';
import { type JobRequest, jobRequestSchema, type Outcome } from '../../shared/job.ts';
import {
  LEDGER_ARCHIVE_SUBJECT,
  type LedgerArchiveRequest,
  type LedgerArchiveResponse,
  ledgerArchiveRequestSchema,
} from '../../shared/ledger-archive.ts';
import {
  LEDGER_EXPORT_SUBJECT,
  type LedgerExport,
  type LedgerExportResponse,
  ledgerExportSchema,
} from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import { nodePaths } from '../../shared/paths.ts';
import type { Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import { describeError, type Log, traceFields } from '../log.ts';
import { answerDecided, answerJob } from './answer-job.ts';
import { readSigned } from './read-signed.ts';
import { problem } from './respond.ts';

export type Readiness = { readonly ready: boolean; readonly [fact: string]: unknown };
export type ServerDeps = {
  readonly secrets: readonly Uint8Array[];
  readonly log: Log;
  readonly serveJob: (job: JobRequest, callerSignal: AbortSignal, log: Log) => Promise<Result<Outcome, Failure>>;
  readonly serveCheck: (
    check: CheckRequest,
    callerSignal: AbortSignal,
  ) => Promise<Result<Exclude<CheckResponse, { refused: unknown }>, Failure>>;
  readonly storeLedgerExport: (sent: LedgerExport) => Promise<LedgerExportResponse>;
  readonly eraseJobs: (request: ErasureRequest) => Promise<ErasureResponse>;
  readonly readLedgerArchive: (request: LedgerArchiveRequest) => Promise<LedgerArchiveResponse>;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<{ contentType: string; text: string }>;
  readonly onRefused: (refusal: Failure) => void;
  readonly onFault: (place: string, error: unknown) => void;
};
type Env = { Variables: RequestIdVariables };

export const createServer = (deps: ServerDeps): Hono<Env> => {
  const app = new Hono<Env>();
  app.use(
    requestId({
      headerName: 'Request-Id',
      limitLength: 64,
      generator: () => newId('request', Date.now(), randomBytes),
    }),
  );
  app.post(nodePaths.jobs, bounded(limits.origin.jobBodyBytesMax), jobRoute(deps));
  app.post(nodePaths.checks, bounded(limits.origin.jobBodyBytesMax), checkRoute(deps));
  app.post(nodePaths.ledgerEntries, bounded(originLimits.http.ledgerBodyBytesMax), ledgerRoute(deps));
  app.post(nodePaths.ledgerLines, bounded(originLimits.http.ledgerBodyBytesMax), archiveRoute(deps));
  app.post(nodePaths.erasures, bounded(limits.origin.jobBodyBytesMax), erasureRoute(deps));
  app.get('/healthz', (c) => c.json({ status: 'alive' }));
  app.get('/readyz', async (c) => {
    const { ready, ...facts } = await deps.readiness();
    return c.json({ status: ready ? 'ready' : 'not_ready', ...facts }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => {
    const { contentType, text } = await deps.metrics();
    return c.body(text, 200, { 'Content-Type': contentType });
  });
  app.notFound((c) => problem(c, failure('not_found')));
  app.onError((error, c) => {
    deps.onFault('server', error);
    requestLog(c, deps.log).error({ error: describeError(error) }, 'a request failed unexpectedly');
    return problem(c, failure('internal_error'));
  });
  return app;
};

const jobRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const job = await readSigned(c, deps.secrets, jobRequestSchema, (value) => value.job_id);
    if (!job.ok) return refuse(c, deps, requestLog(c, deps.log), job.failure);
    const trace = traceFields(c.req.header('traceparent'));
    const log = requestLog(c, deps.log).child({ job_id: job.value.job_id, ...trace });
    return answerJob(c, deps.serveJob(job.value, c.req.raw.signal, log), {
      refuse: (refusal) => refuse(c, deps, log, refusal),
      onLateRefusal: (refusal) => logRefusal(log, refusal),
      onFault: (error) => {
        deps.onFault('server', error);
        log.error({ error: describeError(error) }, 'a job failed unexpectedly');
      },
    });
  };

const checkRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const check = await readSigned(c, deps.secrets, checkRequestSchema, (value) => value.check_id);
    if (!check.ok) return refuse(c, deps, requestLog(c, deps.log), check.failure);
    const trace = traceFields(c.req.header('traceparent'));
    const log = requestLog(c, deps.log).child({ check_id: check.value.check_id, ...trace });
    return answerDecided(c, deps.serveCheck(check.value, c.req.raw.signal), {
      refuse: (refusal) => refuse(c, deps, log, refusal),
      onLateRefusal: (refusal) => logRefusal(log, refusal),
      onFault: (error) => {
        deps.onFault('server', error);
        log.error({ error: describeError(error) }, 'a check failed unexpectedly');
      },
    });
  };

const ledgerRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const sent = await readSigned(c, deps.secrets, ledgerExportSchema, () => LEDGER_EXPORT_SUBJECT);
    if (!sent.ok) return refuse(c, deps, requestLog(c, deps.log), sent.failure);
    return c.json(await deps.storeLedgerExport(sent.value));
  };

const archiveRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const asked = await readSigned(c, deps.secrets, ledgerArchiveRequestSchema, () => LEDGER_ARCHIVE_SUBJECT);
    if (!asked.ok) return refuse(c, deps, requestLog(c, deps.log), asked.failure);
    return c.json(await deps.readLedgerArchive(asked.value));
  };

const erasureRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const asked = await readSigned(c, deps.secrets, erasureRequestSchema, () => ERASURE_SUBJECT);
    if (!asked.ok) return refuse(c, deps, requestLog(c, deps.log), asked.failure);
    return c.json(await deps.eraseJobs(asked.value));
  };

const refuse = (c: Context<Env>, deps: ServerDeps, log: Log, refusal: Failure): Response => {
  deps.onRefused(refusal);
  logRefusal(log, refusal);
  return problem(c, refusal);
};

/** A full queue refuses many requests a second; only what was caught behind a refusal is worth a line. */
const logRefusal = (log: Log, { code, detail, cause }: Failure): void => {
  if (cause !== undefined) log.warn({ code, detail, error: describeError(cause) }, 'a request was refused');
};

const requestLog = (c: Context<Env>, log: Log): Log => log.child({ request_id: c.get('requestId') });

const bounded = (bytesMax: number) =>
  bodyLimit({ maxSize: bytesMax, onError: (c) => problem(c, failure('body_too_large')) });
