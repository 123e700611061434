/** API keys of an account. Only hashes of secrets are kept. */
import type { KeyMode } from '../../../shared/api-key.ts';
import { CREDITS_PER_IMAGE } from '../../../shared/credits.ts';
import { firstId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { KeyScope } from '../../../shared/scopes.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { dayOf } from '../ledger/spending-caps.ts';
import type { KeyGrants } from './grants.ts';
import type { KeyRow, NewKey, NewSecret } from './port.ts';

type Stored = Omit<KeyRow, 'scopes' | 'allowedIps'> & {
  readonly scopes: string;
  readonly allowedIps: string | null;
  readonly capDay: string;
};
const SHOWN = `keyId, mode, label, masked, createdAtMs, lastUsedAtMs, revokedAtMs, scopes, expiresAtMs, allowedIps,
  creditsPerDayMax, createdBy, capDay, creditsOfDay,
  (select max(endsAtMs) from replacedSecret where replacedSecret.keyId = apiKey.keyId) as replacedUntilMs`;

const rowOf = ({ capDay, ...stored }: Stored, nowMs: number): KeyRow => ({
  ...stored,
  scopes: stored.scopes.split(' ').filter((scope) => scope !== '') as KeyScope[],
  allowedIps: stored.allowedIps === null ? null : stored.allowedIps.split(' '),
  creditsOfDay: stored.creditsPerDayMax !== null && capDay === dayOf(nowMs) ? stored.creditsOfDay : 0,
  replacedUntilMs: (stored.replacedUntilMs ?? 0) > nowMs ? stored.replacedUntilMs : null,
});

export const listKeys = (sql: SqlStorage, nowMs: number): KeyRow[] =>
  all<Stored>(sql, `select ${SHOWN} from apiKey order by createdAtMs desc, keyId desc`).map((row) => rowOf(row, nowMs));

export const keyById = (sql: SqlStorage, keyId: string, nowMs: number): KeyRow | undefined => {
  const row = first<Stored>(sql, `select ${SHOWN} from apiKey where keyId = ?`, keyId);
  return row && rowOf(row, nowMs);
};

/** What authentication needs. `secretEndsAtMs`: of a secret that was replaced. */
export type AccessRow = KeyGrants & {
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly secretEndsAtMs: number | null;
};
type StoredAccess = Omit<AccessRow, 'scopes' | 'allowedIps'> & Pick<Stored, 'scopes' | 'allowedIps'>;
const ACCESS = 'keyId, mode, lastUsedAtMs, revokedAtMs, scopes, expiresAtMs, allowedIps, creditsPerDayMax';

export const keyByHash = (sql: SqlStorage, hash: string): AccessRow | undefined => {
  const row =
    first<StoredAccess>(sql, `select ${ACCESS}, null as secretEndsAtMs from apiKey where hash = ?`, hash) ??
    first<StoredAccess>(
      sql,
      `select ${ACCESS}, endsAtMs as secretEndsAtMs from replacedSecret join apiKey using (keyId)
        where replacedSecret.hash = ?`,
      hash,
    );
  return row && accessRow(row);
};

export const keyOfOwner = (sql: SqlStorage, keyId: string): AccessRow | undefined => {
  const row = first<StoredAccess>(sql, `select ${ACCESS}, null as secretEndsAtMs from apiKey where keyId = ?`, keyId);
  return row && accessRow(row);
};

const accessRow = (row: StoredAccess): AccessRow => ({
  ...row,
  scopes: row.scopes.split(' ') as KeyScope[],
  allowedIps: row.allowedIps === null ? null : row.allowedIps.split(' '),
});

/** How many keys other than `keyId` can be used. */
export const usableKeys = (sql: SqlStorage, keyId: string, nowMs: number): number =>
  first<{ count: number }>(
    sql,
    `select count(*) as count from apiKey
      where revokedAtMs is null and (expiresAtMs is null or expiresAtMs > ?) and keyId <> ?`,
    nowMs,
    keyId,
  )?.count ?? 0;

export const insertKey = (sql: SqlStorage, key: NewKey, grants: KeyGrants, nowMs: number): void => {
  sql.exec(
    `insert into apiKey (keyId, hash, mode, label, masked, createdAtMs, createdBy, scopes)
      values (?, ?, ?, ?, ?, ?, ?, '') on conflict do nothing`,
    key.keyId,
    key.hash,
    key.mode,
    key.label.slice(0, limits.keys.labelCharsMax),
    key.masked,
    nowMs,
    key.by ?? null,
  );
  saveGrants(sql, key.keyId, grants);
};

export const saveGrants = (sql: SqlStorage, keyId: string, grants: KeyGrants): void => {
  sql.exec(
    'update apiKey set scopes = ?, expiresAtMs = ?, allowedIps = ?, creditsPerDayMax = ? where keyId = ?',
    grants.scopes.join(' '),
    grants.expiresAtMs,
    grants.allowedIps === null ? null : grants.allowedIps.join(' '),
    grants.creditsPerDayMax,
    keyId,
  );
};

/** A batch's id may be older than its hold: by as long as the batch asks for it. */
const DAY_MS = 86_400_000;
const OF_DAY = `
  with recursive family(keyId) as (
    values (?1)
    union
    select apiKey.keyId from apiKey join family on apiKey.createdBy = family.keyId
  )
  select coalesce(sum(pending + posted), 0) as images from (
    select keyId, mode, openedAtMs, pending, posted from openHold
    union all
    select keyId, mode, openedAtMs, pending, posted from hold where batchId >= ?2
  ) where mode = 'live' and openedAtMs >= ?3 and keyId in (select keyId from family)`;

/** What counts against a cap that is set now: read once, from the holds of this UTC day. */
export const startCap = (sql: SqlStorage, keyId: string, nowMs: number): void => {
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const oldest = firstId('batch', dayMs - DAY_MS);
  const images = first<{ images: number }>(sql, OF_DAY, keyId, oldest, dayMs)?.images ?? 0;
  sql.exec(
    'update apiKey set capDay = ?, creditsOfDay = ? where keyId = ?',
    dayOf(nowMs),
    images * CREDITS_PER_IMAGE,
    keyId,
  );
};

export const renameKey = (sql: SqlStorage, keyId: string, label: string): void => {
  sql.exec('update apiKey set label = ? where keyId = ?', label.slice(0, limits.keys.labelCharsMax), keyId);
};

/** True where it was not revoked before. */
export const revokeKey = (sql: SqlStorage, keyId: string, nowMs: number): boolean =>
  all(sql, 'update apiKey set revokedAtMs = ? where keyId = ? and revokedAtMs is null returning keyId', nowMs, keyId)
    .length > 0;

/** Puts the new secret in place of the one before. Repeated, it changes nothing. */
export const replaceSecret = (
  sql: SqlStorage,
  keyId: string,
  { hash, masked, overlapMs }: NewSecret,
  nowMs: number,
): void => {
  const now = first<{ hash: string }>(sql, 'select hash from apiKey where keyId = ?', keyId);
  if (now === undefined || now.hash === hash) return;
  if (first(sql, 'select 1 from replacedSecret where hash = ?', hash)) return;
  if (overlapMs === 0) sql.exec('update replacedSecret set endsAtMs = min(endsAtMs, ?) where keyId = ?', nowMs, keyId);
  sql.exec('insert into replacedSecret values (?, ?, ?)', now.hash, keyId, nowMs + overlapMs);
  sql.exec('update apiKey set hash = ?, masked = ? where keyId = ?', hash, masked, keyId);
  sql.exec(
    `delete from replacedSecret where keyId = ?1 and hash not in (
       select hash from replacedSecret where keyId = ?1 order by endsAtMs desc limit ?2)`,
    keyId,
    edgeLimits.keys.replacedSecretsMax,
  );
};

export const isRevoked = (sql: SqlStorage, keyId: string): boolean =>
  first(sql, 'select 1 from apiKey where keyId = ? and revokedAtMs is null', keyId) === undefined;

/** One write a minute at most, however often the key is used. */
export const noteUse = (
  sql: SqlStorage,
  { keyId, lastUsedAtMs }: Pick<AccessRow, 'keyId' | 'lastUsedAtMs'>,
  nowMs: number,
): void => {
  if (lastUsedAtMs === null || nowMs - lastUsedAtMs >= edgeLimits.keys.lastUsedStepMs)
    sql.exec('update apiKey set lastUsedAtMs = ? where keyId = ?', nowMs, keyId);
};
