/**
 * Requests by UTC day, as a whole and by key and marketplaces. Rows of the log are added up in bulk by the alarm, each
 * once: `rolledThrough` is the last key that is in the sums. Rows after it are read themselves, those of one interval at
 * most; a row that comes late, with an earlier key, is added at once.
 */
import { utcDay } from '../../../shared/clock.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import { type DayRange, marketplaceSet, periodStart, type UsagePeriod } from '../period.ts';
import { type Histogram, histogramOf, percentile, sumOf } from './latency.ts';
import type { RequestDay, RequestPeriod, RequestRow, RequestSplit, RequestsBySplit } from './port.ts';
import { addToSplit, hasSplit, splitInDays } from './split.ts';

export type Tally = { readonly requests: number; readonly errors: number; readonly latencies: Histogram };
/** Of one day, key and set of marketplaces. */
export type GroupTally = Tally & { readonly day: string; readonly keyId: string; readonly marketplaces: string };
export type Tallies = readonly GroupTally[];
type Counted = Pick<RequestRow, 'atMs' | 'keyId' | 'status' | 'credits' | 'latencyMs' | 'marketplaces'>;

const none: Tally = { requests: 0, errors: 0, latencies: {} };
const plus = (a: Tally, b: Tally): Tally => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  latencies: sumOf(a.latencies, b.latencies),
});
const sum = (tallies: readonly Tally[]): Tally => tallies.reduce(plus, none);

const groupOf = ({ atMs, keyId, marketplaces }: Counted) => ({
  day: utcDay(atMs),
  keyId,
  marketplaces: marketplaceSet(marketplaces ?? ''),
});

const tallyOf = (rows: readonly Counted[]): Tallies =>
  [...Map.groupBy(rows, (row) => Object.values(groupOf(row)).join('\n')).values()].flatMap((rows) =>
    rows.slice(0, 1).map((row) => ({
      ...groupOf(row),
      requests: rows.length,
      errors: rows.filter(({ status }) => status >= 400).length,
      // As the images beside it are counted: those of test keys are not.
      latencies: histogramOf(rows.filter(({ credits }) => credits > 0).map(({ latencyMs }) => latencyMs)),
    })),
  );

const isSameGroup = (a: GroupTally, b: GroupTally): boolean =>
  a.day === b.day && a.keyId === b.keyId && a.marketplaces === b.marketplaces;

export const withRequest = (tallies: Tallies, row: Counted): Tallies => {
  const more = tallyOf([row]);
  return [
    ...tallies.map((tally) => ({ ...tally, ...sum([tally, ...more.filter((one) => isSameGroup(tally, one))]) })),
    ...more.filter((one) => !tallies.some((tally) => isSameGroup(tally, one))),
  ];
};

/** Adds to the days' sums; the caller holds the transaction. */
export const addTallies = (sql: SqlStorage, tallies: Tallies): void => {
  for (const [day, ofDay] of Map.groupBy(tallies, (tally) => tally.day)) {
    const row = first<Stored>(sql, 'select * from requestDay where day = ?', day);
    const total = sum([...(row ? [read(row)] : []), ...ofDay]);
    put(sql, 'requestDay', { day, ...total, latencies: JSON.stringify(total.latencies) });
  }
  if (hasSplit(sql)) for (const tally of tallies) addToSplit(sql, tally);
};
/** The same for rows of the log, which are counted as such, so that the log's length is known without a scan. */
export const addToDays = (sql: SqlStorage, rows: readonly Counted[]): void => {
  addTallies(sql, tallyOf(rows));
  sql.exec('update history set requests = requests + ?', rows.length);
};

type Stored = { readonly day: string; readonly requests: number; readonly errors: number; readonly latencies: string };
const read = ({ requests, errors, latencies }: Stored): Tally => ({
  requests,
  errors,
  latencies: JSON.parse(latencies) as Histogram,
});

/** What is counted of a row. A history that had no room for its new tables lacks the marketplaces. */
export const countedColumns = (sql: SqlStorage): string =>
  `logId, atMs, keyId, status, credits, latencyMs, ${hasSplit(sql) ? 'marketplaces' : 'null as marketplaces'}`;

const unrolled = (sql: SqlStorage, max: number): (Counted & { readonly logId: string })[] =>
  all(
    sql,
    `select ${countedColumns(sql)} from request
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

/** What no sum has yet, or never will: rows of the log, and `uncounted`. */
const lateOf = (sql: SqlStorage, uncounted: Tallies): Tallies => [
  ...tallyOf(unrolled(sql, Number.MAX_SAFE_INTEGER)),
  ...uncounted,
];

const daysOf = (sql: SqlStorage, from: string, late: Tallies): Map<string, Tally> => {
  const days = new Map<string, Tally>();
  const add = (day: string, tally: Tally): void => void days.set(day, plus(days.get(day) ?? none, tally));
  for (const tally of late) if (tally.day >= from) add(tally.day, tally);
  for (const row of all<Stored>(sql, 'select * from requestDay where day >= ?', from)) add(row.day, read(row));
  return days;
};

/** From the UTC day of `sinceMs`, oldest first. `uncounted`: what the sums do not have yet and the log never will. */
export const requestsByDay = (sql: SqlStorage, sinceMs: number, uncounted: Tallies): RequestDay[] =>
  [...daysOf(sql, utcDay(sinceMs), lateOf(sql, uncounted))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, { requests, errors, latencies }]) => ({
      day,
      requests,
      errors,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
    }));

/** By period, key and marketplaces, in no order. */
export const requestsBySplit = (
  sql: SqlStorage,
  { from, to }: DayRange,
  period: UsagePeriod,
  uncounted: Tallies,
): RequestsBySplit => {
  const late = lateOf(sql, uncounted).filter(({ day }) => day <= to);
  const totals = new Map<string, RequestPeriod>();
  for (const [day, tally] of daysOf(sql, from, late)) {
    const start = periodStart(day, period);
    if (day <= to) totals.set(start, { start, ...plus(totals.get(start) ?? none, tally) });
  }
  const groups = new Map<string, RequestSplit>();
  const add = (tally: GroupTally): void => {
    const { keyId, marketplaces } = tally;
    const start = periodStart(tally.day, period);
    const place = [start, keyId, marketplaces].join('\n');
    groups.set(place, { start, keyId, marketplaces, ...plus(groups.get(place) ?? none, tally) });
  };
  for (const tally of splitInDays(sql, { from, to })) add(tally);
  for (const tally of late) if (tally.day >= from) add(tally);
  return { groups: [...groups.values()], all: [...totals.values()] };
};
