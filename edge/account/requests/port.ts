/** What an account remembers of its requests. */
import type { Page, PageRequest } from '../page.ts';

export type RequestRow = {
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly images: number;
  /** Credits charged when the answer was sent. */
  readonly credits: number;
  readonly latencyMs: number;
  readonly errorCode: string | null;
  readonly batchId: string | null;
};

/** Requests of one UTC day. Latency is over those that were charged, null where there were none. */
export type RequestDay = {
  readonly day: string;
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
};

export type RequestLogPort = {
  /** Repeated for the same request id, it changes nothing. */
  logRequest(row: RequestRow): Promise<void>;
  requests(page?: PageRequest & { readonly keyId?: string }): Promise<Page<RequestRow>>;
  request(requestId: string): Promise<RequestRow | undefined>;
  /** Oldest first; days without any request are left out. */
  requestsByDay(sinceMs: number): Promise<readonly RequestDay[]>;
};
