/** One HTTP request as it came in: its id, its span in a trace, its start. */
import { hex } from '../../shared/digest.ts';
import { newId } from '../../shared/ids.ts';
import type { EdgeEnv } from '../env.ts';
import type { Trace } from '../ports.ts';

export type Call = Trace & {
  readonly startedAtMs: number;
  readonly method: string;
  readonly path: string;
  /** Where the service is reached, without a slash at its end. */
  readonly baseUrl: string;
};
export type HttpEnv = { Bindings: EdgeEnv; Variables: { call: Call } };

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** A new span of the caller's trace, or of a new one (W3C Trace Context, version 00). */
export const traceparent = (incoming: string | undefined, random: (n: number) => Uint8Array): string => {
  const traceId = TRACEPARENT.exec(incoming ?? '')?.[1] ?? hex(random(16));
  return `00-${traceId}-${hex(random(8))}-01`;
};

export const newCall = (request: Request, nowMs: number, random: (n: number) => Uint8Array, baseUrl: string): Call => ({
  requestId: newId('request', nowMs, random),
  traceparent: traceparent(request.headers.get('traceparent') ?? undefined, random),
  startedAtMs: nowMs,
  method: request.method,
  path: new URL(request.url).pathname,
  baseUrl,
});
