/** `POST /api/v1/check` as the OpenAPI document describes it. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { type CheckAnswer, checkAnswerSchema, checkBodySchema } from '../../../shared/check-api.ts';
import { isFindingCode } from '../../../shared/finding-texts.ts';
import { limits } from '../../../shared/limits.ts';
import { optionsSchema } from '../../../shared/options.ts';
import { findingExample } from './examples.ts';
import { imageErrors, urlErrors } from './operations.ts';
import { credits, headers, json, keyErrors, problems, rate, retryHint, traceparent } from './parts.ts';

/** A finding ends no check, and a check makes no result. */
const photoErrors = imageErrors.filter((code) => !isFindingCode(code) && code !== 'result_missing');

const checkForm = optionsSchema
  .extend({
    files: z
      .array(z.string().meta({ format: 'binary' }))
      .length(1)
      .meta({
        description: 'One part: JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF (first frame), 25 MB at most.',
      }),
  })
  .meta({ id: 'CheckForm' });

const answer: CheckAnswer = {
  success: true,
  request_id: 'req_01k9zq4v7kq3w5e7r9t1y3v5n7',
  check_id: 'chk_01k9zq4v7m8n2p5r6s7t8v9w0x',
  original_name: 'mug.jpg',
  marketplace: 'amazon',
  width: 1600,
  height: 1200,
  product_box: { x: 412, y: 0, width: 780, height: 1010 },
  matte_confidence: 0.94,
  findings: [findingExample],
  processing_ms: 410,
};

const examples: Record<string, { summary: string; value: CheckAnswer }> = {
  found: { summary: 'The product is cut off', value: answer },
  nothing: {
    summary: 'Nothing was found',
    value: { ...answer, product_box: { x: 412, y: 96, width: 780, height: 1010 }, findings: [] },
  },
};

export const checkPhoto: ZodOpenApiOperationObject = {
  operationId: 'checkPhoto',
  tags: ['Images'],
  summary: 'Check a photo, free',
  description: `Looks at one photo, a file or a URL, and lists what a marketplace would refuse it for and what could be better. Nothing is made, stored or charged. An account has ${limits.checks.perMinute} checks a minute and ${limits.checks.perDay.toLocaleString('en-US')} a day (UTC), test keys included; each request that begins counts. A check may be sent again at any time; it takes no Idempotency-Key.`,
  parameters: [traceparent],
  requestBody: {
    required: true,
    description: 'The media type chooses between the two styles.',
    content: {
      'multipart/form-data': {
        schema: checkForm,
        examples: {
          one: { summary: 'A photo for Walmart', value: { files: ['(bytes of mug.jpg)'], marketplace: 'walmart' } },
        },
      },
      ...json(checkBodySchema, {
        one: {
          summary: 'A URL with options',
          value: { input_url: 'https://shop.example/mug.jpg', options: { marketplace: 'amazon' } },
        },
      }),
    },
  },
  responses: {
    200: {
      description: 'What was found; the list is empty where nothing was.',
      headers: headers(rate, credits),
      content: json(checkAnswerSchema, examples),
    },
    ...problems([
      ...keyErrors,
      ...photoErrors,
      ...urlErrors,
      'check_quota_exceeded',
      'malformed_request',
      'no_files',
      'too_many_files',
      'body_too_large',
      'body_too_slow',
      'invalid_options',
      'invalid_request',
      'unsupported_content_type',
    ]),
  },
  ...retryHint('always'),
};
