/**
 * The fleet of compute nodes: jobs and the ledger's export, with the service token of shared/job.ts. What one node
 * cannot take now is offered to the next with
 * the same job id; the journal sees to it that it is run once.
 */
import { SignJWT } from 'jose';
import { type Clock, type Fetch, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { sha256 } from '../../shared/digest.ts';
import { type JobRequest, jobResponseSchema, type Outcome, SERVICE_TOKEN } from '../../shared/job.ts';
import {
  LEDGER_EXPORT_SUBJECT,
  type LedgerExport,
  type LedgerExportResponse,
  ledgerExportResponseSchema,
} from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import { edgeLimits } from '../limits.ts';
import type { LogEvent } from '../log.ts';
import type { OriginReply, Trace } from '../ports.ts';
import { createNodeCircuits } from './node-health.ts';

export type OriginConfig = { readonly urls: readonly string[]; readonly secret: string };
export type OriginDeps = {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: LogEvent;
};

export type Origin = {
  run(job: JobRequest, trace: Trace): Promise<OriginReply>;
  exportLedger(parcel: LedgerExport): Promise<boolean>;
};

/**
 * What one node made of a call. `failed`: a bug or a refusal that any other node would repeat. `lost`: it cannot be
 * reached, or is not what it should be; `status`
 * where it said so itself. `late`: it may be well, but the call's time is over.
 */
type Reply<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string; readonly status?: number }
  | { readonly kind: 'late' };

/** `read`: what a node's 200 says; undefined where no node says that. */
type Call<T> = {
  readonly path: string;
  readonly subject: string;
  readonly body: string;
  readonly trace: Partial<Trace>;
  readonly endsAtMs: number;
  readonly read: (text: string) => Reply<T> | undefined;
};

export const originClient = (config: OriginConfig, deps: OriginDeps): Origin => {
  const key = new TextEncoder().encode(config.secret);
  const circuits = createNodeCircuits(config.urls, deps.clock.nowMs, deps.chance);

  const token = async (subject: string, body: string): Promise<string> => {
    const issuedAt = Math.floor(deps.clock.nowMs() / 1_000);
    return new SignJWT({ body_sha256: await sha256(body) })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(SERVICE_TOKEN.issuer)
      .setAudience(SERVICE_TOKEN.audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SERVICE_TOKEN.secondsMax)
      .sign(key);
  };

  /** The first node's reply that is not "ask another", or the best there was. */
  const ask = async <T>(call: Call<T>): Promise<Reply<T>> => {
    const headers = {
      authorization: `Bearer ${await token(call.subject, call.body)}`,
      'content-type': 'application/json',
      ...traceHeaders(call.trace),
    };
    let best: Reply<T> = { kind: 'lost', why: 'no node was asked' };
    for (const node of circuits.order().slice(0, limits.origin.nodesAskedMax)) {
      circuits.asking(node);
      const reply = await askNode(deps, node + call.path, { method: 'POST', headers, body: call.body }, call);
      switch (reply.kind) {
        case 'answered':
        case 'failed':
          circuits.answered(node);
          return reply;
        case 'late':
          return reply;
        case 'busy':
          circuits.busy(node, reply.retryAfterMs);
          if (best.kind !== 'busy' || reply.retryAfterMs < best.retryAfterMs) best = reply;
          break;
        case 'lost':
          circuits.lost(node);
          // A status of its own is no breakdown but a mistake of somebody's: a wrong address, secret or version.
          deps.log(reply.status === undefined ? 'warn' : 'error', 'origin_unreachable', {
            node,
            subject: call.subject,
            error: reply.why,
          });
          if (best.kind !== 'busy') best = reply;
      }
    }
    return best;
  };

  return {
    async run(job, trace) {
      const endsAtMs = Math.min(deps.clock.nowMs() + limits.origin.callMsMax, job.deadline_at);
      const reply = await ask({
        path: '/v1/jobs',
        subject: job.job_id,
        body: JSON.stringify(job),
        trace,
        endsAtMs,
        read: readJobResponse,
      });
      if (reply.kind === 'answered') return { kind: 'outcome', outcome: reply.value };
      if (reply.kind === 'busy') return reply;
      if (reply.kind === 'failed') deps.log('error', 'origin_failed_job', { job_id: job.job_id, error: reply.why });
      return { kind: reply.kind === 'failed' ? 'failed' : 'unreachable' };
    },
    async exportLedger(parcel) {
      const endsAtMs = deps.clock.nowMs() + limits.origin.callMsMax;
      const reply = await ask({
        path: '/v1/ledger-entries',
        subject: LEDGER_EXPORT_SUBJECT,
        body: JSON.stringify(parcel),
        trace: {},
        endsAtMs,
        read: readExportResponse,
      });
      if (reply.kind !== 'answered') {
        deps.log(reply.kind === 'failed' ? 'error' : 'warn', 'ledger_export_failed', {
          error: 'why' in reply ? reply.why : reply.kind,
        });
        return false;
      }
      for (const id of reply.value.conflicting) deps.log('error', 'ledger_export_conflict', { id });
      return true;
    },
  };
};

const traceHeaders = ({ requestId, traceparent }: Partial<Trace>): Record<string, string> => ({
  ...(requestId === undefined ? {} : { 'request-id': requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** One node, listened to until it has answered, has been silent for too long, or the call's time is over. */
const askNode = async <T>(
  { fetch, clock }: OriginDeps,
  url: string,
  init: RequestInit,
  { endsAtMs, read }: Call<T>,
): Promise<Reply<T>> => {
  const connection = new AbortController();
  const silent = (msMax: number): Reply<T> =>
    clock.nowMs() >= endsAtMs ? { kind: 'late' } : { kind: 'lost', why: `silent for ${msMax} ms` };
  const listen = <V>(work: Promise<V>, msMax: number): Promise<V | typeof TIMED_OUT> =>
    withTimeout(work, Math.min(msMax, endsAtMs - clock.nowMs()), clock);
  const { headersMsMax, silenceMsMax, answerBytesMax } = limits.origin;
  try {
    const response = await listen(fetch(url, { ...init, signal: connection.signal }), headersMsMax);
    if (response === TIMED_OUT) return silent(headersMsMax);
    const reader = (response.body ?? new Blob().stream()).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = 0; ; ) {
      const part = await listen(reader.read(), silenceMsMax);
      if (part === TIMED_OUT) return silent(silenceMsMax);
      if (part.done) return replyOf(response, text + decoder.decode(), read);
      bytes += part.value.byteLength;
      if (bytes > answerBytesMax) return { kind: 'lost', why: `answered more than ${answerBytesMax} bytes` };
      text += decoder.decode(part.value, { stream: true });
    }
  } catch (error) {
    return { kind: 'lost', why: String(error) };
  } finally {
    connection.abort();
  }
};

/** 502, 504 and what lies above are said by proxies in front of a node that does not answer them. */
const replyOf = <T>(response: Response, text: string, read: Call<T>['read']): Reply<T> => {
  const { status } = response;
  if (status === 503 || status === 429) return busy(Number(response.headers.get('retry-after')));
  const why = `status ${status}: ${text.slice(0, 300)}`;
  if (status === 500) return { kind: 'failed', why };
  if (status > 500) return { kind: 'lost', why };
  return (status === 200 ? read(text) : undefined) ?? { kind: 'lost', why, status };
};

const busy = (seconds: number) =>
  ({
    kind: 'busy',
    retryAfterMs: Math.min(seconds > 0 ? seconds * 1_000 : 1_000, edgeLimits.queue.delayMsMax),
  }) as const;

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const readJobResponse = (text: string): Reply<Outcome> | undefined => {
  const { data } = jobResponseSchema.safeParse(jsonOf(text));
  if (!data) return undefined;
  if ('outcome' in data) return { kind: 'answered', value: data.outcome };
  const { code, detail, retry_after_seconds } = data.refused;
  return retry_after_seconds === undefined ? { kind: 'failed', why: `${code}: ${detail}` } : busy(retry_after_seconds);
};

const readExportResponse = (text: string): Reply<LedgerExportResponse> | undefined => {
  const { data } = ledgerExportResponseSchema.safeParse(jsonOf(text));
  return data && { kind: 'answered', value: data };
};
