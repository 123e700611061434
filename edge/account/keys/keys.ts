/**
 * Makes, changes, rolls and revokes keys. Each command reads, checks and saves in one synchronous transaction, so that a
 * key which manages others is judged by what it may do at that very moment.
 */
import { limits } from '../../../shared/limits.ts';
import { exceeded, type Granted, grantsOf } from './grants.ts';
import type { Added, Changed, GrantsExceeded, KeyChange, KeyRow, NewKey, NewSecret, Revoked } from './port.ts';
import * as rows from './rows.ts';

const noLonger: GrantsExceeded = {
  result: 'grants_exceeded',
  exceeded: [{ field: 'scopes', detail: 'The calling key can no longer manage keys' }],
};

const isUsable = ({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): boolean =>
  revokedAtMs === null && (expiresAtMs === null || expiresAtMs > nowMs);

/** `onRevoked` runs in the transaction that revokes a key. */
export const createKeys = (storage: DurableObjectStorage, now: () => number, onRevoked: (keyId: string) => void) => {
  const { sql } = storage;

  /** Why `by` may not have to do with a key that may do `wanted`; undefined where it may. */
  const refusal = (by: string | undefined, ...wanted: readonly Granted[]): GrantsExceeded | undefined => {
    if (by === undefined) return undefined;
    const own = rows.keyById(sql, by, now());
    if (!own || !isUsable(own, now()) || !own.scopes.includes('admin')) return noLonger;
    const found = wanted.flatMap((granted) => exceeded(own, granted));
    return found.length > 0 ? { result: 'grants_exceeded', exceeded: found } : undefined;
  };

  const shown = (keyId: string): KeyRow => {
    const key = rows.keyById(sql, keyId, now());
    if (!key) throw new Error('a key that was saved is not there');
    return key;
  };

  /** The key, if it can be used and `by` may manage it. */
  const managed = (
    keyId: string,
    by: string | undefined,
  ): KeyRow | { readonly result: 'unknown_key' | 'not_usable' } | GrantsExceeded => {
    const key = rows.keyById(sql, keyId, now());
    if (!key) return { result: 'unknown_key' };
    if (!isUsable(key, now())) return { result: 'not_usable' };
    return refusal(by, key) ?? key;
  };

  const add = (key: NewKey): Added => {
    const maker = key.by === undefined ? undefined : rows.keyById(sql, key.by, now());
    const grants = grantsOf(key.grants ?? {}, maker);
    const refused = refusal(key.by, { ...grants, mode: key.mode });
    if (refused) return refused;
    if (rows.usableKeys(sql, key.keyId, now()) >= limits.keys.perAccountMax) return { result: 'too_many_keys' };
    rows.insertKey(sql, key, key.mode === 'test' ? { ...grants, creditsPerDayMax: null } : grants, now());
    return { result: 'added', key: shown(key.keyId) };
  };

  const change = (keyId: string, { label, grants = {} }: KeyChange, by: string | undefined): Changed<'changed'> => {
    const key = managed(keyId, by);
    if ('result' in key) return key;
    const { scopes, expiresAtMs, allowedIps, creditsPerDayMax, mode } = { ...key, ...grants };
    const wanted = { scopes, expiresAtMs, allowedIps, creditsPerDayMax: mode === 'test' ? null : creditsPerDayMax };
    const refused = refusal(by, { ...wanted, mode });
    if (refused) return refused;
    if (wanted.creditsPerDayMax !== null && key.creditsPerDayMax === null) rows.startCap(sql, keyId, now());
    rows.saveGrants(sql, keyId, wanted);
    if (label !== undefined) rows.renameKey(sql, keyId, label);
    return { result: 'changed', key: shown(keyId) };
  };

  const roll = (keyId: string, secret: NewSecret, by: string | undefined): Changed<'rolled'> => {
    const key = managed(keyId, by);
    if ('result' in key) return key;
    rows.replaceSecret(sql, keyId, secret, now());
    return { result: 'rolled', key: shown(keyId) };
  };

  /** Taking a key away gives nobody more than it had, but a test key takes no live key away. */
  const revoke = (keyId: string, by: string | undefined): { readonly result: Revoked } | GrantsExceeded => {
    const key = rows.keyById(sql, keyId, now());
    if (!key) return { result: 'unknown_key' };
    const own = by === undefined ? undefined : rows.keyById(sql, by, now());
    const refused = refusal(by) ?? (own && refusal(by, { ...own, mode: key.mode }));
    if (refused) return refused;
    if (!rows.revokeKey(sql, keyId, now())) return { result: 'already_revoked' };
    onRevoked(keyId);
    return { result: 'revoked' };
  };

  return {
    add: (key: NewKey) => storage.transactionSync(() => add(key)),
    change: (keyId: string, changed: KeyChange, by?: string) =>
      storage.transactionSync(() => change(keyId, changed, by)),
    roll: (keyId: string, secret: NewSecret, by?: string) => storage.transactionSync(() => roll(keyId, secret, by)),
    revoke: (keyId: string, by?: string) => storage.transactionSync(() => revoke(keyId, by)),
    list: () => rows.listKeys(sql, now()),
  };
};
