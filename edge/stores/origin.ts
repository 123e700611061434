/**
 * The fleet of compute nodes: jobs and the ledger's export, with the service token of shared/job.ts. What one node cannot take now is offered to the next with
 * the same job id; the journal sees to it that it is run once.
 */
import { SignJWT } from 'jose';
import { type Clock, LATE, within } from '../../shared/clock.ts';
import { type JobRequest, type JobResponse, SERVICE_TOKEN, jobResponseSchema } from '../../shared/job.ts';
import { LEDGER_EXPORT_SUBJECT, type LedgerExport, ledgerExportResponseSchema } from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import type { OriginReply, Trace } from '../flows/ports.ts';
import type { LogEvent } from '../log.ts';
import { createNodeCircuits } from './node-circuits.ts';

export type OriginConfig = { readonly urls: readonly string[]; readonly secret: string };
export type OriginDeps = { readonly fetch: (url: string, init: RequestInit) => Promise<Response>; readonly clock: Clock; readonly chance: () => number; readonly log: LogEvent };

export type Origin = {
  run(job: JobRequest, trace: Trace): Promise<OriginReply>;
  exportLedger(parcel: LedgerExport): Promise<boolean>;
};

/** What one node made of a call. `late`: it may be well, but the call's time is over. */
type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'late' };

type Call = { readonly path: string; readonly subject: string; readonly body: string; readonly trace: Partial<Trace>; readonly endsAtMs: number };

const utf8 = new TextEncoder();
const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

export const originClient = (config: OriginConfig, deps: OriginDeps): Origin => {
  const key = utf8.encode(config.secret);
  const circuits = createNodeCircuits(config.urls, deps.clock.nowMs, deps.chance);

  const token = async (subject: string, body: string): Promise<string> => {
    const issuedAt = Math.floor(deps.clock.nowMs() / 1_000);
    const digest = hex(await crypto.subtle.digest('SHA-256', utf8.encode(body)));
    return new SignJWT({ body_sha256: digest })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(SERVICE_TOKEN.issuer)
      .setAudience(SERVICE_TOKEN.audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SERVICE_TOKEN.secondsMax)
      .sign(key);
  };

  /** The first node's reply that is not "ask another": its answer, or what was the best to be had. */
  const ask = async (call: Call): Promise<Reply> => {
    const headers = { authorization: `Bearer ${await token(call.subject, call.body)}`, 'content-type': 'application/json', ...traceHeaders(call.trace) };
    let best: Reply = { kind: 'lost', why: 'no node was asked' };
    for (const node of circuits.order().slice(0, limits.origin.nodesAskedMax)) {
      circuits.asking(node);
      const reply = await askNode(deps, node + call.path, { method: 'POST', headers, body: call.body }, call.endsAtMs);
      if (reply.kind === 'answered') circuits.answered(node);
      if (reply.kind === 'answered' || reply.kind === 'late') return reply;
      if (reply.kind === 'busy') circuits.busy(node, reply.retryAfterMs);
      else {
        circuits.lost(node);
        deps.log('warn', 'origin_unreachable', { node, subject: call.subject, error: reply.why });
      }
      if (best.kind !== 'busy' || (reply.kind === 'busy' && reply.retryAfterMs < best.retryAfterMs)) best = reply;
    }
    return best;
  };

  return {
    async run(job, trace) {
      const endsAtMs = Math.min(deps.clock.nowMs() + limits.origin.callMsMax, job.deadline_at);
      const reply = await ask({ path: '/v1/jobs', subject: job.job_id, body: JSON.stringify(job), trace, endsAtMs });
      if (reply.kind === 'busy') return reply;
      if (reply.kind !== 'answered') return { kind: 'unreachable' };
      const response = reply.status === 200 ? jobResponseOf(reply.text) : undefined;
      if (response && 'outcome' in response) return { kind: 'outcome', outcome: response.outcome };
      deps.log('error', 'origin_refused_job', { job_id: job.job_id, status: reply.status, body: reply.text.slice(0, 300) });
      return { kind: 'refused' };
    },
    async exportLedger(parcel) {
      const endsAtMs = deps.clock.nowMs() + limits.origin.callMsMax;
      const reply = await ask({ path: '/v1/ledger-entries', subject: LEDGER_EXPORT_SUBJECT, body: JSON.stringify(parcel), trace: {}, endsAtMs });
      const stored = reply.kind === 'answered' && reply.status === 200 ? ledgerExportResponseSchema.safeParse(jsonOf(reply.text)) : undefined;
      if (!stored?.success) {
        const status = reply.kind === 'answered' ? reply.status : undefined;
        // A 4xx will not pass by waiting: the two tiers disagree about the contract.
        deps.log(status !== undefined && status >= 400 && status < 500 ? 'error' : 'warn', 'ledger_export_failed', { status });
        return false;
      }
      for (const id of stored.data.conflicting) deps.log('error', 'ledger_export_conflict', { id });
      return true;
    },
  };
};

const traceHeaders = ({ requestId, traceparent }: Partial<Trace>): Record<string, string> => ({
  ...(requestId === undefined ? {} : { 'request-id': requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** One node, listened to until it has answered, has been silent for too long, or the call's time is over. */
const askNode = async ({ fetch, clock }: OriginDeps, url: string, init: RequestInit, endsAtMs: number): Promise<Reply> => {
  const connection = new AbortController();
  const silent = (msMax: number): Reply => (clock.nowMs() >= endsAtMs ? { kind: 'late' } : { kind: 'lost', why: `silent for ${msMax} ms` });
  const listen = <T>(work: Promise<T>, msMax: number): Promise<T | typeof LATE> => within(work, Math.min(msMax, endsAtMs - clock.nowMs()), clock);
  const { headersMsMax, silenceMsMax, answerBytesMax } = limits.origin;
  try {
    const response = await listen(fetch(url, { ...init, signal: connection.signal }), headersMsMax);
    if (response === LATE) return silent(headersMsMax);
    const reader = (response.body ?? new Blob().stream()).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = 0; ; ) {
      const part = await listen(reader.read(), silenceMsMax);
      if (part === LATE) return silent(silenceMsMax);
      if (part.done) return replyOf(response, text + decoder.decode());
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
const replyOf = (response: Response, text: string): Reply => {
  const { status } = response;
  if (status === 503 || status === 429) return busy(Number(response.headers.get('retry-after')));
  if (status === 502 || status >= 504) return { kind: 'lost', why: `status ${status}` };
  const late = status === 200 ? jobResponseOf(text) : undefined;
  return late && 'refused' in late && late.refused.retry_after_seconds !== undefined ? busy(late.refused.retry_after_seconds) : { kind: 'answered', status, text };
};

const busy = (seconds: number): Reply => ({ kind: 'busy', retryAfterMs: Math.min(seconds > 0 ? seconds * 1_000 : 1_000, limits.queue.delayMsMax) });

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const jobResponseOf = (text: string): JobResponse | undefined => jobResponseSchema.safeParse(jsonOf(text)).data;
