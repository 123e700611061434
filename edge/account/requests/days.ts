/**
 * Requests by UTC day. Rows of the log are added up in bulk by the alarm, each once: `rolledThrough` is the last key that
 * is in the sums. Rows after it are read themselves, those of one interval at most; a row that comes late, with an
 * earlier key, is added at once.
 */
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import { type Histogram, histogramOf, percentile, sumOf } from './latency.ts';
import type { RequestDay, RequestRow } from './port.ts';

type DayTally = { readonly requests: number; readonly errors: number; readonly latencies: Histogram };
export type Tallies = ReadonlyMap<string, DayTally>;
type Counted = Pick<RequestRow, 'atMs' | 'status' | 'credits' | 'latencyMs'>;

const none: DayTally = { requests: 0, errors: 0, latencies: {} };
const plus = (a: DayTally, b: DayTally): DayTally => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  latencies: sumOf(a.latencies, b.latencies),
});

const tallyOf = (rows: readonly Counted[]): Tallies =>
  new Map(
    [...Map.groupBy(rows, ({ atMs }) => new Date(atMs).toISOString().slice(0, 10))].map(([day, ofDay]) => [
      day,
      {
        requests: ofDay.length,
        errors: ofDay.filter(({ status }) => status >= 400).length,
        // As the images beside it are counted: those of test keys are not.
        latencies: histogramOf(ofDay.filter(({ credits }) => credits > 0).map(({ latencyMs }) => latencyMs)),
      },
    ]),
  );

export const withRequest = (tallies: Tallies, row: Counted): Tallies => {
  const sums = new Map(tallies);
  for (const [day, tally] of tallyOf([row])) sums.set(day, plus(tallies.get(day) ?? none, tally));
  return sums;
};

/** Adds to the days' sums; the caller holds the transaction. */
export const addTallies = (sql: SqlStorage, tallies: Tallies): void => {
  for (const [day, tally] of tallies) {
    const row = first<Stored>(sql, 'select * from requestDay where day = ?', day);
    const sum = plus(row ? read(row) : none, tally);
    put(sql, 'requestDay', { day, ...sum, latencies: JSON.stringify(sum.latencies) });
  }
};
/** The same for rows of the log, which are counted as such, so that the log's length is known without a scan. */
export const addToDays = (sql: SqlStorage, rows: readonly Counted[]): void => {
  addTallies(sql, tallyOf(rows));
  sql.exec('update history set requests = requests + ?', rows.length);
};

type Stored = { readonly day: string; readonly requests: number; readonly errors: number; readonly latencies: string };
const read = ({ requests, errors, latencies }: Stored): DayTally => ({
  requests,
  errors,
  latencies: JSON.parse(latencies) as Histogram,
});

const unrolled = (sql: SqlStorage, max: number): (Counted & { readonly logId: string })[] =>
  all(
    sql,
    `select logId, atMs, status, credits, latencyMs from request
      where logId > (select rolledThrough from history) order by logId limit ?`,
    max,
  );

/** Adds up the next rows of the log. True where more are left. */
export const rollUpRequests = (storage: DurableObjectStorage): boolean => {
  const { rollUpRowsMax } = edgeLimits.requestLog;
  const rows = unrolled(storage.sql, rollUpRowsMax);
  const last = rows.at(-1);
  if (!last) return false;
  storage.transactionSync(() => {
    addToDays(storage.sql, rows);
    storage.sql.exec('update history set rolledThrough = ?', last.logId);
  });
  return rows.length === rollUpRowsMax;
};

/** From the UTC day of `sinceMs`, oldest first. `uncounted`: what the sums do not have yet and the log never will. */
export const requestsByDay = (sql: SqlStorage, sinceMs: number, uncounted: Tallies): RequestDay[] => {
  const sinceDay = new Date(sinceMs).toISOString().slice(0, 10);
  const days = new Map(tallyOf(unrolled(sql, Number.MAX_SAFE_INTEGER)));
  const add = (day: string, tally: DayTally): void => void days.set(day, plus(days.get(day) ?? none, tally));
  for (const [day, tally] of uncounted) add(day, tally);
  for (const row of all<Stored>(sql, 'select * from requestDay where day >= ?', sinceDay)) add(row.day, read(row));
  return [...days]
    .filter(([day]) => day >= sinceDay)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, { requests, errors, latencies }]) => ({
      day,
      requests,
      errors,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
    }));
};
