/** Operations by which an owner deletes, as the OpenAPI document describes them. */
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject } from 'zod-openapi';
import { deletingSchema } from '../../../shared/api.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import { deletingExamples, ids } from './examples.ts';
import { batchId, headers, json, keyErrors, problems, rate, retryAfter, retryHint, traceparent } from './parts.ts';

const KEPT =
  'Gone from storage: input, outputs of all marketplaces, preview, background, file names and addresses, stored answers, the lines of the request log, what the nodes noted. The ledger keeps the amounts; nothing is refunded.';

const imageId: ZodOpenApiParameterObject = {
  in: 'path',
  name: 'image_id',
  required: true,
  schema: { type: 'string' },
  example: ids.image,
  description: 'As in its result.',
};

const responses = (examples: Parameters<typeof json>[1], codes: readonly ErrorCode[]) => ({
  202: {
    description: 'Begun. It goes on until it is done, whatever is restarted meanwhile; ask again to learn of its end.',
    headers: headers(rate, retryAfter),
    content: json(deletingSchema, examples),
  },
  204: { description: 'Deleted, now or before.', headers: headers(rate) },
  ...problems([...keyErrors, ...codes, 'images_in_progress']),
});

export const deleteBatch: ZodOpenApiOperationObject = {
  operationId: 'deleteBatch',
  tags: ['Batches'],
  summary: 'Delete a batch',
  description: `All images of a batch or an upload, for the key that made it, once they have ended. ${KEPT} From then on its status is 410 \`batch_deleted\`, its links are 410 \`result_deleted\`, and a request repeated with its Idempotency-Key is told so instead of being charged again.`,
  parameters: [batchId, traceparent],
  responses: responses(deletingExamples.batch, ['batch_not_found']),
  ...retryHint('always'),
};

export const deleteImage: ZodOpenApiOperationObject = {
  operationId: 'deleteImage',
  tags: ['Batches'],
  summary: 'Delete one result',
  description: `One image, for the key that made it, once it has ended. ${KEPT} In the status of its batch it is \`deleted\`.`,
  parameters: [batchId, imageId, traceparent],
  responses: responses(deletingExamples.batch, ['batch_not_found', 'image_not_found']),
  ...retryHint('always'),
};

export const deleteAccountData: ZodOpenApiOperationObject = {
  operationId: 'deleteAccountData',
  tags: ['Account'],
  summary: "Delete the account's data",
  description: `Everything that any key of the account sent and got until now; needs the scope \`admin\`. ${KEPT} Balance, keys, receipts and the ledger stay.`,
  parameters: [traceparent],
  responses: {
    202: responses(deletingExamples.account, [])[202],
    ...problems([...keyErrors, 'images_in_progress']),
  },
  ...retryHint('always'),
};
