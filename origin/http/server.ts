/** What a node answers to the edge, its route table: `/v1/*` and nothing else. A route parses, calls a flow, responds. */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
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
import { type QuickLookRequest, type QuickLookResponse, quickLookRequestSchema } from '../../shared/quick-look.ts';
import { ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import { describeError, type Log, traceFields } from '../log.ts';
import { foreignUrls, type IsStorageUrl } from '../storage/allowed.ts';
import { type AnswerCallbacks, answerDecided, answerJob } from './answer-job.ts';
import { invalid, readSigned, type SignedBody } from './read-signed.ts';
import { problem } from './respond.ts';
import type { VerifyServiceToken } from './service-token.ts';

export type ServerDeps = {
  readonly verifyToken: VerifyServiceToken;
  readonly isStorageUrl: IsStorageUrl;
  readonly log: Log;
  readonly serveJob: (job: JobRequest, callerSignal: AbortSignal, log: Log) => Promise<Result<Outcome, Failure>>;
  readonly serveCheck: (
    check: CheckRequest,
    callerSignal: AbortSignal,
  ) => Promise<Result<Exclude<CheckResponse, { refused: unknown }>, Failure>>;
  readonly serveQuickLook: (
    request: QuickLookRequest,
    callerSignal: AbortSignal,
  ) => Promise<Result<Exclude<QuickLookResponse, { refused: unknown }>, Failure>>;
  readonly storeLedgerExport: (sent: LedgerExport) => Promise<LedgerExportResponse>;
  readonly eraseJobs: (request: ErasureRequest) => Promise<ErasureResponse>;
  readonly readLedgerArchive: (request: LedgerArchiveRequest) => Promise<LedgerArchiveResponse>;
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
  app.post(nodePaths.jobs, jobRoute(deps));
  app.post(nodePaths.checks, checkRoute(deps));
  app.post(nodePaths.quickLooks, quickLookRoute(deps));
  app.post(nodePaths.ledgerEntries, ledgerRoute(deps));
  app.post(nodePaths.ledgerLines, archiveRoute(deps));
  app.post(nodePaths.erasures, erasureRoute(deps));
  app.notFound((c) => problem(c, failure('not_found')));
  app.onError((error, c) => {
    deps.onFault('server', error);
    requestLog(c, deps.log).error({ error: describeError(error) }, 'a request failed unexpectedly');
    return problem(c, failure('internal_error'));
  });
  return app;
};

const { ledgerBodyBytesMax } = originLimits.http;
const { jobBodyBytesMax } = limits.origin;
const jobBody: SignedBody<JobRequest> = {
  bytesMax: jobBodyBytesMax,
  schema: jobRequestSchema,
  subject: ({ job_id }) => job_id,
};
const checkBody: SignedBody<CheckRequest> = {
  bytesMax: jobBodyBytesMax,
  schema: checkRequestSchema,
  subject: ({ check_id }) => check_id,
};
const quickLookBody: SignedBody<QuickLookRequest> = {
  bytesMax: limits.quickLook.bodyBytesMax,
  schema: quickLookRequestSchema,
  subject: ({ look_id }) => look_id,
};
const erasureBody: SignedBody<ErasureRequest> = {
  bytesMax: jobBodyBytesMax,
  schema: erasureRequestSchema,
  subject: () => ERASURE_SUBJECT,
};
const exportBody: SignedBody<LedgerExport> = {
  bytesMax: ledgerBodyBytesMax,
  schema: ledgerExportSchema,
  subject: () => LEDGER_EXPORT_SUBJECT,
};
const archiveBody: SignedBody<LedgerArchiveRequest> = {
  bytesMax: ledgerBodyBytesMax,
  schema: ledgerArchiveRequestSchema,
  subject: () => LEDGER_ARCHIVE_SUBJECT,
};

/** A job or check, whose files must all be our storage's. */
const readWork = async <T extends JobRequest | CheckRequest>(
  c: Context<Env>,
  { verifyToken, isStorageUrl }: ServerDeps,
  body: SignedBody<T>,
): Promise<Result<T, Failure>> => {
  const work = await readSigned(c, verifyToken, body);
  if (!work.ok) return work;
  const foreign = foreignUrls(work.value, isStorageUrl);
  return foreign.length === 0 ? ok(work.value) : invalid(foreign.map((field) => [field, 'is not under STORAGE_URLS']));
};

const jobRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const job = await readWork(c, deps, jobBody);
    if (!job.ok) return refuse(c, deps, requestLog(c, deps.log), job.failure);
    const trace = traceFields(c.req.header('traceparent'));
    const log = requestLog(c, deps.log).child({ job_id: job.value.job_id, ...trace });
    return answerJob(c, deps.serveJob(job.value, c.req.raw.signal, log), callbacksOf(c, deps, log, 'a job'));
  };

const callbacksOf = (c: Context<Env>, deps: ServerDeps, log: Log, work: string): AnswerCallbacks => ({
  refuse: (refusal) => refuse(c, deps, log, refusal),
  onLateRefusal: (refusal) => logRefusal(log, refusal),
  onFault: (error) => {
    deps.onFault('server', error);
    log.error({ error: describeError(error) }, `${work} failed unexpectedly`);
  },
});

const checkRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const check = await readWork(c, deps, checkBody);
    if (!check.ok) return refuse(c, deps, requestLog(c, deps.log), check.failure);
    const trace = traceFields(c.req.header('traceparent'));
    const log = requestLog(c, deps.log).child({ check_id: check.value.check_id, ...trace });
    return answerDecided(c, deps.serveCheck(check.value, c.req.raw.signal), callbacksOf(c, deps, log, 'a check'));
  };

const quickLookRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const look = await readSigned(c, deps.verifyToken, quickLookBody);
    if (!look.ok) return refuse(c, deps, requestLog(c, deps.log), look.failure);
    const log = requestLog(c, deps.log).child({ look_id: look.value.look_id });
    return answerDecided(
      c,
      deps.serveQuickLook(look.value, c.req.raw.signal),
      callbacksOf(c, deps, log, 'a quick look'),
    );
  };

const ledgerRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const sent = await readSigned(c, deps.verifyToken, exportBody);
    if (!sent.ok) return refuse(c, deps, requestLog(c, deps.log), sent.failure);
    return c.json(await deps.storeLedgerExport(sent.value));
  };

const archiveRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const asked = await readSigned(c, deps.verifyToken, archiveBody);
    if (!asked.ok) return refuse(c, deps, requestLog(c, deps.log), asked.failure);
    return c.json(await deps.readLedgerArchive(asked.value));
  };

const erasureRoute =
  (deps: ServerDeps) =>
  async (c: Context<Env>): Promise<Response> => {
    const asked = await readSigned(c, deps.verifyToken, erasureBody);
    if (!asked.ok) return refuse(c, deps, requestLog(c, deps.log), asked.failure);
    return c.json(await deps.eraseJobs(asked.value));
  };

const refuse = (c: Context<Env>, deps: ServerDeps, log: Log, refusal: Failure): Response => {
  deps.onRefused(refusal);
  logRefusal(log, refusal);
  // Nothing more is read from somebody whose body was not wanted.
  if (refusal.code === 'unauthorized_service' || refusal.code === 'body_too_large') c.header('Connection', 'close');
  return problem(c, refusal);
};

/** A full queue refuses many requests a second; only what was caught behind a refusal is worth a line. */
const logRefusal = (log: Log, { code, detail, cause }: Failure): void => {
  if (cause !== undefined) log.warn({ code, detail, error: describeError(cause) }, 'a request was refused');
};

const requestLog = (c: Context<Env>, log: Log): Log => log.child({ request_id: c.get('requestId') });
