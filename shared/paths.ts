/** Paths of the public API and of the nodes' API, said once for routes, clients and documents. */

export const API_PREFIX = '/api/v1';
/** remove.bg's paths, for its clients. */
export const REMOVEBG_PREFIX = '/v1.0';

/** Patterns as Hono takes them. */
export const paths = {
  hero: `${API_PREFIX}/service-hero`,
  status: `${API_PREFIX}/service-hero/status/:batch_id`,
  batch: `${API_PREFIX}/batches/:batch_id`,
  batchImage: `${API_PREFIX}/batches/:batch_id/images/:image_id`,
  batchZip: `${API_PREFIX}/batches/:batch_id/results.zip`,
  batchCsv: `${API_PREFIX}/batches/:batch_id/results.csv`,
  check: `${API_PREFIX}/check`,
  download: `${API_PREFIX}/downloads/:token/:filename`,
  account: `${API_PREFIX}/account`,
  accountData: `${API_PREFIX}/account/data`,
  accountRetention: `${API_PREFIX}/account/retention`,
  marketplaces: `${API_PREFIX}/marketplaces`,
  webhookEvents: `${API_PREFIX}/webhook-events`,
  openapi: `${API_PREFIX}/openapi.json`,
  removebg: `${REMOVEBG_PREFIX}/removebg`,
  removebgAccount: `${REMOVEBG_PREFIX}/account`,
  keys: `${API_PREFIX}/keys`,
  key: `${API_PREFIX}/keys/:key_id`,
  keyRoll: `${API_PREFIX}/keys/:key_id/roll`,
  keyRevoke: `${API_PREFIX}/keys/:key_id/revoke`,
} as const;

export const statusPath = (batchId: string): string => paths.status.replace(':batch_id', batchId);

export const batchPath = (batchId: string): string => paths.batch.replace(':batch_id', batchId);
export const batchImagePath = (batchId: string, imageId: string): string =>
  paths.batchImage.replace(':batch_id', batchId).replace(':image_id', imageId);

export const batchZipPath = (batchId: string): string => paths.batchZip.replace(':batch_id', batchId);
export const batchCsvPath = (batchId: string): string => paths.batchCsv.replace(':batch_id', batchId);

export const downloadPath = (token: string, filename: string): string =>
  `${API_PREFIX}/downloads/${token}/${encodeURIComponent(filename)}`;

/**
 * What a node answers to the edge; `shared/job.ts`, `shared/findings.ts`, `shared/quick-look.ts`,
 * `shared/ledger-export.ts` and `shared/ledger-archive.ts` are the contracts.
 */
export const nodePaths = {
  jobs: '/v1/jobs',
  checks: '/v1/checks',
  quickLooks: '/v1/quick-looks',
  ledgerEntries: '/v1/ledger-entries',
  ledgerLines: '/v1/ledger-lines',
  erasures: '/v1/erasures',
} as const;

/** The portal's own API: for its pages only, with a session cookie. */
export const PORTAL_API_PREFIX = '/portal/api';

/**
 * Stands for the service's own address in documents that are made before that is known; the edge puts its own in its
 * place.
 */
export const UNKNOWN_ORIGIN = 'https://this-service.invalid';
