/** The operations of the public API, as the OpenAPI document describes them. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import {
  batchCreatedSchema,
  batchRequestSchema,
  batchStatusSchema,
  marketplacesSchema,
  uploadResponseSchema,
} from '../../../shared/api.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import { optionsSchema } from '../../../shared/options.ts';
import { webhookAnswers, webhookHeaders } from './events.ts';
import {
  batchExamples,
  createdExamples,
  formExamples,
  ids,
  marketplacesExamples,
  statusExamples,
  uploadExamples,
  webhookExamples,
} from './examples.ts';
import {
  credits,
  headers,
  idempotencyHint,
  idempotencyKey,
  json,
  keyErrors,
  prefer,
  problems,
  rate,
  replayed,
  retryAfter,
  retryHint,
  text,
  traceparent,
} from './parts.ts';

const imageCodes = (Object.keys(errors) as ErrorCode[]).filter((code) => errors[code].scope === 'image');
export const imageErrors = imageCodes.filter((code) => !code.startsWith('url_'));
export const urlErrors = imageCodes.filter((code) => code.startsWith('url_'));

const uploadForm = optionsSchema
  .extend({
    marketplaces: z
      .string()
      .optional()
      .meta({
        description: `Up to ${limits.marketplaces.perImageMax} marketplaces, set apart by commas: one file and one compliance report each, in \`outputs\`, for one credit. Not with marketplace.`,
      }),
    files: z
      .array(z.string().meta({ format: 'binary' }))
      .min(1)
      .max(limits.upload.filesMax)
      .meta({
        description:
          'One part per image: JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF (first frame), 25 MB at most, 100 MB together.',
      }),
    matte: z.string().optional().meta({
      format: 'binary',
      description:
        'With one file only: what is product in it, as an 8-bit PNG, white on black or as an alpha channel, of the shape of the photo as it is shown and no larger. It is used in place of the model. Not with region.',
    }),
  })
  .meta({ id: 'UploadForm' });

export const createHero: ZodOpenApiOperationObject = {
  operationId: 'createHeroImages',
  tags: ['Images'],
  summary: 'Turn photos into main images',
  description:
    'Send files as multipart/form-data to get their results in the response, or URLs as application/json to get a queued batch. Only images that succeed are charged, one credit each, however many `marketplaces` an image is made for.',
  parameters: [idempotencyKey, prefer, traceparent],
  requestBody: {
    required: true,
    description: 'The media type chooses between the two styles.',
    content: {
      'multipart/form-data': { schema: uploadForm, examples: formExamples },
      ...json(batchRequestSchema, batchExamples),
    },
  },
  responses: {
    200: {
      description: 'Upload: every file in the order sent, processed or with its error.',
      headers: headers(rate, credits, replayed),
      content: json(uploadResponseSchema, uploadExamples),
    },
    202: {
      description: 'Batch: accepted and queued.',
      headers: headers(rate, credits, retryAfter, replayed, { Location: text('Where to poll the batch.') }),
      content: json(batchCreatedSchema, createdExamples),
      links: {
        poll: {
          operationId: 'getBatch',
          parameters: { batch_id: '$response.body#/batch_id' },
          description: 'The status of the batch that was created.',
        },
      },
    },
    ...problems([
      ...keyErrors,
      ...imageErrors,
      'malformed_request',
      'no_files',
      'too_many_files',
      'too_many_images',
      'body_too_large',
      'body_too_slow',
      'invalid_options',
      'invalid_request',
      'unsupported_content_type',
      'insufficient_credits',
      'key_spending_cap_reached',
      'test_quota_exceeded',
      'idempotency_key_invalid',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'batch_deleted',
      'outcome_unknown',
    ]),
  },
  ...retryHint('with_idempotency_key'),
  ...idempotencyHint,
};

export const getStatus: ZodOpenApiOperationObject = {
  operationId: 'getBatch',
  tags: ['Batches'],
  summary: 'Poll a batch',
  description: 'Only the key that created the batch can read it. Each response carries fresh download URLs.',
  parameters: [
    {
      in: 'path',
      name: 'batch_id',
      required: true,
      schema: { type: 'string' },
      example: ids.batch,
      description: 'As in the response that created it.',
    },
    {
      in: 'query',
      name: 'wait',
      schema: { type: 'integer', minimum: 0, maximum: limits.batch.statusWaitSecondsMax },
      example: limits.batch.statusWaitSecondsMax,
      description: 'Seconds to wait for the end of the batch before answering.',
    },
    traceparent,
  ],
  responses: {
    200: {
      description: 'The batch and its images.',
      headers: headers(rate, credits, retryAfter),
      content: json(batchStatusSchema, statusExamples),
    },
    ...problems([...keyErrors, 'batch_not_found', 'batch_deleted', 'invalid_request']),
  },
  ...retryHint('always'),
};

const binary = Object.fromEntries(
  ['image/jpeg', 'image/png', 'image/webp'].map((type) => [
    type,
    { schema: { type: 'string', format: 'binary' } as const, example: '(the bytes of the file)' },
  ]),
);
const fileHeaders = {
  ETag: text('Version of the file.'),
  'Content-Disposition': text('The file name.'),
  'Accept-Ranges': z.literal('bytes').meta({ description: 'Byte ranges are answered.' }),
  'Cache-Control': text('The file never changes; the link ends.'),
};
export const getDownload: ZodOpenApiOperationObject = {
  operationId: 'download',
  tags: ['Downloads'],
  summary: 'Download a result',
  description:
    'Needs no key: the link is signed, and ends with its time or, within a minute, with the key that it was made for. Byte ranges and conditional requests are supported; so is HEAD.',
  security: [],
  parameters: [
    {
      in: 'path',
      name: 'token',
      required: true,
      schema: { type: 'string' },
      example: 'WyJyZXN1bHRzIl0.7hT2mZ0pQxVb3yN5c8K1dLr4sW6uE9aG0jF2iH3oB5c',
      description: 'Signed; take the whole URL from a result.',
    },
    {
      in: 'path',
      name: 'filename',
      required: true,
      schema: { type: 'string' },
      example: 'mug-main.jpg',
      description: 'Covered by the signature.',
    },
    {
      in: 'header',
      name: 'Range',
      schema: { type: 'string' },
      example: 'bytes=0-1023',
      description: 'One range of bytes; anything else is answered with the whole file.',
    },
    {
      in: 'header',
      name: 'If-None-Match',
      schema: { type: 'string' },
      example: '"0f343b0931126a20f133d67c2b018a3b"',
      description: 'The ETag of the version the caller has: 304 where it is still the same.',
    },
    {
      in: 'header',
      name: 'If-Range',
      schema: { type: 'string' },
      example: '"0f343b0931126a20f133d67c2b018a3b"',
      description: 'The Range counts only for this version.',
    },
  ],
  responses: {
    200: { description: 'The file.', headers: headers(fileHeaders), content: binary },
    206: {
      description: 'The requested range.',
      headers: headers(fileHeaders, { 'Content-Range': text('Which bytes of how many.') }),
      content: binary,
    },
    304: { description: 'The caller already has this version.', headers: headers(fileHeaders) },
    ...problems([
      'download_invalid',
      'download_expired',
      'download_revoked',
      'result_deleted',
      'result_delivered',
      'not_ready',
      'not_found',
      'range_not_satisfiable',
      'internal_error',
    ]),
  },
  ...retryHint('always'),
};

export const getMarketplaces: ZodOpenApiOperationObject = {
  operationId: 'getMarketplaces',
  tags: ['Marketplaces'],
  summary: 'The rules of every marketplace',
  description:
    'Defaults and rules of each marketplace, each rule with its severity, its source and how well it is known. Needs no key; may be cached for an hour.',
  security: [],
  responses: {
    200: {
      description: 'The marketplaces.',
      headers: headers({ 'Cache-Control': text('May be cached for an hour.') }),
      content: json(marketplacesSchema, marketplacesExamples),
    },
    ...problems(['method_not_allowed', 'internal_error']),
  },
  ...retryHint('always'),
};

export const getOpenapi: ZodOpenApiOperationObject = {
  operationId: 'getOpenapi',
  tags: ['Document'],
  summary: 'This document',
  description: 'Needs no key.',
  security: [],
  responses: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: headers(),
      content: json(z.looseObject({ openapi: z.string(), info: z.looseObject({}) }), {
        beginning: {
          summary: 'How it begins',
          value: { openapi: '3.1.0', info: { title: 'packshot', version: '1.0.0' } },
        },
      }),
    },
    ...problems(['method_not_allowed', 'internal_error']),
  },
  ...retryHint('always'),
};

export const batchEnded: ZodOpenApiOperationObject = {
  operationId: 'batchEnded',
  tags: ['Webhooks'],
  summary: 'A batch ended',
  description: `Sent once to the \`webhook_url\` of a batch when its last image has ended, and as \`batch.completed\` to endpoints of the account, signed by the Standard Webhooks specification. Anything but a 2xx within ${limits.webhook.timeoutMs / 1_000} s is retried, at most ${limits.webhook.attemptsMax} attempts within a day; 410 stops that.`,
  security: [],
  parameters: webhookHeaders,
  requestBody: {
    required: true,
    description: 'The status of the batch, as the status endpoint answers it.',
    // By name: as a request's schema it would be described a second time, as input.
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/BatchStatus' }, examples: webhookExamples },
    },
  },
  responses: webhookAnswers,
};
