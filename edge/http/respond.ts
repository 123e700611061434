/**
 * Answers to HTTP: the only place that sets the public API's status codes. Failures are RFC 9457 problem documents by the table in
 * shared/errors.ts.
 */
import { errors, type Failure } from '../../shared/errors.ts';
import type { RateState } from '../account/rate.ts';
import type { DownloadPlan } from '../download/download.ts';
import type { Answer } from '../responses/answer.ts';
import type { Call } from './call.ts';
import { type AttachmentType, attachmentHeaders, contentDisposition } from './content-disposition.ts';
import { problemResponse } from './problem.ts';
import { rateHeaders } from './rate-headers.ts';

export type Facts = Pick<Call, 'requestId' | 'baseUrl'> & { readonly rate?: RateState | undefined };
type HeaderFields = Record<string, string>;

const statusOf = { ok: 200, created: 201, accepted: 202, empty: 204 } as const;

export const answerStatus = (answer: Answer): number =>
  answer.kind === 'failed' ? errors[answer.failure.code].status : statusOf[answer.kind];

export const respond = (answer: Answer, facts: Facts): Response => {
  const headers: HeaderFields = { ...common(facts, answer.quotas), ...answerHeaders(answer) };
  if (answer.kind === 'failed') return problem(answer.failure, facts, headers, answer.replayOf);
  if (answer.kind === 'empty') return new Response(null, { status: statusOf.empty, headers });
  return Response.json(answer.body, { status: statusOf[answer.kind], headers });
};

const common = ({ requestId, rate }: Pick<Facts, 'requestId' | 'rate'>, quotas?: Answer['quotas']): HeaderFields => ({
  'Request-Id': requestId,
  'Cache-Control': 'no-store',
  ...(rate ? rateHeaders(rate, quotas) : {}),
});

const answerHeaders = (answer: Answer): HeaderFields => ({
  ...(answer.account
    ? { 'X-Credits-Charged': String(answer.account.charged), 'X-Credits-Remaining': String(answer.account.remaining) }
    : {}),
  ...(answer.location === undefined ? {} : { Location: answer.location }),
  ...(answer.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(answer.retryAfterSeconds) }),
  ...(answer.replayOf === undefined ? {} : { 'Idempotent-Replayed': 'true' }),
});

const mayRetry = ({ retryable }: Failure): { readonly retryable?: boolean } =>
  retryable === undefined ? {} : { retryable };

/** `replayOf`: a stored answer names the request that it first answered. */
export const problem = (
  failure: Failure,
  facts: Facts,
  headers: HeaderFields = common(facts),
  replayOf?: string,
): Response => {
  const { status, title, retryable } = { ...errors[failure.code], ...mayRetry(failure) };
  const { code, detail, retryAfterSeconds, members } = failure;
  const document = {
    type: `${facts.baseUrl}/docs/errors#${code}`,
    title,
    status,
    detail,
    code,
    request_id: replayOf ?? facts.requestId,
    success: false,
    retryable,
    ...members,
    ...(failure.errors ? { errors: failure.errors } : {}),
  };
  return problemResponse(document, {
    ...headers,
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="packshot"' } : {}),
    ...(code === 'range_not_satisfiable' ? { 'Content-Range': `bytes */${members?.['bytes'] ?? '*'}` } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  });
};

/** What fails outside of any route: no such path, another method, a bug. */
export const plainProblem = (failure: Failure, facts: Facts, more: HeaderFields = {}): Response =>
  problem(failure, facts, { ...common(facts), ...more });

/**
 * A stored result, whole, in part, or only its headers. `body` is null for HEAD, and where the caller has it already.
 */
export const download = (
  plan: DownloadPlan,
  body: ReadableStream<Uint8Array> | null,
  facts: Pick<Facts, 'requestId'>,
): Response => {
  const { part, bytes } = plan;
  const headers: HeaderFields = {
    'Request-Id': facts.requestId,
    'Content-Type': plan.contentType,
    'Content-Disposition': contentDisposition(plan.filename),
    'Accept-Ranges': 'bytes',
    ETag: plan.etag,
    // The file behind a link never changes, but the link ends: with its time, its key, or the file.
    'Cache-Control': `public, max-age=${plan.freshSeconds}, must-revalidate`,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (part === 'unchanged') return new Response(null, { status: 304, headers });
  if (part === 'whole')
    return new Response(body, { status: 200, headers: { ...headers, 'Content-Length': String(bytes) } });
  const length = part.last - part.first + 1;
  return new Response(body, {
    status: 206,
    headers: {
      ...headers,
      'Content-Length': String(length),
      'Content-Range': `bytes ${part.first}-${part.last}/${bytes}`,
    },
  });
};

/** A file that is made for this request. */
export const attachment = (
  { name, type }: { readonly name: string; readonly type: AttachmentType },
  body: ReadableStream<Uint8Array> | string,
  facts: Pick<Facts, 'requestId' | 'rate'>,
): Response =>
  new Response(body, {
    headers: { ...common(facts), ...attachmentHeaders(name, type) },
  });

/** Facts that change with a release only. */
export const reference = (body: Readonly<Record<string, unknown>>, { requestId }: Pick<Facts, 'requestId'>): Response =>
  Response.json(body, { headers: { 'Request-Id': requestId, 'Cache-Control': 'public, max-age=3600' } });

/** Public text that anyone may read from any page. */
export const document = (text: string, type: 'text/markdown' | 'text/plain'): Response =>
  new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  });

/** Public facts that change by themselves, for pages of any origin. */
export const publicJson = (body: unknown, cacheSeconds: number): Response =>
  Response.json(body, {
    headers: {
      'Cache-Control': `public, max-age=${cacheSeconds}`,
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  });

/** Local administration answers plain JSON. */
export const plain = (body: unknown, created = false): Response =>
  Response.json(body, { status: created ? 201 : 200, headers: { 'Cache-Control': 'no-store' } });
