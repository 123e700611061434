/** API keys of an account. Only hashes of secrets are kept. */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { KeyRow, NewKey, Revoked } from './port.ts';

const SHOWN = 'keyId, mode, label, masked, createdAtMs, lastUsedAtMs, revokedAtMs';

export const listKeys = (sql: SqlStorage): KeyRow[] =>
  all<KeyRow>(sql, `select ${SHOWN} from apiKey order by createdAtMs desc, keyId desc`);

export const keyByHash = (sql: SqlStorage, hash: string): KeyRow | undefined =>
  first<KeyRow>(sql, `select ${SHOWN} from apiKey where hash = ?`, hash);

/** False where the account has as many usable keys as it may. */
export const addKey = (sql: SqlStorage, key: NewKey, nowMs: number): boolean => {
  const usable =
    first<{ count: number }>(
      sql,
      'select count(*) as count from apiKey where revokedAtMs is null and keyId <> ?',
      key.keyId,
    )?.count ?? 0;
  if (usable >= limits.keys.perAccountMax) return false;
  sql.exec(
    'insert into apiKey (keyId, hash, mode, label, masked, createdAtMs) values (?, ?, ?, ?, ?, ?) on conflict do nothing',
    key.keyId,
    key.hash,
    key.mode,
    key.label.slice(0, limits.keys.labelCharsMax),
    key.masked,
    nowMs,
  );
  return true;
};

export const renameKey = (sql: SqlStorage, keyId: string, label: string): boolean =>
  all(
    sql,
    'update apiKey set label = ? where keyId = ? returning keyId',
    label.slice(0, limits.keys.labelCharsMax),
    keyId,
  ).length > 0;

export const revokeKey = (sql: SqlStorage, keyId: string, nowMs: number): Revoked => {
  if (
    all(sql, 'update apiKey set revokedAtMs = ? where keyId = ? and revokedAtMs is null returning keyId', nowMs, keyId)
      .length > 0
  )
    return 'revoked';
  return first(sql, 'select 1 from apiKey where keyId = ?', keyId) ? 'already_revoked' : 'unknown_key';
};

export const isRevoked = (sql: SqlStorage, keyId: string): boolean =>
  first(sql, 'select 1 from apiKey where keyId = ? and revokedAtMs is null', keyId) === undefined;

/** One write a minute at most, however often the key is used. */
export const noteUse = (sql: SqlStorage, key: KeyRow, nowMs: number): void => {
  if (key.lastUsedAtMs === null || nowMs - key.lastUsedAtMs >= edgeLimits.keys.lastUsedStepMs)
    sql.exec('update apiKey set lastUsedAtMs = ? where keyId = ?', nowMs, key.keyId);
};
