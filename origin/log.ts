/**
 * Structured logs, one JSON line each. No secret may reach a line: no token, no URL with its query.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { withoutTokens } from '../shared/without-tokens.ts';

export type Log = Logger;

/** `to`: standard output by default. */
export const createLog = (level: string, nodeId: string, to?: DestinationStream): Log =>
  pino(
    {
      level,
      base: { node: nodeId },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', 'input_url', '*.input_url', 'outputs', '*.outputs'],
        censor: '[redacted]',
      },
    },
    ...(to ? [to] : []),
  );

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Trace and parent span of a W3C `traceparent` header; empty for any other header. */
export const traceFields = (traceparent: string | undefined): { trace_id?: string; parent_id?: string } => {
  const match = traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent);
  return match?.[1] !== undefined && match[2] !== undefined ? { trace_id: match[1], parent_id: match[2] } : {};
};

/** What may be logged of an error: its name, code and message, with the query of every URL cut off. */
export const describeError = (error: unknown): { name: string; message: string; code?: string } => {
  if (!(error instanceof Error)) return { name: 'unknown', message: withoutQueries(String(error)) };
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const code = codeOf(error) ?? codeOf(cause);
  const message = cause ? `${error.message}: ${cause.message}` : error.message;
  return { name: error.name, message: withoutQueries(message), ...(code === undefined ? {} : { code }) };
};

const codeOf = (error: Error | undefined): string | undefined =>
  error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
const withoutQueries = (text: string): string =>
  withoutTokens(text.replace(/(https?:\/\/[^\s?]+)\?\S*/g, '$1?…')).slice(0, 500);
