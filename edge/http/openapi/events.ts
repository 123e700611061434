/** What the service tells by itself, and the feed behind `packshot webhooks listen`, as the OpenAPI document describes them. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { balanceLowSchema, webhookEventsSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { balanceLowExamples, eventsExamples } from './examples.ts';
import { headers, json, keyErrors, problems, rate, retryHint, traceparent } from './parts.ts';

export const getWebhookEvents: ZodOpenApiOperationObject = {
  operationId: 'getWebhookEvents',
  tags: ['Webhooks'],
  summary: 'Listen to the ends of batches',
  description: `For development: \`packshot webhooks listen\` forwards what this answers to a local port. Ends of all batches of the account that keys of the same mode made, whether or not they name a \`webhook_url\`, noted from the first call on and kept for ${limits.webhookEvents.keptMs / 3_600_000} hours, ${limits.webhookEvents.eventsMax} at most. Each is a delivery as a \`webhook_url\` would get it, signed with a secret of this key's own.`,
  parameters: [
    {
      in: 'query',
      name: 'after',
      schema: { type: 'string', pattern: '^\\d{1,15}$' },
      example: '41',
      description: '`next` of the answer before. Left out: from now on.',
    },
    {
      in: 'query',
      name: 'wait',
      schema: { type: 'integer', minimum: 0, maximum: limits.batch.statusWaitSecondsMax },
      example: limits.batch.statusWaitSecondsMax,
      description: 'Seconds to wait for an event before answering without one.',
    },
    traceparent,
  ],
  responses: {
    200: {
      description: 'Deliveries, in the order in which their batches ended.',
      headers: headers(rate),
      content: json(webhookEventsSchema, eventsExamples),
    },
    ...problems([...keyErrors, 'invalid_request']),
  },
  ...retryHint('always'),
};

/** Every delivery has them. */
export const webhookHeaders: NonNullable<ZodOpenApiOperationObject['parameters']> = [
  {
    in: 'header',
    name: 'webhook-id',
    required: true,
    schema: { type: 'string' },
    example: 'evt_01k9zq4v7m8n2p5r6s7t8v9w0x',
    description: 'The same for every attempt at one event.',
  },
  {
    in: 'header',
    name: 'webhook-timestamp',
    required: true,
    schema: { type: 'string' },
    example: '1795253404',
    description: 'Unix time of this attempt, s. Refuse what is older than five minutes.',
  },
  {
    in: 'header',
    name: 'webhook-signature',
    required: true,
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    description:
      'HMAC-SHA256 over `id.timestamp.body` with the signing secret, base64; several are set apart by spaces.',
  },
];
export const webhookAnswers: ZodOpenApiOperationObject['responses'] = {
  204: { description: 'Taken. Any 2xx will do.' },
  410: { description: 'No further attempts, please.' },
};

export const balanceLow: ZodOpenApiOperationObject = {
  operationId: 'balanceLow',
  tags: ['Webhooks'],
  summary: 'The balance is low',
  description: `Sent as \`balance.low\` to endpoints of the account when the balance falls to the level that its owner chose, once per crossing. Signed, retried and stopped as the end of a batch.`,
  security: [],
  parameters: webhookHeaders,
  requestBody: { required: true, content: json(balanceLowSchema, balanceLowExamples) },
  responses: webhookAnswers,
};
