/**
 * The fleet of compute nodes: jobs and the ledger's export, with the service token of shared/job.ts. A node that cannot be reached is left alone for a
 * while and the next one in the list is asked.
 */
import { SignJWT } from 'jose';
import { type JobRequest, type Outcome, SERVICE_TOKEN, jobResponseSchema } from '../../shared/job.ts';
import { LEDGER_EXPORT_SUBJECT, type LedgerExport, ledgerExportResponseSchema } from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import type { OriginReply, Trace } from '../flows/ports.ts';
import { logEvent } from '../log.ts';

export type OriginConfig = { readonly urls: readonly string[]; readonly secret: string };
export type OriginDeps = { readonly fetch: (url: string, init: RequestInit) => Promise<Response>; readonly nowMs: () => number };

export type Origin = {
  run(job: JobRequest, trace: Trace): Promise<OriginReply>;
  exportLedger(parcel: LedgerExport): Promise<boolean>;
};

const utf8 = new TextEncoder();
const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

export const originClient = (config: OriginConfig, deps: OriginDeps): Origin => {
  const key = utf8.encode(config.secret);
  /** Node → until when it is left alone, ms. */
  const resting = new Map<string, number>();

  const token = async (subject: string, body: string): Promise<string> => {
    const issuedAt = Math.floor(deps.nowMs() / 1_000);
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

  /** Nodes that answered last time first, each group in random order; a resting node is better than none. */
  const nodes = (): string[] => {
    const now = deps.nowMs();
    const rank = (url: string): number => ((resting.get(url) ?? 0) > now ? 1 : 0) + Math.random() / 2;
    return config.urls.map((url) => ({ url, rank: rank(url) })).sort((a, b) => a.rank - b.rank).map(({ url }) => url);
  };

  /** The first node that answers at all. Undefined: none did. */
  const post = async (path: string, subject: string, body: string, trace: Partial<Trace>, timeoutMs: number): Promise<Response | undefined> => {
    const headers = { authorization: `Bearer ${await token(subject, body)}`, 'content-type': 'application/json', ...traceHeaders(trace) };
    for (const url of nodes()) {
      try {
        const response = await deps.fetch(url + path, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
        resting.delete(url);
        return response;
      } catch (error) {
        resting.set(url, deps.nowMs() + limits.origin.restMs);
        logEvent('warn', 'origin_unreachable', { node: url, subject, error: String(error) });
      }
    }
    return undefined;
  };

  return {
    async run(job, trace) {
      const timeoutMs = Math.max(1, Math.min(limits.origin.callMsMax, job.deadline_at - deps.nowMs()));
      const response = await post('/v1/jobs', job.job_id, JSON.stringify(job), trace, timeoutMs);
      return response ? jobReply(job.job_id, response) : { kind: 'unreachable' };
    },
    async exportLedger(parcel) {
      const response = await post('/v1/ledger-entries', LEDGER_EXPORT_SUBJECT, JSON.stringify(parcel), {}, limits.origin.callMsMax);
      const stored = response?.ok ? ledgerExportResponseSchema.safeParse(await response.json().catch(() => undefined)) : undefined;
      if (!stored?.success) {
        // A 4xx will not pass by waiting: the two tiers disagree about the contract.
        const refused = response !== undefined && response.status >= 400 && response.status < 500;
        logEvent(refused ? 'error' : 'warn', 'ledger_export_failed', { status: response?.status });
        return false;
      }
      for (const id of stored.data.conflicting) logEvent('error', 'ledger_export_conflict', { id });
      return true;
    },
  };
};

const traceHeaders = ({ requestId, traceparent }: Partial<Trace>): Record<string, string> => ({
  ...(requestId === undefined ? {} : { 'request-id': requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** A body that breaks off is a node that died: the same job may be asked of another. */
const jobReply = async (jobId: string, response: Response): Promise<OriginReply> => {
  const text = await response.text().catch(() => undefined);
  if (text === undefined || response.status === 502 || response.status === 504) return { kind: 'unreachable' };
  if (response.status === 503 || response.status === 429) return { kind: 'busy', retryAfterMs: retryAfterMs(response) };
  const outcome = response.ok ? outcomeOf(text) : undefined;
  if (outcome) return { kind: 'outcome', outcome };
  logEvent('error', 'origin_refused_job', { job_id: jobId, status: response.status, body: text.slice(0, 300) });
  return { kind: 'refused' };
};

const outcomeOf = (text: string): Outcome | undefined => {
  try {
    return jobResponseSchema.parse(JSON.parse(text)).outcome;
  } catch {
    return undefined;
  }
};

const retryAfterMs = (response: Response): number => {
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  return Math.min(Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 1_000, limits.queue.delayMsMax);
};
