/** The operations for clients of remove.bg, as the OpenAPI document describes them. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { limits } from '../../../shared/limits.ts';
import {
  removebgAccountSchema,
  removebgErrorsSchema,
  removebgFormSchema,
  removebgJsonBodySchema,
  removebgJsonSchema,
  removebgTextSchema,
} from '../../../shared/removebg/api.ts';
import { idempotencyHint, idempotencyKey, json, retryHint, text } from './parts.ts';

const always = {
  'Request-Id': text('Identifies the request in logs and to support.'),
  'X-RateLimit-Limit': text('Requests allowed in a burst.'),
  'X-RateLimit-Remaining': text('Requests left of it.'),
  'X-RateLimit-Reset': text('Unix time, s, at which all of them are allowed again.'),
};
const credits = {
  'X-Credits-Charged': text('Credits this request was charged: 1, or 0 for a preview.'),
  'X-Credits-Remaining': text('Credits the account can still spend.'),
};
const resultHeaders = z
  .object({
    ...always,
    ...credits,
    'X-Width': text('Of the result, px.'),
    'X-Height': text('Of the result, px.'),
    'X-Type': text('Always product; absent with type_level=none.'),
    'X-Foreground-Top': text('The product’s box in the result, px.'),
    'X-Foreground-Left': text('See X-Foreground-Top.'),
    'X-Foreground-Width': text('See X-Foreground-Top.'),
    'X-Foreground-Height': text('See X-Foreground-Top.'),
    'X-Batch-Id': text('Its status has a download of the result for seven days.'),
  })
  .partial();

const failing = {
  400: 'A parameter cannot be honoured, or the image cannot be used: `errors[]` says which and why. Not charged.',
  402: 'Not enough credits.',
  403: 'The key is missing or not taken.',
  409: 'A request with this Idempotency-Key is still running.',
  429: `Too many requests at once, or more than ${limits.testImages.perDay} free images in a day. Retry-After says when to come back.`,
  500: 'Something went wrong on our side. Not charged.',
  503: 'Not now; Retry-After says when. Charged only where the answer names a batch.',
} as const;

const failures = (...statuses: (keyof typeof failing)[]): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: failing[status],
        headers: z.object({ ...always, 'Retry-After': text('Seconds to wait before trying again.') }).partial(),
        content: json(removebgErrorsSchema, { refused: { summary: 'A parameter is refused', value: refused } }),
      },
    ]),
  );
const refused = {
  errors: [
    {
      title: 'size=8k cannot be honoured: it takes preview, small, regular, medium, hd, full, 4k, auto, 50MP.',
      code: 'invalid_size',
      detail: 'size=8k cannot be honoured: it takes preview, small, regular, medium, hd, full, 4k, auto, 50MP.',
    },
  ],
};

const security = [{ removebgKey: [] }, { bearer: [] }];
const file = { schema: { type: 'string', format: 'binary' } as const };
const tags = ['remove.bg'];
const sent = { image_url: 'https://photos.example.com/mug.jpg', size: 'auto', format: 'png', bg_color: 'ffffff' };
const fromUrl = { fromUrl: { summary: 'A photo by its address, on white', value: sent } };
const result = {
  data: {
    result_b64: 'iVBORw0KGgo…',
    foreground_top: 120,
    foreground_left: 80,
    foreground_width: 840,
    foreground_height: 910,
  },
};
const account = {
  data: {
    attributes: {
      credits: { total: 42, subscription: 0, payg: 42, enterprise: 0 },
      api: { free_calls: limits.testImages.perDay, sizes: 'all' },
    },
  },
};

export const postRemovebg: ZodOpenApiOperationObject = {
  operationId: 'removeBackground',
  tags,
  summary: 'Remove the background, as remove.bg does',
  description:
    'For clients of remove.bg: the same parameters, answers, headers and errors. A parameter that cannot be honoured is a 400 that says so. The file is the answer, or is in JSON with `Accept: application/json`.',
  security,
  parameters: [idempotencyKey],
  requestBody: {
    required: true,
    description: 'The photo by one of image_file, image_file_b64 and image_url, and how it is to be made.',
    content: {
      'multipart/form-data': { schema: removebgFormSchema, examples: fromUrl },
      'application/x-www-form-urlencoded': { schema: removebgTextSchema, examples: fromUrl },
      ...json(removebgJsonBodySchema, fromUrl),
    },
  },
  responses: {
    200: {
      description: 'The result.',
      headers: resultHeaders,
      content: {
        'image/png': file,
        'image/jpeg': file,
        'image/webp': file,
        'application/zip': file,
        ...json(removebgJsonSchema, { base64: { summary: 'The file in JSON', value: result } }),
      },
    },
    ...failures(400, 402, 403, 409, 429, 500, 503),
  },
  ...retryHint('with_idempotency_key'),
  ...idempotencyHint,
};

export const getRemovebgAccount: ZodOpenApiOperationObject = {
  operationId: 'getRemovebgAccount',
  tags,
  summary: 'Balance, as remove.bg answers it',
  description: 'Never charged.',
  security,
  responses: {
    200: {
      description: 'The balance.',
      headers: z.object({ ...always, ...credits }).partial(),
      content: json(removebgAccountSchema, { prepaid: { summary: 'Prepaid credits', value: account } }),
    },
    ...failures(403, 429, 500, 503),
  },
  ...retryHint('always'),
};
