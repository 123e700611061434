/** Idempotency records in their table. */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import type { BatchQuery, RequestRecord, StoredRecord } from './port.ts';
import {
  type BeginReply,
  begin,
  finish,
  type IdempotencyRecord,
  owned,
  renew,
  type StoredAnswer,
  type Try,
  yieldLease,
} from './record.ts';

type RequestName = Pick<RequestRecord, 'keyId' | 'idempotencyKey'>;

const read = (sql: SqlStorage, { keyId, idempotencyKey }: RequestName): IdempotencyRecord | undefined => {
  const row = first<StoredRecord & { readonly owner: string | null }>(
    sql,
    'select batchId, owner, createdAtMs, leaseUntilMs, answer from idempotency where keyId = ? and idempotencyKey = ?',
    keyId,
    idempotencyKey,
  );
  return row && { ...row, answer: row.answer === null ? null : JSON.parse(row.answer) };
};

/** False where there is nothing to save. */
const save = (
  sql: SqlStorage,
  { keyId, idempotencyKey }: RequestRecord,
  record: IdempotencyRecord | undefined,
): boolean => {
  if (!record) return false;
  const answer = record.answer && JSON.stringify(record.answer);
  put(sql, 'idempotency', { keyId, idempotencyKey, ...record, answer });
  return true;
};

/** Workers of the release before this one name no owner. */
const tryOf = ({ batchId, owner }: Omit<RequestRecord, 'owner'> & { readonly owner?: string }): Try => ({
  batchId,
  owner: owner ?? null,
});

export const beginRequest = (sql: SqlStorage, request: RequestRecord, nowMs: number): BeginReply => {
  const { reply, record } = begin(read(sql, request), tryOf(request), nowMs);
  save(sql, request, record);
  return reply;
};

export const renewRequest = (sql: SqlStorage, request: RequestRecord, nowMs: number): boolean =>
  save(sql, request, renew(read(sql, request), tryOf(request), nowMs));

export const finishRequest = (sql: SqlStorage, request: RequestRecord, answer: StoredAnswer): boolean =>
  save(sql, request, finish(read(sql, request), tryOf(request), answer));

export const yieldRequest = (sql: SqlStorage, request: RequestRecord, nowMs: number): boolean =>
  save(sql, request, yieldLease(read(sql, request), tryOf(request), nowMs));

export const dropRequest = (sql: SqlStorage, request: RequestRecord): void => {
  if (!owned(read(sql, request), tryOf(request))) return;
  const { keyId, idempotencyKey } = request;
  sql.exec('delete from idempotency where keyId = ? and idempotencyKey = ?', keyId, idempotencyKey);
};

/** Deletes records past their life, a bounded number at a time. True where more may be left. */
export const sweepRecords = (sql: SqlStorage, nowMs: number): boolean =>
  all(
    sql,
    'delete from idempotency where (keyId, idempotencyKey) in (select keyId, idempotencyKey from idempotency where createdAtMs < ? limit ?) returning 1',
    nowMs - limits.idempotency.keptMs,
    edgeLimits.idempotency.sweepRowsMax,
  ).length > 0;

export const batchOfRequest = (sql: SqlStorage, { keyIds, idempotencyKey }: BatchQuery): string | null => {
  for (const keyId of keyIds) {
    const record = storedRecord(sql, { keyId, idempotencyKey });
    if (record) return record.batchId;
  }
  return null;
};

export const hasRecord = (sql: SqlStorage, { keyId, idempotencyKey }: RequestName): boolean =>
  first(sql, 'select 1 from idempotency where keyId = ? and idempotencyKey = ?', keyId, idempotencyKey) !== undefined;

export const storedRecord = (sql: SqlStorage, { keyId, idempotencyKey }: RequestName): StoredRecord | undefined =>
  first<StoredRecord>(
    sql,
    'select batchId, createdAtMs, leaseUntilMs, answer from idempotency where keyId = ? and idempotencyKey = ?',
    keyId,
    idempotencyKey,
  );

export const adoptRecord = (sql: SqlStorage, { keyId, idempotencyKey }: RequestName, record: StoredRecord): void =>
  put(sql, 'idempotency', { keyId, idempotencyKey, ...record });
