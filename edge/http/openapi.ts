/** The OpenAPI 3.1 document: every path, header and error, generated from the schemas and the table of errors. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameterObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import {
  accountSchema,
  batchCreatedSchema,
  batchRequestSchema,
  batchStatusSchema,
  problemSchema,
  uploadResponseSchema,
} from '../../shared/api.ts';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { optionsSchema } from '../../shared/options.ts';
import { paths, statusPath } from '../../shared/paths.ts';

const text = (description: string) => z.string().meta({ description });

const requestHeaders = { 'Request-Id': text('Identifies the request in logs and to support.') };
const rate = {
  RateLimit: text('Requests left and seconds until the allowance is full again (IETF draft ratelimit-headers).'),
  'RateLimit-Policy': text('The allowance: requests and the seconds in which it refills.'),
};
const credits = {
  'X-Credits-Charged': text('Credits this request was charged.'),
  'X-Credits-Remaining': text('Credits the account can still spend.'),
};
const retryAfter = { 'Retry-After': text('Seconds to wait before trying again.') };
const headers = (...sets: Record<string, z.ZodType>[]) =>
  z.object(Object.assign({}, requestHeaders, ...sets)).partial();

const keyErrors = [
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'rate_limited',
  'not_ready',
  'internal_error',
] as const satisfies readonly ErrorCode[];
const imageErrors = (Object.keys(errors) as ErrorCode[]).filter(
  (code) => errors[code].scope === 'image' && !code.startsWith('url_'),
);

/** One response per status, naming each code it may carry. */
const problems = (codes: readonly ErrorCode[]): ZodOpenApiResponsesObject => {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => errors[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list = []]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${errors[code].title}`).join('. '),
        headers: headers(rate, retryAfter),
        content: {
          'application/problem+json': {
            schema: problemSchema,
            examples: Object.fromEntries(list.map((code) => [code, { value: example(code) }])),
          },
        },
      },
    ]),
  );
};

const example = (code: ErrorCode) => ({
  type: `/docs/errors#${code}`,
  title: errors[code].title,
  status: errors[code].status,
  detail: errors[code].title,
  code,
  request_id: 'req_01jd0000000000000000000000',
  success: false,
  retryable: errors[code].retryable,
  ...(code === 'outcome_unknown'
    ? { batch_id: 'bat_01jd0000000000000000000000', status_url: statusPath('bat_01jd0000000000000000000000') }
    : {}),
});

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const idempotencyKey: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: { type: 'string', maxLength: limits.idempotency.keyCharsMax },
  description: 'A request repeated with the same key within 24 hours gets the stored response and is charged once.',
};
const prefer: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'Prefer',
  schema: { type: 'string', examples: ['respond-async'] },
  description: '`respond-async`: an upload is answered at once with 202, like a batch.',
};
const traceparent: ZodOpenApiParameterObject = {
  in: 'header',
  name: 'traceparent',
  schema: { type: 'string' },
  description: 'W3C trace context; passed on to the compute tier.',
};

const uploadForm = optionsSchema
  .extend({
    files: z
      .array(z.string().meta({ format: 'binary' }))
      .min(1)
      .max(limits.upload.filesMax)
      .meta({
        description:
          'One part per image: JPEG, PNG, WebP, AVIF, TIFF or GIF (first frame), 25 MB at most, 100 MB together.',
      }),
  })
  .meta({ id: 'UploadForm' });

const createHero: ZodOpenApiOperationObject = {
  operationId: 'createHeroImages',
  summary: 'Turn photos into main images',
  description:
    'Send files as multipart/form-data to get their results in the response, or URLs as application/json to get a queued batch. Only images that succeed are charged.',
  parameters: [idempotencyKey, prefer, traceparent],
  requestBody: {
    required: true,
    content: { 'multipart/form-data': { schema: uploadForm }, 'application/json': { schema: batchRequestSchema } },
  },
  responses: {
    200: {
      description: 'Upload: every file in the order sent, processed or with its error.',
      headers: headers(rate, credits),
      content: json(uploadResponseSchema),
    },
    202: {
      description: 'Batch: accepted and queued.',
      headers: headers(rate, credits, retryAfter, { Location: text('Where to poll the batch.') }),
      content: json(batchCreatedSchema),
    },
    ...problems([
      ...keyErrors,
      ...imageErrors,
      'malformed_request',
      'no_files',
      'too_many_files',
      'too_many_images',
      'body_too_large',
      'invalid_options',
      'invalid_request',
      'unsupported_content_type',
      'insufficient_credits',
      'test_quota_exceeded',
      'idempotency_key_invalid',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'outcome_unknown',
    ]),
  },
};

const getStatus: ZodOpenApiOperationObject = {
  operationId: 'getBatch',
  summary: 'Poll a batch',
  description: 'Only the key that created the batch can read it. Each response carries fresh download URLs.',
  parameters: [
    { in: 'path', name: 'batch_id', required: true, schema: { type: 'string' } },
    {
      in: 'query',
      name: 'wait',
      schema: { type: 'integer', minimum: 0, maximum: limits.batch.statusWaitSecondsMax },
      description: 'Seconds to wait for the end of the batch before answering.',
    },
    traceparent,
  ],
  responses: {
    200: {
      description: 'The batch and its images.',
      headers: headers(rate, credits, retryAfter),
      content: json(batchStatusSchema),
    },
    ...problems([...keyErrors, 'batch_not_found', 'invalid_request']),
  },
};

const binary = Object.fromEntries(
  ['image/jpeg', 'image/png', 'image/webp'].map((type) => [
    type,
    { schema: { type: 'string', format: 'binary' } as const },
  ]),
);
const fileHeaders = headers({
  ETag: text('Version of the file.'),
  'Content-Disposition': text('The file name.'),
  'Accept-Ranges': text('bytes'),
});
const getDownload: ZodOpenApiOperationObject = {
  operationId: 'download',
  summary: 'Download a result',
  description:
    'Needs no key: the link is signed and expires. Byte ranges and conditional requests are supported; so is HEAD.',
  security: [],
  parameters: [
    { in: 'path', name: 'token', required: true, schema: { type: 'string' } },
    { in: 'path', name: 'filename', required: true, schema: { type: 'string' } },
    { in: 'header', name: 'Range', schema: { type: 'string', examples: ['bytes=0-1023'] } },
    { in: 'header', name: 'If-None-Match', schema: { type: 'string' } },
    { in: 'header', name: 'If-Range', schema: { type: 'string' } },
  ],
  responses: {
    200: { description: 'The file.', headers: fileHeaders, content: binary },
    206: { description: 'The requested range.', headers: fileHeaders, content: binary },
    304: { description: 'The caller already has this version.' },
    ...problems(['download_invalid', 'download_expired', 'not_found', 'range_not_satisfiable', 'internal_error']),
  },
};

const getAccount: ZodOpenApiOperationObject = {
  operationId: 'getAccount',
  summary: 'Balance and price',
  responses: {
    200: { description: 'Never charged.', headers: headers(rate, credits), content: json(accountSchema) },
    ...problems(keyErrors),
  },
};

const getOpenapi: ZodOpenApiOperationObject = {
  operationId: 'getOpenapi',
  summary: 'This document',
  security: [],
  responses: { 200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } } },
};

/** Hono's `:name` as OpenAPI writes it. */
const documented = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

export const openapiDocument = (publicBaseUrl: string) =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'packshot',
      version: '1.0.0',
      description: 'Product photos to marketplace main images, prepaid by credits.',
    },
    servers: [{ url: publicBaseUrl }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_live_…` or `sk_test_…`.' },
      },
    },
    paths: {
      [documented(paths.hero)]: { post: createHero },
      [documented(paths.status)]: { get: getStatus },
      [documented(paths.download)]: { get: getDownload },
      [documented(paths.account)]: { get: getAccount },
      [documented(paths.openapi)]: { get: getOpenapi },
    },
  });
