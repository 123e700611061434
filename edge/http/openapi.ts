/** The OpenAPI 3.1 document: every path, header and error, generated from the schemas and the table of errors. */
import { createDocument, type ZodOpenApiOverride, type ZodOpenApiPathItemObject } from 'zod-openapi';
import { type ErrorCode, type ErrorRow, errors } from '../../shared/errors.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import { changeRetention, getAccount } from './openapi/account.ts';
import { checkPhoto } from './openapi/check.ts';
import { deleteAccountData, deleteBatch, deleteImage } from './openapi/deletions.ts';
import { balanceLow, getWebhookEvents } from './openapi/events.ts';
import { changeKey, createKey, listKeys, revokeKey, rollKey } from './openapi/keys.ts';
import { batchEnded, createHero, getDownload, getMarketplaces, getOpenapi, getStatus } from './openapi/operations.ts';
import { getRemovebgAccount, postRemovebg } from './openapi/removebg.ts';
import { getResultsCsv, getResultsZip } from './openapi/results.ts';

/** Hono's `:name` as OpenAPI writes it. */
const documented = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** zod writes out the bounds of safe integers, and a pattern beside each format; both say nothing to a reader. */
const plainer: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

const tags = [
  {
    name: 'Images',
    description: 'Photos in, main images out: by upload, or by URL in a batch; and what is found about a photo, free.',
  },
  { name: 'Batches', description: 'How a batch stands, all of it in one file, and its deletion.' },
  { name: 'Downloads', description: 'Finished files, by signed link.' },
  { name: 'Account', description: 'Credits, and the deletion of data.' },
  { name: 'Keys', description: 'Keys of the account, by a key with the scope `admin`.' },
  { name: 'Marketplaces', description: 'What each marketplace asks of a main image, and where it is written.' },
  { name: 'remove.bg', description: 'The endpoints of remove.bg, for its clients.' },
  { name: 'Document', description: 'The API about itself.' },
  { name: 'Webhooks', description: 'What the service sends to you.' },
];

/** Codes of our own machines among themselves, which no caller meets. */
const internal: readonly ErrorCode[] = ['unauthorized_service'];

/** Every code that a problem or a failed image may carry. */
const errorCodes = Object.fromEntries(
  (Object.entries(errors) as [ErrorCode, ErrorRow][]).filter(([code]) => !internal.includes(code)),
);

type RouteName = keyof typeof paths;
const operations: Readonly<Record<RouteName, ZodOpenApiPathItemObject>> = {
  hero: { post: createHero },
  check: { post: checkPhoto },
  status: { get: getStatus },
  batch: { delete: deleteBatch },
  batchImage: { delete: deleteImage },
  batchZip: { get: getResultsZip },
  batchCsv: { get: getResultsCsv },
  download: { get: getDownload },
  account: { get: getAccount },
  accountData: { delete: deleteAccountData },
  accountRetention: { patch: changeRetention },
  keys: { get: listKeys, post: createKey },
  key: { patch: changeKey },
  keyRoll: { post: rollKey },
  keyRevoke: { post: revokeKey },
  marketplaces: { get: getMarketplaces },
  webhookEvents: { get: getWebhookEvents },
  openapi: { get: getOpenapi },
  removebg: { post: postRemovebg },
  removebgAccount: { get: getRemovebgAccount },
};

/** `x-scope`: what the key must have; left out where no key is asked for. */
const scoped = (name: RouteName, item: ZodOpenApiPathItemObject): ZodOpenApiPathItemObject => {
  const scope = routeScopes[name];
  if (scope === 'public') return item;
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [method, { ...operation, 'x-scope': scope }]),
  );
};

export const openapiDocument = (publicBaseUrl: string) =>
  createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'packshot',
        version: '1.0.0',
        description:
          'Product photos to marketplace main images, prepaid by credits. Errors are problem documents (RFC 9457); `x-error-codes` lists every code, `x-scope` of an operation is the scope that its key needs, `x-retry` and `x-idempotency` say how to repeat it.',
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: publicBaseUrl, description: 'This service.' }],
      security: [{ bearer: [] }],
      tags,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A secret key, `packshot_live_…` or `packshot_test_…`; those from before, `sk_live_…` and `sk_test_…`, go on.',
          },
          removebgKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Api-Key',
            description: 'The same secret key, alone, as clients of remove.bg send it.',
          },
        },
      },
      paths: Object.fromEntries(
        Object.entries(operations).map(([name, item]) => [
          documented(paths[name as RouteName]),
          scoped(name as RouteName, item),
        ]),
      ),
      webhooks: { batchEnded: { post: batchEnded }, balanceLow: { post: balanceLow } },
      'x-error-codes': errorCodes,
    },
    { override: plainer },
  );
