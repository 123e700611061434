/** The part of the OpenAPI document for clients of remove.bg. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { limits } from '../../shared/limits.ts';
import {
  removebgAccountSchema,
  removebgErrorsSchema,
  removebgFormSchema,
  removebgJsonBodySchema,
  removebgJsonSchema,
  removebgTextSchema,
} from '../../shared/removebg/api.ts';

const text = (description: string) => z.string().meta({ description });

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
        content: { 'application/json': { schema: removebgErrorsSchema, examples: { error: { value: example } } } },
      },
    ]),
  );
const example = {
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

export const postRemovebg: ZodOpenApiOperationObject = {
  operationId: 'removeBackground',
  summary: 'Remove the background, as remove.bg does',
  description:
    'For clients of remove.bg: the same parameters, answers, headers and errors. A parameter that cannot be honoured is a 400 that says so. The file is the answer, or is in JSON with `Accept: application/json`.',
  security,
  parameters: [
    {
      in: 'header',
      name: 'Idempotency-Key',
      schema: { type: 'string', maxLength: limits.idempotency.keyCharsMax },
      description: 'A request repeated with the same key within 24 hours gets the same file and is charged once.',
    },
  ],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': { schema: removebgFormSchema },
      'application/x-www-form-urlencoded': { schema: removebgTextSchema },
      'application/json': { schema: removebgJsonBodySchema },
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
        'application/json': { schema: removebgJsonSchema },
      },
    },
    ...failures(400, 402, 403, 409, 429, 500, 503),
  },
};

export const getRemovebgAccount: ZodOpenApiOperationObject = {
  operationId: 'getRemovebgAccount',
  summary: 'Balance, as remove.bg answers it',
  description: 'Never charged.',
  security,
  responses: {
    200: {
      description: 'The balance.',
      headers: z.object({ ...always, ...credits }).partial(),
      content: { 'application/json': { schema: removebgAccountSchema } },
    },
    ...failures(403, 429, 500, 503),
  },
};
