/** Requests by UTC day, key and the marketplaces that they named, in their table. */
import { utcDay } from '../../../shared/clock.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import { type DayRange, OTHER } from '../period.ts';
import type { GroupTally, Tally } from './days.ts';
import { type Histogram, sumOf } from './latency.ts';

const { keptDays, setsPerDayMax, groupsPerDayMax } = edgeLimits.usageSplit;
const DAY_MS = 86_400_000;

type Stored = Omit<GroupTally, 'latencies'> & { readonly latencies: string };
type Place = Pick<GroupTally, 'day' | 'keyId' | 'marketplaces'>;

/** A history that had no room for its new tables lacks this one. */
export const hasSplit = (sql: SqlStorage): boolean =>
  first(sql, "select 1 from sqlite_master where name = 'requestSplit'") !== undefined;

const read = ({ latencies, ...row }: Stored): GroupTally => ({ ...row, latencies: JSON.parse(latencies) as Histogram });
const stored = (sql: SqlStorage, { day, keyId, marketplaces }: Place): GroupTally | undefined => {
  const row = first<Stored>(
    sql,
    'select * from requestSplit where day = ? and keyId = ? and marketplaces = ?',
    day,
    keyId,
    marketplaces,
  );
  return row && read(row);
};

/** The caller holds the transaction. */
export const addToSplit = (sql: SqlStorage, { requests, errors, latencies, ...own }: GroupTally): void => {
  const place = placeOf(sql, own);
  const before: Tally = stored(sql, place) ?? { requests: 0, errors: 0, latencies: {} };
  put(sql, 'requestSplit', {
    ...place,
    requests: before.requests + requests,
    errors: before.errors + errors,
    latencies: JSON.stringify(sumOf(before.latencies, latencies)),
  });
};

const placeOf = (sql: SqlStorage, own: Place): Place => {
  if (stored(sql, own)) return own;
  const groups = first<{ n: number }>(sql, 'select count(*) as n from requestSplit where day = ?', own.day)?.n ?? 0;
  const ofKey = { ...own, marketplaces: OTHER };
  if (groups < setsPerDayMax) return own;
  return groups < groupsPerDayMax || stored(sql, ofKey) ? ofKey : { ...ofKey, keyId: OTHER };
};

/** One at a time, as many as they are: all at once would not fit the object's memory. */
export function* splitInDays(sql: SqlStorage, { from, to }: DayRange): Generator<GroupTally> {
  if (!hasSplit(sql)) return;
  for (const row of sql.exec('select * from requestSplit where day >= ? and day <= ?', from, to))
    yield read(row as Stored);
}

/** Deletes the oldest day past its life. True where more may be left. */
export const sweepSplit = (sql: SqlStorage, nowMs: number): boolean =>
  hasSplit(sql) &&
  all(
    sql,
    'delete from requestSplit where day = (select min(day) from requestSplit) and day < ? returning 1',
    utcDay(nowMs - keptDays * DAY_MS),
  ).length > 0;

/** When the oldest day is past its life; never where there is none. */
export const splitDueMs = (sql: SqlStorage): number => {
  const day = hasSplit(sql)
    ? first<{ day: string | null }>(sql, 'select min(day) as day from requestSplit')?.day
    : null;
  return day ? Date.parse(day) + (keptDays + 1) * DAY_MS : Number.POSITIVE_INFINITY;
};
