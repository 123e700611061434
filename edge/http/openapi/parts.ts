/** What several operations of the OpenAPI document share: headers, parameters, problems, hints for retries. */
import { z } from 'zod';
import type { ZodOpenApiParameterObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { problemSchema } from '../../../shared/api.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import { ids, problemExample } from './examples.ts';

export const text = (description: string) => z.string().meta({ description });
const wholeNumber = (description: string) => z.string().regex(/^\d+$/).meta({ description });

const requestHeaders = {
  'Request-Id': z
    .string()
    .regex(/^req_[0-9a-z]{26}$/)
    .meta({ description: 'Identifies the request in logs and to support.' }),
};
export const rate = {
  RateLimit: text('Requests left and seconds until the allowance is full again (IETF draft ratelimit-headers).'),
  'RateLimit-Policy': text('The allowance: requests and the seconds in which it refills.'),
};
export const credits = {
  'X-Credits-Charged': wholeNumber('Credits this request was charged.'),
  'X-Credits-Remaining': wholeNumber('Credits the account can still spend.'),
};
export const retryAfter = { 'Retry-After': wholeNumber('Seconds to wait before trying again.') };
export const replayed = {
  'Idempotent-Replayed': z.literal('true').meta({ description: 'Only on the stored response of an earlier request.' }),
};
const authenticate = { 'WWW-Authenticate': text('Always `Bearer realm="packshot"`.') };
const contentRange = { 'Content-Range': text('`bytes */` and the size of the file.') };

export const headers = (...sets: Record<string, z.ZodType>[]) =>
  z.object(Object.assign({}, requestHeaders, ...sets)).partial();

const headersOf = (status: number) =>
  headers(
    rate,
    status === 401 ? authenticate : {},
    status === 416 ? contentRange : {},
    errorsOf(status).some(({ retryable }) => retryable) || status === 503 ? retryAfter : {},
  );
const errorsOf = (status: number) => Object.values(errors).filter((row) => row.status === status);

/** Problems of every operation that needs a key. */
export const keyErrors = [
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'key_expired',
  'key_address_not_allowed',
  'key_scope_missing',
  'rate_limited',
  'not_ready',
  'internal_error',
] as const satisfies readonly ErrorCode[];

/** One response per status, naming each code it may carry, each with an example. */
export const problems = (codes: readonly ErrorCode[]): ZodOpenApiResponsesObject => {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => errors[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list = []]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${errors[code].title}`).join('. '),
        headers: headersOf(Number(status)),
        content: {
          'application/problem+json': {
            schema: problemSchema,
            examples: Object.fromEntries(list.map((code) => [code, problemExample(code)])),
          },
        },
      },
    ]),
  );
};

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
export const json = (schema: z.ZodType, examples: Examples) => ({ 'application/json': { schema, examples } });

export const batchId: ZodOpenApiParameterObject = {
  in: 'path',
  name: 'batch_id',
  required: true,
  schema: { type: 'string' },
  example: ids.batch,
  description: 'Of an upload, too.',
};
export const idempotencyKey: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotency.keyCharsMax },
  example: '7d3f8f2e-6a55-4a2b-9c5e-0c1f6f1f4f3a',
  description: 'A request repeated with the same key within 24 hours gets the stored response and is charged once.',
};
export const prefer: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'Prefer',
  schema: { type: 'string' },
  example: 'respond-async',
  description: '`respond-async`: an upload is answered at once with 202, like a batch.',
};
export const traceparent: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'traceparent',
  schema: { type: 'string' },
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  description: 'W3C trace context; passed on to the compute tier.',
};

/**
 * How a client retries: never sooner than `Retry-After`; where there is none, after a random part of a pause that
 * doubles from `first_pause_ms` to `longest_pause_ms`. A broken connection or a timeout counts as retryable. `never`: what
 * was done once would be done again; a problem that says so may be retried all the same, since it did nothing.
 */
export const retryHint = (safe: 'always' | 'with_idempotency_key' | 'never') => ({
  'x-retry': {
    safe,
    when: 'the connection breaks, or the problem says `retryable: true`',
    respects: 'Retry-After',
    attempts_max: 6,
    first_pause_ms: 500,
    longest_pause_ms: 30_000,
    jitter: 'full',
  },
});
export const idempotencyHint = {
  'x-idempotency': {
    header: 'Idempotency-Key',
    one_key_per: 'logical call, reused for each of its retries',
    chars_max: limits.idempotency.keyCharsMax,
    kept_seconds: limits.idempotency.keptMs / 1_000,
    different_body: 'idempotency_mismatch',
    still_running: 'idempotency_in_flight',
  },
} as const;
