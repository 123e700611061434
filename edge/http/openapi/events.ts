/** The feed behind `packshot webhooks listen`, as the OpenAPI document describes it. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { webhookEventsSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { eventsExamples } from './examples.ts';
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
