/** The account's request log: one line a request, and what can be counted from it. */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { type Page, type PageRequest, pageBounds, pageOf } from '../page.ts';
import type { RequestDay, RequestRow } from './port.ts';

const SHOWN = 'requestId, atMs, keyId, method, path, status, images, credits, latencyMs, errorCode, batchId';

export const addRequest = (sql: SqlStorage, row: RequestRow): void => {
  sql.exec(
    `insert into request (${SHOWN}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    row.requestId,
    row.atMs,
    row.keyId,
    row.method,
    row.path.slice(0, edgeLimits.requestLog.pathCharsMax),
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

type NumberedRow = RequestRow & { readonly row: number };

export const requestPage = (sql: SqlStorage, request: PageRequest & { readonly keyId?: string }): Page<RequestRow> => {
  const { before, max } = pageBounds(request);
  const rows = request.keyId
    ? all<NumberedRow>(
        sql,
        `select row, ${SHOWN} from request where row < ? and keyId = ? order by row desc limit ?`,
        before,
        request.keyId,
        max + 1,
      )
    : all<NumberedRow>(
        sql,
        `select row, ${SHOWN} from request where row < ? order by row desc limit ?`,
        before,
        max + 1,
      );
  const page = pageOf(rows, max, ({ row }) => row);
  return { ...page, rows: page.rows.map(({ row: _row, ...shown }) => shown) };
};

const DAY = `strftime('%Y-%m-%d', atMs / 1000, 'unixepoch')`;
const BY_DAY = `
  with ranked as (
    select ${DAY} as day, latencyMs, images, status,
      row_number() over (partition by ${DAY}, images > 0 order by latencyMs) as rank,
      count(*) over (partition by ${DAY}, images > 0) as total
    from request where atMs >= ?
  )
  select day, count(*) as requests, sum(status >= 400) as errors,
    min(case when images > 0 and rank >= total * 0.5 then latencyMs end) as p50Ms,
    min(case when images > 0 and rank >= total * 0.95 then latencyMs end) as p95Ms
  from ranked group by day order by day`;

export const requestsByDay = (sql: SqlStorage, sinceMs: number): RequestDay[] => all<RequestDay>(sql, BY_DAY, sinceMs);

/** Deletes rows past their life or beyond the log's length, a bounded number at a time. */
export const sweepRequests = (sql: SqlStorage, nowMs: number): void => {
  const last = first<{ row: number | null }>(sql, 'select max(row) as row from request')?.row ?? 0;
  sql.exec(
    'delete from request where row in (select row from request where atMs < ? or row <= ? order by row limit ?)',
    nowMs - limits.requestLog.keptMs,
    last - edgeLimits.requestLog.rowsMax,
    edgeLimits.ledger.sweepRowsMax,
  );
};
