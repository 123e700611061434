/**
 * Answers as remove.bg's clients read them: the file itself, or JSON with the file in base64, and errors as a list. The
 * only place that sets status codes and headers of `/v1.0`.
 */
import type { Failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { statusPath } from '../../shared/paths.ts';
import type { RateState } from '../account/rate.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import type { Facts } from '../http/respond.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { outcomeUnknown } from '../responses/accepted.ts';
import type { Answer } from '../responses/answer.ts';
import { base64Json } from './base64-json.ts';
import { errorRows, removebgStatus } from './errors.ts';

/** What an answer keeps of a finished image; the file is read when the answer is sent, also for a replay. */
export type RemovebgResult = {
  readonly objectKey: string;
  readonly contentType: string;
  readonly filename: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly foreground: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** `type_level=none` asks for no X-Type. */
  readonly hasType: boolean;
};

export type ResponseDeps = {
  readonly services: Pick<Services, 'objects' | 'clock'>;
  readonly wantsJson: boolean;
};
type Fields = Record<string, string>;

export const removebgResponse = async (answer: Answer, facts: Facts, deps: ResponseDeps): Promise<Response> => {
  const headers = { ...common(facts, deps), ...creditsOf(answer) };
  if (answer.kind === 'failed') return failedResponse(answer.failure, headers);
  if (answer.kind === 'empty') return new Response(null, { status: 204, headers });
  if (!isResult(answer.body)) return Response.json(answer.body, { headers });
  const result = answer.body;
  const file = await fileOf(result, deps, facts.requestId);
  // Paid for, and not to be had at this moment: the answer says where.
  if (!file) return failedResponse(outcomeUnknown(answer.batchId ?? ''), headers);
  const told = { ...headers, ...resultHeaders(result) };
  return deps.wantsJson
    ? new Response(base64Json(file, result.foreground), { headers: { ...told, 'Content-Type': 'application/json' } })
    : new Response(file, {
        headers: {
          ...told,
          'Content-Type': result.contentType,
          'Content-Length': String(result.bytes),
          'Content-Disposition': contentDisposition(result.filename),
        },
      });
};

const isResult = (body: Readonly<Record<string, unknown>>): body is RemovebgResult => 'objectKey' in body;

const fileOf = async (
  { objectKey }: RemovebgResult,
  { services }: ResponseDeps,
  requestId: string,
): Promise<ReadableStream<Uint8Array> | undefined> => {
  try {
    return await services.objects.read(objectKey);
  } catch (error) {
    logEvent('error', 'result_unreadable', { request_id: requestId, error: errorText(error) });
    return undefined;
  }
};

const always = ({ requestId }: Pick<Facts, 'requestId'>): Fields => ({
  'Request-Id': requestId,
  'Cache-Control': 'no-store',
});

const common = ({ rate, ...facts }: Facts, { services }: ResponseDeps): Fields => ({
  ...always(facts),
  ...(rate ? rateFields(rate, services.clock.nowMs()) : {}),
});

/** Requests, and the Unix time in seconds at which all of them are allowed again. */
const rateFields = ({ remaining, resetMs }: RateState, nowMs: number): Fields => ({
  'X-RateLimit-Limit': String(limits.rate.burst),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(Math.ceil((nowMs + resetMs) / 1_000)),
});

const creditsOf = ({ account, batchId, replayOf }: Answer): Fields => ({
  ...(account
    ? { 'X-Credits-Charged': String(account.charged), 'X-Credits-Remaining': String(account.remaining) }
    : {}),
  // A connection that breaks within the file has lost nothing: the batch's status has a download for a week.
  ...(batchId === undefined ? {} : { 'X-Batch-Id': batchId, Link: `<${statusPath(batchId)}>; rel="status"` }),
  ...(replayOf === undefined ? {} : { 'Idempotent-Replayed': 'true' }),
});

const resultHeaders = ({ width, height, foreground, hasType }: RemovebgResult): Fields => ({
  'X-Width': String(width),
  'X-Height': String(height),
  'X-Foreground-Top': String(foreground.y),
  'X-Foreground-Left': String(foreground.x),
  'X-Foreground-Width': String(foreground.width),
  'X-Foreground-Height': String(foreground.height),
  ...(hasType ? { 'X-Type': 'product' } : {}),
});

const failedResponse = (failure: Failure, headers: Fields): Response => {
  const seconds = failure.retryAfterSeconds;
  return Response.json(
    { errors: errorRows(failure), ...failure.members },
    {
      status: removebgStatus(failure.code),
      headers: { ...headers, ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }) },
    },
  );
};

/** What fails outside of any route: no such path, another method, a bug. */
export const removebgProblem = (failure: Failure, facts: Pick<Facts, 'requestId'>, more: Fields = {}): Response =>
  failedResponse(failure, { ...always(facts), ...more });

export const answerStatus = (answer: Answer): number =>
  answer.kind === 'failed' ? removebgStatus(answer.failure.code) : 200;

// JSON only where it is liked better than any file: "application/json", but not "application/json, */*".
export const wantsJson = (accept: string | undefined): boolean => {
  let json = 0;
  let file = 0;
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((text) => text.trim().toLowerCase());
    const q = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
    if (type === 'application/json') json = q;
    else if (
      type === '*/*' ||
      type.startsWith('image/') ||
      type === 'application/zip' ||
      type === 'application/octet-stream'
    )
      file = Math.max(file, q);
  }
  return json > file;
};
