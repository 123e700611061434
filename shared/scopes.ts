/** What a key may be used for, and what each route of the API asks of the key that calls it. */
import type { paths } from './paths.ts';

export const keyScopes = ['images:write', 'batches:read', 'account:read', 'admin'] as const;
/** `admin`: manage the account's keys, and how long its data are kept. */
export type KeyScope = (typeof keyScopes)[number];
/** Of a new key, where nothing else is asked for; keys from before there were scopes have them too. */
export const ordinaryScopes: readonly KeyScope[] = ['images:write', 'batches:read', 'account:read'];

/**
 * `public`: no key is asked for. `any_key`: a key of the account, whatever its scopes; each tool of `/mcp` then calls the
 * route that it stands for, which asks for its own.
 */
export type RouteScope = KeyScope | 'public' | 'any_key';

export const routeScopes = {
  hero: 'images:write',
  check: 'images:write',
  status: 'batches:read',
  webhookEvents: 'batches:read',
  download: 'public',
  account: 'account:read',
  accountData: 'admin',
  accountRetention: 'admin',
  batch: 'images:write',
  batchImage: 'images:write',
  batchZip: 'batches:read',
  batchCsv: 'batches:read',
  marketplaces: 'public',
  openapi: 'public',
  removebg: 'images:write',
  removebgAccount: 'account:read',
  keys: 'admin',
  key: 'admin',
  keyRoll: 'admin',
  keyRevoke: 'admin',
  mcp: 'any_key',
} as const satisfies Record<keyof typeof paths | 'mcp', RouteScope>;
