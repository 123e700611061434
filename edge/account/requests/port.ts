/** What an account remembers of its requests. */
import type { Page, PageRequest } from '../page.ts';
import type { DayRange, UsagePeriod } from '../period.ts';
import type { Histogram } from './latency.ts';

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
  /** File names of what was sent, one a line, the first `namesCharsMax` characters; gone once an image was deleted. */
  readonly names?: string | null;
  /** Set apart by commas. */
  readonly marketplaces?: string | null;
};

/** What a request must be; each that is given. Days begin at midnight UTC. */
export type RequestSearch = {
  readonly keyId?: string | undefined;
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  readonly errorCode?: string | undefined;
  readonly marketplace?: string | undefined;
  /** A part of one of its file names, without regard to case (of ASCII). */
  readonly name?: string | undefined;
  /** Answered since, and before. */
  readonly sinceMs?: number | undefined;
  readonly beforeMs?: number | undefined;
};

/** Requests of one UTC day. Latency is over those that were charged, null where there were none. */
export type RequestDay = {
  readonly day: string;
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
};

/**
 * Requests of one period (by its first day), key and marketplaces that they named ('' for none; '*' for the key or the
 * marketplaces: beyond what is kept of a day). Latencies are of those that were charged.
 */
export type RequestSplit = {
  readonly start: string;
  readonly keyId: string;
  readonly marketplaces: string;
  readonly requests: number;
  readonly errors: number;
  readonly latencies: Histogram;
};
/** All requests of one period. */
export type RequestPeriod = Omit<RequestSplit, 'keyId' | 'marketplaces'>;

/** `groups` lack what was logged before there were groups; `all` has it. */
export type RequestsBySplit = { readonly groups: readonly RequestSplit[]; readonly all: readonly RequestPeriod[] };

export type RequestLogPort = {
  /** Repeated for the same request id, it changes nothing. */
  logRequest(row: RequestRow): Promise<void>;
  /**
   * Newest first. A page looks through `edgeLimits.requestLog.scanRowsMax` rows at most: it may be short, or empty, and
   * yet not the last.
   */
  requests(page?: PageRequest & RequestSearch): Promise<Page<RequestRow>>;
  request(requestId: string): Promise<RequestRow | undefined>;
  /** Oldest first; days without any request are left out. */
  requestsByDay(sinceMs: number): Promise<readonly RequestDay[]>;
  requestsBySplit(range: DayRange, period: UsagePeriod): Promise<RequestsBySplit>;
};
