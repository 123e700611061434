/** What a page asks of the request log, and its rows: as JSON, and as CSV. */
import { isErrorCode } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { marketplaces } from '../../shared/marketplaces/index.ts';
import type { LogRow } from '../../shared/portal-api.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { RequestLogPort, RequestRow, RequestSearch } from '../account/requests/port.ts';
import { edgeLimits } from '../limits.ts';
import { csvOf, csvStream } from '../results/csv.ts';
import { timeOf } from './time.ts';

const DAY_MS = 86_400_000;
const statuses = {
  success: { from: 200, to: 399 },
  client_error: { from: 400, to: 499 },
  server_error: { from: 500, to: 599 },
} as const;

/** Midnight UTC of YYYY-MM-DD; not a number for anything else. */
const dayMs = (day: string): number => (/^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN);

/** Undefined where it is not given; else as `read` has it, undefined there saying that it is none. */
type Asked = Readonly<Record<string, string | undefined>>;

/** Fails with a sentence. `from` and `to` are days, both included. */
export const readSearch = (asked: Asked): Result<RequestSearch & { readonly cursor?: string }, string> => {
  const { key, status, error, marketplace, name, from, to, cursor } = asked;
  if (key && !isId('apiKey', key)) return fail('This is not a key id.');
  if (cursor && !/^[0-9a-z]{26}$/.test(cursor)) return fail('This is not a cursor.');
  if (status && !Object.hasOwn(statuses, status)) return fail('status is success, client_error or server_error.');
  if (error && !isErrorCode(error)) return fail('This is not an error code.');
  if (marketplace && !Object.hasOwn(marketplaces, marketplace)) return fail('This is not a marketplace.');
  if (name && name.length > edgeLimits.portal.logSearchCharsMax) return fail('This file name is too long.');
  if ((from && Number.isNaN(dayMs(from))) || (to && Number.isNaN(dayMs(to)))) return fail('Days are as 2026-11-22.');
  return ok({
    keyId: key || undefined,
    status: status ? statuses[status as keyof typeof statuses] : undefined,
    errorCode: error || undefined,
    marketplace: marketplace || undefined,
    name: name || undefined,
    sinceMs: from ? dayMs(from) : undefined,
    beforeMs: to ? dayMs(to) + DAY_MS : undefined,
    ...(cursor ? { cursor } : {}),
  });
};

const listOf = (text: string | null | undefined, by: string): string[] => (text ? text.split(by) : []);

export const logRow = (row: RequestRow): LogRow => ({
  request_id: row.requestId,
  at: timeOf(row.atMs),
  key_id: row.keyId,
  method: row.method,
  path: row.path,
  status: row.status,
  error_code: row.errorCode,
  images: row.images,
  credits: row.credits,
  duration_ms: row.latencyMs,
  batch_id: row.batchId,
  names: listOf(row.names, '\n'),
  marketplaces: listOf(row.marketplaces, ','),
});

const COLUMNS = [
  'at',
  'request_id',
  'key_id',
  'method',
  'path',
  'status',
  'error_code',
  'images',
  'credits',
  'duration_ms',
  'batch_id',
  'marketplaces',
  'names',
] as const;

const cellsOf = (row: LogRow) =>
  COLUMNS.map((column) => {
    const cell = row[column];
    return Array.isArray(cell) ? cell.join(column === 'names' ? '; ' : ' ') : (cell as string | number | null);
  });

/** Streams a page at a time; a file that is cut ends with a row that says so. */
export const logCsv = (
  log: Pick<RequestLogPort, 'requests'>,
  search: RequestSearch,
  rowsMax: number = edgeLimits.portal.logCsvRowsMax,
): ReadableStream<Uint8Array> => {
  let cursor: string | null = null;
  let rows = 0;
  return csvStream(csvOf([COLUMNS]), async () => {
    const max = Math.min(edgeLimits.requestLog.csvPageRows, rowsMax - rows);
    const page = await log.requests({ ...search, cursor, max });
    rows += page.rows.length;
    cursor = page.next;
    const isCut = cursor !== null && rows >= rowsMax;
    const lines = page.rows.map((row) => cellsOf(logRow(row)));
    const note = `INCOMPLETE: a file has ${rowsMax} requests at most; the older ones are in the file of earlier days`;
    if (isCut) lines.push([note, ...COLUMNS.slice(1).map(() => null)]);
    return { text: csvOf(lines), isLast: cursor === null || isCut };
  });
};
