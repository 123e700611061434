/** Operations that give all of a batch in one file, as the OpenAPI document describes them. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { edgeLimits } from '../../limits.ts';
import { batchId, headers, keyErrors, problems, rate, retryHint, text, traceparent } from './parts.ts';

const file = { 'Content-Disposition': text('The file name.') };
const { zipFilesMax } = edgeLimits.results;

export const getResultsZip: ZodOpenApiOperationObject = {
  operationId: 'getBatchZip',
  tags: ['Batches'],
  summary: 'Download all results of a batch',
  description: `A ZIP of every finished file of a batch or an upload, for the key that made it, streamed and not compressed: one for each image and marketplace, named after the photos, doubles numbered. What was deleted, or is past the end of its life, is named in \`not-included.txt\`. At most ${zipFilesMax} files; further ones are in the next \`part\`. Where results are kept until their first download, an archive that was read to its end is that of all its files.`,
  parameters: [
    batchId,
    {
      in: 'query',
      name: 'part',
      schema: { type: 'integer', minimum: 1, default: 1 },
      example: 1,
      description: `Of a batch with more than ${zipFilesMax} files, counted from 1; the file name says of how many.`,
    },
    traceparent,
  ],
  responses: {
    200: {
      description: 'The archive.',
      headers: headers(rate, file),
      content: {
        'application/zip': { schema: { type: 'string', format: 'binary' }, example: '(the bytes of the archive)' },
      },
    },
    ...problems([...keyErrors, 'batch_not_found', 'batch_deleted', 'invalid_request']),
  },
  ...retryHint('always'),
};

export const getResultsCsv: ZodOpenApiOperationObject = {
  operationId: 'getBatchCsv',
  tags: ['Batches'],
  summary: 'The results of a batch as a table',
  description:
    'CSV (RFC 4180, UTF-8) with a header row and one row an image, whatever became of it: its verdict with the reasons or its error, what it cost, its file and a fresh link. A text that a spreadsheet would run as a formula begins with an apostrophe.',
  parameters: [batchId, traceparent],
  responses: {
    200: {
      description: 'The table.',
      headers: headers(rate, file),
      content: {
        'text/csv': {
          schema: { type: 'string' },
          example: `original_name,status,verdict,reasons,error_code,error_detail,credits\r\nmug.jpg,completed,ready,,,,1\r\n`,
        },
      },
    },
    ...problems([...keyErrors, 'batch_not_found', 'batch_deleted']),
  },
  ...retryHint('always'),
};
