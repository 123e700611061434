/** The management of keys, as the OpenAPI document describes it. */
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject } from 'zod-openapi';
import {
  type ApiKey,
  keyAnswerSchema,
  keyChangeSchema,
  keyCreationSchema,
  keyListSchema,
  keyRollSchema,
  keySecretSchema,
} from '../../../shared/key-api.ts';
import { limits } from '../../../shared/limits.ts';
import { headers, json, keyErrors, problems, rate, retryHint } from './parts.ts';

const REQUEST_ID = 'req_01k9zq4v7kq3w5e7r9t1y3v5n7';
const KEY_ID = 'key_01k9zq2a1b3c5d7e9f1g3h5j7k';
const tags = ['Keys'];
const NEEDS = 'Needs the scope `admin`.';
const WITHIN =
  'A key gives no more than it has itself: scopes, expiry, addresses, cap; a test key makes test keys alone.';

const made: ApiKey = {
  key_id: KEY_ID,
  mode: 'live',
  label: 'Warehouse',
  masked: 'packshot_live_…9fQ2',
  scopes: ['images:write', 'batches:read'],
  expires_at: '2027-06-30T00:00:00.000Z',
  allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
  daily_credit_cap: 500,
  credits_used_today: 0,
  created_at: '2026-11-21T09:30:00.000Z',
  created_by: null,
  last_used_at: null,
  revoked_at: null,
  older_secrets_until: null,
};
const answer = { success: true, request_id: REQUEST_ID } as const;
const secret = 'packshot_live_01k9zq0000r4t6y8v0n2p4s6w8… (shown once)';

const keyId: ZodOpenApiParameterObject = {
  in: 'path',
  name: 'key_id',
  required: true,
  schema: { type: 'string' },
  example: KEY_ID,
  description: 'As the list of keys has it.',
};
const bodyErrors = ['malformed_request', 'invalid_request', 'body_too_large', 'body_too_slow'] as const;
const changeErrors = ['key_not_found', 'key_not_usable', 'key_grants_exceeded'] as const;

export const listKeys: ZodOpenApiOperationObject = {
  operationId: 'listKeys',
  tags,
  summary: 'List the keys',
  description: `Revoked ones too, newest first; no secrets. ${NEEDS}`,
  responses: {
    200: {
      description: 'The keys of the account.',
      headers: headers(rate),
      content: json(keyListSchema, {
        keys: { summary: 'One key', value: { ...answer, keys: [{ ...made, credits_used_today: 42 }] } },
      }),
    },
    ...problems(keyErrors),
  },
  ...retryHint('always'),
};

export const createKey: ZodOpenApiOperationObject = {
  operationId: 'createKey',
  tags,
  summary: 'Make a key',
  description: `${NEEDS} ${WITHIN} Sent again, it makes another key.`,
  requestBody: {
    required: true,
    description: 'What the key may do.',
    content: json(keyCreationSchema, {
      limited: {
        summary: 'A key for one purpose',
        value: {
          label: made.label,
          scopes: made.scopes,
          expires_at: made.expires_at,
          allowed_ips: made.allowed_ips,
          daily_credit_cap: made.daily_credit_cap,
        },
      },
      plain: { summary: 'A test key, as the calling key is', value: { label: 'Trying', mode: 'test' } },
    }),
  },
  responses: {
    201: {
      description: 'The key, with its secret this once.',
      headers: headers(rate),
      content: json(keySecretSchema, { made: { summary: 'A new key', value: { ...answer, key: made, secret } } }),
    },
    ...problems([...keyErrors, ...bodyErrors, 'key_grants_exceeded', 'too_many_keys']),
  },
  ...retryHint('never'),
};

export const changeKey: ZodOpenApiOperationObject = {
  operationId: 'changeKey',
  tags,
  summary: 'Change a key',
  description: `From its next request on; what is left out stays. ${NEEDS} ${WITHIN}`,
  parameters: [keyId],
  requestBody: {
    description: 'What is to change; without it nothing is.',
    content: json(keyChangeSchema, {
      cap: { summary: 'A lower cap', value: { daily_credit_cap: 100 } },
      open: { summary: 'From everywhere, for ever', value: { allowed_ips: null, expires_at: null } },
    }),
  },
  responses: {
    200: {
      description: 'The key as it is now.',
      headers: headers(rate),
      content: json(keyAnswerSchema, {
        changed: { summary: 'With its new cap', value: { ...answer, key: { ...made, daily_credit_cap: 100 } } },
      }),
    },
    ...problems([...keyErrors, ...bodyErrors, ...changeErrors]),
  },
  ...retryHint('always'),
};

export const rollKey: ZodOpenApiOperationObject = {
  operationId: 'rollKey',
  tags,
  summary: 'Give a key another secret',
  description: `The secrets before go on for \`overlap_hours\` (0 to ${limits.keys.overlapMsMax / 3_600_000}); 0 ends them at once. The key stays the same: its batches, Idempotency-Keys and cap. ${NEEDS} A key that may do more than the calling one is not rolled. Sent again, it makes another secret.`,
  parameters: [keyId],
  requestBody: {
    description: 'How long the secrets before go on.',
    content: json(keyRollSchema, { day: { summary: 'A day of overlap', value: { overlap_hours: 24 } } }),
  },
  responses: {
    200: {
      description: 'The key, with its new secret this once.',
      headers: headers(rate),
      content: json(keySecretSchema, {
        rolled: {
          summary: 'A day of overlap',
          value: { ...answer, key: { ...made, older_secrets_until: '2026-11-22T09:30:00.000Z' }, secret },
        },
      }),
    },
    ...problems([...keyErrors, ...bodyErrors, ...changeErrors]),
  },
  ...retryHint('never'),
};

export const revokeKey: ZodOpenApiOperationObject = {
  operationId: 'revokeKey',
  tags,
  summary: 'Revoke a key',
  description: `All of its secrets end with the next request, for good. ${NEEDS} A test key revokes test keys alone.`,
  parameters: [keyId],
  responses: {
    200: {
      description: 'The key as it is now.',
      headers: headers(rate),
      content: json(keyAnswerSchema, {
        revoked: {
          summary: 'A key that has ended',
          value: { ...answer, key: { ...made, revoked_at: '2026-11-22T09:30:00.000Z' } },
        },
      }),
    },
    ...problems([...keyErrors, 'key_not_found', 'key_grants_exceeded']),
  },
  ...retryHint('always'),
};
