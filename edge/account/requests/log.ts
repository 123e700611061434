/** The account's request log: one row a request, by the time of its answer. */
import { firstId, ID_PREFIX } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { addToDays } from './days.ts';
import type { RequestRow } from './port.ts';

const SHOWN = 'requestId, atMs, keyId, method, path, status, images, credits, latencyMs, errorCode, batchId';

const TIME_CHARS = 10;
/** The smallest key of a row answered at `atMs`. */
export const firstLogId = (atMs: number): string => ulid(firstId('request', atMs));
const ulid = (requestId: string): string => requestId.slice(ID_PREFIX.request.length + 1);

/** The time of the answer with the random part of the request's id: the same however often the row is sent. */
const logIdOf = ({ requestId, atMs, latencyMs }: RequestRow): string =>
  firstLogId(Math.max(0, Math.round(atMs + latencyMs))).slice(0, TIME_CHARS) + ulid(requestId).slice(TIME_CHARS);

const INSERT = `insert into request (logId, ${SHOWN}, names, marketplaces)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning 1`;

const insert = (sql: SqlStorage, row: RequestRow): boolean =>
  all(
    sql,
    INSERT,
    logIdOf(row),
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
    row.names?.slice(0, edgeLimits.requestLog.namesCharsMax) ?? null,
    row.marketplaces ?? null,
  ).length > 0;

/** Repeated, it changes nothing. */
export const addRequests = (storage: DurableObjectStorage, rows: readonly RequestRow[]): void => {
  const { sql } = storage;
  storage.transactionSync(() => {
    const added = rows.filter((row) => insert(sql, row));
    const through = first<{ logId: string }>(sql, 'select rolledThrough as logId from history')?.logId ?? '';
    const late = added.filter((row) => logIdOf(row) <= through);
    if (late.length > 0) addToDays(sql, late);
  });
};

/** As in the condition of the index `slowRequest`, which only a query that repeats it uses. */
const SLOW = 'latencyMs > 1000';
const SLOW_MS = 1_000;

export type KeyedRow = RequestRow & { readonly logId: string };

/** What a row does not say is left out. */
export const asLogged = ({ logId: _key, names, marketplaces, ...row }: KeyedRow): RequestRow => ({
  ...row,
  ...(names ? { names } : {}),
  ...(marketplaces ? { marketplaces } : {}),
});

/**
 * A slow request by its index, any other among the answers of the second after its beginning: the rate limit bounds how
 * many these are.
 */
export const requestById = (sql: SqlStorage, requestId: string, beganAtMs: number): RequestRow | undefined => {
  const row =
    first<KeyedRow>(sql, `select * from request where requestId = ? and ${SLOW}`, requestId) ??
    first<KeyedRow>(
      sql,
      'select * from request where logId >= ? and logId < ? and requestId = ? limit 1',
      firstLogId(beganAtMs),
      firstLogId(beganAtMs + SLOW_MS + 1),
      requestId,
    );
  return row && asLogged(row);
};

/**
 * Deletes rows that are added up and past their life or beyond the log's length, a bounded number at a time. True where
 * more may be left.
 */
export const sweepRequests = (storage: DurableObjectStorage, nowMs: number): boolean => {
  const { sql } = storage;
  const { rowsMax, sweepRowsMax } = edgeLimits.requestLog;
  const stored = first<{ requests: number }>(sql, 'select requests from history')?.requests ?? 0;
  return storage.transactionSync(() => {
    const gone = all(
      sql,
      `delete from request where logId in (
         select logId from request where logId < ? and logId <= (select rolledThrough from history) order by logId limit ?
       ) returning 1`,
      stored > rowsMax ? '~' : firstLogId(nowMs - limits.requestLog.keptMs),
      stored > rowsMax ? Math.min(sweepRowsMax, stored - rowsMax) : sweepRowsMax,
    ).length;
    if (gone > 0) sql.exec('update history set requests = requests - ?', gone);
    return gone > 0;
  });
};
