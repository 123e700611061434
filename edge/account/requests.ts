/** The request log, the usage read off it, and the idempotency records. */
import { limits } from '../../shared/limits.ts';
import { all, first, put } from '../sqlite/rows.ts';
import type { IdempotencyRecord } from './idempotency/record.ts';
import type { Page, PageRequest, RequestRow, UsageDay } from './port.ts';

const SHOWN = 'requestId, atMs, keyId, method, path, status, images, credits, latencyMs, errorCode, batchId';

/** A row said again is the same row. */
export const addRequest = (sql: SqlStorage, row: RequestRow): void => {
  sql.exec(
    `insert into request (${SHOWN}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    row.requestId,
    row.atMs,
    row.keyId,
    row.method,
    row.path.slice(0, limits.requestLog.pathCharsMax),
    row.status,
    row.images,
    row.credits,
    Math.round(row.latencyMs),
    row.errorCode,
    row.batchId,
  );
};

export const requestById = (sql: SqlStorage, requestId: string): RequestRow | undefined =>
  first<RequestRow>(sql, `select ${SHOWN} from request where requestId = ?`, requestId);

export const requestPage = (sql: SqlStorage, page: PageRequest & { readonly keyId?: string }): Page<RequestRow> => {
  const max = Math.min(page.max ?? limits.requestLog.pageRowsMax, limits.requestLog.pageRowsMax);
  const before = page.cursor ? Number(page.cursor) : Number.MAX_SAFE_INTEGER;
  type Row = RequestRow & { readonly row: number };
  const rows = page.keyId
    ? all<Row>(
        sql,
        `select row, ${SHOWN} from request where row < ? and keyId = ? order by row desc limit ?`,
        before,
        page.keyId,
        max + 1,
      )
    : all<Row>(sql, `select row, ${SHOWN} from request where row < ? order by row desc limit ?`, before, max + 1);
  const next = rows.length > max ? String(rows[max - 1]?.row) : null;
  return { rows: rows.slice(0, max).map(({ row: _row, ...shown }) => shown), next };
};

const DAY = `strftime('%Y-%m-%d', createdAtMs / 1000, 'unixepoch')`;
const USAGE = `
  with ranked as (
    select strftime('%Y-%m-%d', atMs / 1000, 'unixepoch') as day, latencyMs, images, status,
      row_number() over (partition by strftime('%Y-%m-%d', atMs / 1000, 'unixepoch'), images > 0 order by latencyMs) as place,
      count(*) over (partition by strftime('%Y-%m-%d', atMs / 1000, 'unixepoch'), images > 0) as many
    from request where atMs >= ?1
  ), asked as (
    select day, count(*) as requests, sum(status >= 400) as errors,
      min(case when images > 0 and place >= many * 0.5 then latencyMs end) as p50Ms,
      min(case when images > 0 and place >= many * 0.95 then latencyMs end) as p95Ms
    from ranked group by day
  ), moved as (
    select ${DAY} as day, sum(case kind when 'post' then credits else 0 end) as posted, sum(case kind when 'void' then credits else 0 end) as voided
    from entry where createdAtMs >= ?1 and kind in ('post', 'void') group by day
  )
  select day, coalesce(posted, 0) as posted, coalesce(voided, 0) as voided, coalesce(requests, 0) as requests, coalesce(errors, 0) as errors, p50Ms, p95Ms
  from asked full outer join moved using (day) order by day`;

export const usage = (sql: SqlStorage, sinceMs: number): UsageDay[] => all<UsageDay>(sql, USAGE, sinceMs);

/** Deletes what is past its life, a bounded number of rows at a time. */
export const sweep = (sql: SqlStorage, nowMs: number): void => {
  const most = limits.ledger.sweepRowsMax;
  const last = first<{ row: number | null }>(sql, 'select max(row) as row from request')?.row ?? 0;
  sql.exec(
    'delete from request where row in (select row from request where atMs < ? or row <= ? order by row limit ?)',
    nowMs - limits.requestLog.keptMs,
    last - limits.requestLog.rowsMax,
    most,
  );
  sql.exec(
    'delete from idempotency where (keyId, idempotencyKey) in (select keyId, idempotencyKey from idempotency where createdAtMs < ? limit ?)',
    nowMs - limits.idempotency.keptMs,
    most,
  );
};

type Row = Omit<IdempotencyRecord, 'answer'> & { readonly answer: string | null };

export const idempotencyRecord = (
  sql: SqlStorage,
  keyId: string,
  idempotencyKey: string,
): IdempotencyRecord | undefined => {
  const row = first<Row>(
    sql,
    'select batchId, createdAtMs, leaseUntilMs, answer from idempotency where keyId = ? and idempotencyKey = ?',
    keyId,
    idempotencyKey,
  );
  return row && { ...row, answer: row.answer === null ? null : JSON.parse(row.answer) };
};

export const saveIdempotency = (
  sql: SqlStorage,
  keyId: string,
  idempotencyKey: string,
  record: IdempotencyRecord,
): void =>
  put(sql, 'idempotency', { keyId, idempotencyKey, ...record, answer: record.answer && JSON.stringify(record.answer) });

export const dropIdempotency = (sql: SqlStorage, keyId: string, idempotencyKey: string, batchId: string): void =>
  void sql.exec(
    'delete from idempotency where keyId = ? and idempotencyKey = ? and batchId = ? and answer is null',
    keyId,
    idempotencyKey,
    batchId,
  );
