/**
 * The fleet of compute nodes: jobs and the ledger's export. What one node cannot take now is offered to the next with
 * the same job id; origin's job store sees to it that a job is run once.
 */
import type { z } from 'zod';
import type { Clock, Fetch } from '../../shared/clock.ts';
import { ERASURE_SUBJECT, type ErasureRequest, erasureResponseSchema } from '../../shared/erasure.ts';
import { type CheckRequest, checkResponseSchema } from '../../shared/findings.ts';
import { type JobRequest, type JobResponse, jobResponseSchema, type Outcome } from '../../shared/job.ts';
import {
  LEDGER_ARCHIVE_SUBJECT,
  type LedgerArchiveRequest,
  ledgerArchiveResponseSchema,
} from '../../shared/ledger-archive.ts';
import {
  LEDGER_EXPORT_SUBJECT,
  type LedgerEntry,
  type LedgerExport,
  type LedgerExportResponse,
  ledgerExportResponseSchema,
} from '../../shared/ledger-export.ts';
import { nodePaths } from '../../shared/paths.ts';
import { type QuickLookRequest, quickLookResponseSchema } from '../../shared/quick-look.ts';
import type { ServiceSigningKey } from '../../shared/service-key.ts';
import { edgeLimits } from '../limits.ts';
import type { LogEvent } from '../log.ts';
import type { CheckOutcome, OriginReply, QuickLookOutcome, Trace } from '../ports.ts';
import { busyFor, callNode, type NodeReply } from './call-node.ts';
import { createNodeHealth } from './node-health.ts';
import { serviceTokenSigner } from './service-token.ts';

/** `access`: the service token of Cloudflare Access, where that guards the nodes' host names. */
export type OriginConfig = {
  readonly urls: readonly string[];
  readonly signingKey: ServiceSigningKey;
  readonly access?: { readonly clientId: string; readonly clientSecret: string } | undefined;
};
export type OriginDeps = {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** 0 ≤ x < 1 */
  readonly random: () => number;
  readonly log: LogEvent;
};

/** `isStored` once every row is safe at origin, be it with other content: those are `conflicting`. */
type ExportReply = { readonly isStored: true; readonly conflicting: readonly string[] } | { readonly isStored: false };

export type Origin = {
  run(job: JobRequest, trace: Trace): Promise<OriginReply>;
  check(check: CheckRequest, trace: Trace): Promise<OriginReply<CheckOutcome>>;
  quickLook(request: QuickLookRequest, trace: Trace): Promise<OriginReply<QuickLookOutcome>>;
  exportLedger(exportBatch: LedgerExport): Promise<ExportReply>;
  /** Exported lines, newest first; undefined while no node can be asked. */
  readArchive(request: LedgerArchiveRequest): Promise<readonly LedgerEntry[] | undefined>;
  /** Has origin forget what it found out about these images, at most `limits.batch.imagesMax`. Throws where no node does. */
  erase(jobIds: readonly string[]): Promise<void>;
};

/** A call that any node may take. `read`: what a node's 200 says; undefined where no node says that. */
type FleetCall<T> = {
  readonly path: string;
  readonly subject: string;
  readonly body: string;
  readonly trace: Partial<Trace>;
  readonly endsAtMs: number;
  readonly read: (text: string) => NodeReply<T> | undefined;
  readonly answerBytesMax?: number;
  /** A node that is busy with such calls, or of a version without them, may well take a job: it stays in its place. */
  readonly isFree?: boolean;
};
type AskFleet = <T>(call: FleetCall<T>) => Promise<NodeReply<T>>;

export const originClient = (config: OriginConfig, deps: OriginDeps): Origin => {
  const ask = fleetCaller(config, deps);
  return {
    run: (job, trace) => runJob(ask, deps, job, trace),
    check: (check, trace) => runCheck(ask, deps, check, trace),
    quickLook: (request, trace) => runQuickLook(ask, deps, request, trace),
    exportLedger: (exportBatch) => exportLedger(ask, deps, exportBatch),
    readArchive: (request) => readArchive(ask, deps, request),
    erase: (jobIds) => erase(ask, deps, jobIds),
  };
};

/** Asks one node after the other, the healthiest first, until one gives a reply that is final. */
const fleetCaller = (config: OriginConfig, deps: OriginDeps): AskFleet => {
  const health = createNodeHealth(config.urls, deps.clock.nowMs, deps.random);
  const sign = serviceTokenSigner(config.signingKey, deps.clock.nowMs);

  const note = (
    node: string,
    reply: NodeReply<unknown>,
    askedAtMs: number,
    { subject, isFree }: Pick<FleetCall<unknown>, 'subject' | 'isFree'>,
  ): void => {
    if (reply.kind === 'answered' || reply.kind === 'failed') health.answered(node);
    if (reply.kind === 'busy' && !isFree) health.busy(node, reply.retryAfterMs);
    if (reply.kind !== 'unhealthy' && reply.kind !== 'no_headers') return;
    // A status of its own is no breakdown but somebody's mistake: a wrong address, secret or version.
    const level = 'status' in reply ? 'error' : 'warn';
    deps.log(level, 'origin_unreachable', { node, subject, error: reply.why });
    if (isFree && 'status' in reply) return;
    // A node that answered another call meanwhile is up; this call most likely waited for a free connection.
    if (reply.kind === 'no_headers' && health.answeredSince(node, askedAtMs)) return;
    health.unhealthy(node);
  };

  return async <T>({ path, subject, trace, isFree = false, ...call }: FleetCall<T>) => {
    const { body } = call;
    const headers = {
      authorization: `Bearer ${await sign(subject, body)}`,
      'content-type': 'application/json',
      ...accessHeaders(config),
      ...traceHeaders(trace),
    };
    let best: NodeReply<T> = { kind: 'unhealthy', why: 'no node was asked' };
    for (const node of health.order().slice(0, edgeLimits.origin.nodesAskedMax)) {
      const askedAtMs = deps.clock.nowMs();
      health.asking(node);
      const reply = await callNode(deps, { url: node + path, headers, ...call });
      note(node, reply, askedAtMs, { subject, isFree });
      if (isFinal(reply)) return reply;
      best = better(best, reply);
    }
    return best;
  };
};

const isFinal = ({ kind }: NodeReply<unknown>): boolean =>
  kind === 'answered' || kind === 'failed' || kind === 'timed_out';

/** Where no node took the call, the busy one that wants the shortest wait says most. */
const better = <T>(best: NodeReply<T>, reply: NodeReply<T>): NodeReply<T> =>
  best.kind === 'busy' && (reply.kind !== 'busy' || best.retryAfterMs <= reply.retryAfterMs) ? best : reply;

const accessHeaders = ({ access }: OriginConfig): Record<string, string> =>
  access ? { 'cf-access-client-id': access.clientId, 'cf-access-client-secret': access.clientSecret } : {};

const traceHeaders = ({ requestId, traceparent }: Partial<Trace>): Record<string, string> => ({
  ...(requestId === undefined ? {} : { 'request-id': requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
});

const runJob = async (ask: AskFleet, deps: OriginDeps, job: JobRequest, trace: Trace): Promise<OriginReply> => {
  const reply = await ask({
    path: nodePaths.jobs,
    subject: job.job_id,
    body: JSON.stringify(job),
    trace,
    endsAtMs: Math.min(deps.clock.nowMs() + edgeLimits.origin.callMsMax, job.deadline_at),
    read: readJobResponse,
  });
  return originReply(reply, (why) => deps.log('error', 'origin_failed_job', { job_id: job.job_id, error: why }));
};

const runCheck = async (
  ask: AskFleet,
  deps: OriginDeps,
  check: CheckRequest,
  trace: Trace,
): Promise<OriginReply<CheckOutcome>> => {
  const reply = await ask({
    path: nodePaths.checks,
    subject: check.check_id,
    body: JSON.stringify(check),
    trace,
    endsAtMs: check.deadline_at,
    isFree: true,
    read: readFree<CheckOutcome>(checkResponseSchema),
  });
  return originReply(reply, (why) =>
    deps.log('error', 'origin_failed_check', { check_id: check.check_id, error: why }),
  );
};

const runQuickLook = async (
  ask: AskFleet,
  deps: OriginDeps,
  request: QuickLookRequest,
  trace: Trace,
): Promise<OriginReply<QuickLookOutcome>> => {
  const reply = await ask({
    path: nodePaths.quickLooks,
    subject: request.look_id,
    body: JSON.stringify(request),
    trace,
    endsAtMs: request.deadline_at,
    isFree: true,
    answerBytesMax: edgeLimits.origin.quickLookBytesMax,
    read: readFree<QuickLookOutcome>(quickLookResponseSchema),
  });
  return originReply(reply, (why) => deps.log('error', 'origin_failed_quick_look', { error: why }));
};

const originReply = <T>(reply: NodeReply<T>, noteFailed: (why: string) => void): OriginReply<T> => {
  if (reply.kind === 'answered') return { kind: 'outcome', outcome: reply.value };
  if (reply.kind === 'busy') return reply;
  if (reply.kind !== 'failed') return { kind: 'unreachable' };
  noteFailed(reply.why);
  return { kind: 'failed' };
};

const exportLedger = async (ask: AskFleet, deps: OriginDeps, exportBatch: LedgerExport): Promise<ExportReply> => {
  const reply = await ask({
    path: nodePaths.ledgerEntries,
    subject: LEDGER_EXPORT_SUBJECT,
    body: JSON.stringify(exportBatch),
    trace: {},
    endsAtMs: deps.clock.nowMs() + edgeLimits.origin.callMsMax,
    read: readExportResponse,
  });
  if (reply.kind !== 'answered') {
    const error = 'why' in reply ? reply.why : reply.kind;
    deps.log(reply.kind === 'failed' ? 'error' : 'warn', 'ledger_export_failed', { error });
    return { isStored: false };
  }
  const { conflicting } = reply.value;
  for (const id of conflicting) deps.log('error', 'ledger_export_conflict', { id });
  return { isStored: true, conflicting };
};

const erase = async (ask: AskFleet, deps: OriginDeps, jobIds: readonly string[]): Promise<void> => {
  const reply = await ask<number>({
    path: nodePaths.erasures,
    subject: ERASURE_SUBJECT,
    body: JSON.stringify({ job_ids: [...jobIds] } satisfies ErasureRequest),
    trace: {},
    endsAtMs: deps.clock.nowMs() + edgeLimits.origin.archiveCallMsMax,
    read: (text) => {
      const response = parsed(text, erasureResponseSchema);
      return response && { kind: 'answered', value: response.erased };
    },
  });
  if (reply.kind !== 'answered') throw new Error(`origin erased nothing: ${'why' in reply ? reply.why : reply.kind}`);
};

const readArchive = async (
  ask: AskFleet,
  deps: OriginDeps,
  request: LedgerArchiveRequest,
): Promise<readonly LedgerEntry[] | undefined> => {
  const reply = await ask<readonly LedgerEntry[]>({
    path: nodePaths.ledgerLines,
    subject: LEDGER_ARCHIVE_SUBJECT,
    body: JSON.stringify(request),
    trace: {},
    endsAtMs: deps.clock.nowMs() + edgeLimits.origin.archiveCallMsMax,
    answerBytesMax: edgeLimits.origin.archiveBytesMax,
    read: (text) => {
      const response = parsed(text, ledgerArchiveResponseSchema);
      return response && { kind: 'answered', value: response.lines };
    },
  });
  if (reply.kind === 'answered') return reply.value;
  deps.log('warn', 'ledger_archive_unread', { error: 'why' in reply ? reply.why : reply.kind });
  return undefined;
};

/** The answer as `schema` has it; undefined for anything else, JSON or not. */
const parsed = <T>(text: string, schema: z.ZodType<T>): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const readJobResponse = (text: string): NodeReply<Outcome> | undefined => {
  const response = parsed(text, jobResponseSchema);
  if (!response) return undefined;
  return 'outcome' in response ? { kind: 'answered', value: response.outcome } : refusedReply(response.refused);
};

/** Of free work: what it came to, or a refusal. */
const readFree =
  <T extends object>(schema: z.ZodType<T | { readonly refused: Refused }>) =>
  (text: string): NodeReply<T> | undefined => {
    const response = parsed(text, schema);
    if (!response) return undefined;
    return 'refused' in response ? refusedReply(response.refused) : { kind: 'answered', value: response };
  };

type Refused = Extract<JobResponse, { refused: unknown }>['refused'];
const refusedReply = ({ code, detail, retry_after_seconds }: Refused) =>
  retry_after_seconds === undefined
    ? ({ kind: 'failed', why: `${code}: ${detail}` } as const)
    : busyFor(retry_after_seconds);

const readExportResponse = (text: string): NodeReply<LedgerExportResponse> | undefined => {
  const response = parsed(text, ledgerExportResponseSchema);
  return response && { kind: 'answered', value: response };
};
