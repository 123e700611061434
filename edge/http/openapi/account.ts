/** What an account tells of itself and lets be changed, as the OpenAPI document describes it. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { accountSchema, retentionChangeSchema, retentionSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { accountExamples, REQUEST_ID } from './examples.ts';
import { credits, headers, json, keyErrors, problems, rate, retryHint } from './parts.ts';

export const getAccount: ZodOpenApiOperationObject = {
  operationId: 'getAccount',
  tags: ['Account'],
  summary: 'Balance and price',
  description: 'And how long results are kept. Never charged.',
  responses: {
    200: {
      description: 'The balance.',
      headers: headers(rate, credits),
      content: json(accountSchema, accountExamples),
    },
    ...problems(keyErrors),
  },
  ...retryHint('always'),
};

export const changeRetention: ZodOpenApiOperationObject = {
  operationId: 'changeRetention',
  tags: ['Account'],
  summary: 'Change how long results are kept',
  description: `For batches sent from now on; what was sent before keeps to what was set then. Needs the scope \`admin\`. With 0, the files of an image go once each of its outputs was downloaded whole, or after ${limits.retention.undeliveredMs / 3_600_000} hours. Links never outlive the files.`,
  requestBody: {
    required: true,
    description: 'How many days.',
    content: json(retentionChangeSchema, {
      month: { summary: 'As long as possible', value: { retention_days: limits.retention.daysMax } },
      none: { summary: 'Nothing after delivery', value: { retention_days: 0 } },
      usual: { summary: 'As the service keeps them', value: { retention_days: null } },
    }),
  },
  responses: {
    200: {
      description: 'What is set now.',
      headers: headers(rate),
      content: json(retentionSchema, {
        none: {
          summary: 'Nothing after delivery',
          value: { success: true, request_id: REQUEST_ID, retention_days: 0 },
        },
      }),
    },
    ...problems([...keyErrors, 'malformed_request', 'invalid_request', 'body_too_large', 'body_too_slow']),
  },
  ...retryHint('always'),
};
