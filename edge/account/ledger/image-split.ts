/**
 * Images settled by UTC day, kind of key, key and the marketplaces that they were made for. Those of live keys are read
 * off the ledger's own lines, in the transaction in which these are added up by day, so that they add up to the ledger
 * whatever is called again or lost. A test key moves no credit and leaves no line: its images are counted when their hold
 * closes, which it does once.
 */
import { utcDay } from '../../../shared/clock.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { type DayRange, OTHER, periodStart, UNKNOWN_KEY, UNKNOWN_SET, type UsagePeriod } from '../period.ts';
import type { ImageSplit, SettledDay } from './port.ts';
import type { Hold } from './types.ts';

const { keptDays, setsPerDayMax, groupsPerDayMax } = edgeLimits.usageSplit;
const DAY_MS = 86_400_000;

type Group = Omit<ImageSplit, 'start'> & { readonly day: string };

/** Lines of a range of sequences, by their holds, which stay until their lines are added up. */
const LINES = `
  select strftime('%Y-%m-%d', entry.createdAtMs / 1000, 'unixepoch') as day, 'live' as mode,
      coalesce(openHold.keyId, hold.keyId, '${UNKNOWN_KEY}') as keyId,
      coalesce(openHold.marketplaces, hold.marketplaces, '${UNKNOWN_SET}') as marketplaces,
      sum(case kind when 'post' then credits else 0 end) as completed,
      sum(case kind when 'void' then credits else 0 end) as failed
    from entry left join openHold using (batchId) left join hold on hold.batchId = entry.batchId
    where sequence > ? and sequence <= ? and kind in ('post', 'void') group by 1, 3, 4`;

/** The caller holds the transaction, in which it notes how far lines are added up. */
export const addImages = (sql: SqlStorage, after: number, through: number): void => {
  for (const group of all<Group>(sql, LINES, after, through)) addGroup(sql, group);
};

/** What a release returned was never run, and counts as little as that of a live key. */
export const addTestImages = (sql: SqlStorage, before: Hold, closed: Hold): void => {
  const { keyId, marketplaces, posted: completed, closedAtMs } = closed;
  const failed = closed.state === 'released' ? before.voided : closed.voided;
  if (closedAtMs === null || completed + failed === 0) return;
  const group = { keyId: keyId ?? UNKNOWN_KEY, marketplaces: marketplaces ?? UNKNOWN_SET, completed, failed };
  addGroup(sql, { day: utcDay(closedAtMs), mode: 'test', ...group });
};

const addGroup = (sql: SqlStorage, group: Group): void => {
  const { day, mode, completed, failed } = group;
  const { keyId, marketplaces } = placeOf(sql, group);
  sql.exec(
    `insert into imageSplit values (?, ?, ?, ?, ?, ?)
      on conflict do update set completed = completed + excluded.completed, failed = failed + excluded.failed`,
    day,
    mode,
    keyId,
    marketplaces,
    completed,
    failed,
  );
};

type Place = Pick<Group, 'keyId' | 'marketplaces'>;

const placeOf = (sql: SqlStorage, { day, mode, keyId, marketplaces }: Group): Place => {
  const has = (place: Place): boolean =>
    first(
      sql,
      'select 1 from imageSplit where day = ? and mode = ? and keyId = ? and marketplaces = ?',
      day,
      mode,
      place.keyId,
      place.marketplaces,
    ) !== undefined;
  const own = { keyId, marketplaces };
  if (has(own)) return own;
  const groups = first<{ n: number }>(sql, 'select count(*) as n from imageSplit where day = ?', day)?.n ?? 0;
  const ofKey = { keyId, marketplaces: OTHER };
  if (groups < setsPerDayMax) return own;
  return groups < groupsPerDayMax || has(ofKey) ? ofKey : { keyId: OTHER, marketplaces: OTHER };
};

const groupsIn = (sql: SqlStorage, { from, to }: DayRange): Group[] => {
  const { rolledThrough = 0 } = first<{ rolledThrough: number }>(sql, 'select rolledThrough from account') ?? {};
  const late = all<Group>(sql, LINES, rolledThrough, Number.MAX_SAFE_INTEGER);
  return [
    ...all<Group>(sql, 'select * from imageSplit where day >= ? and day <= ?', from, to),
    ...late.filter(({ day }) => day >= from && day <= to),
  ];
};

/** What the days' sums have and no group does: lines from before there were groups. */
const notSplit = (settled: readonly SettledDay[], groups: readonly Group[]): Group[] => {
  const live = Map.groupBy(
    groups.filter(({ mode }) => mode === 'live'),
    ({ day }) => day,
  );
  return settled.flatMap(({ day, posted, voided }): Group[] => {
    const known = live.get(day) ?? [];
    const completed = posted - known.reduce((sum, group) => sum + group.completed, 0);
    const failed = voided - known.reduce((sum, group) => sum + group.failed, 0);
    if (completed === 0 && failed === 0) return [];
    return [{ day, mode: 'live', keyId: UNKNOWN_KEY, marketplaces: UNKNOWN_SET, completed, failed }];
  });
};

/** Reads the groups of each day, and the lines not yet added up. `settled`: all that was settled in these days. */
export const imagesBySplit = (
  sql: SqlStorage,
  settled: readonly SettledDay[],
  range: DayRange,
  period: UsagePeriod,
): ImageSplit[] => {
  const groups = groupsIn(sql, range);
  const sums = new Map<string, ImageSplit>();
  for (const { day, completed, failed, ...group } of [...groups, ...notSplit(settled, groups)]) {
    const { mode, keyId, marketplaces } = group;
    const start = periodStart(day, period);
    const place = [start, mode, keyId, marketplaces].join('\n');
    const before = sums.get(place) ?? { completed: 0, failed: 0 };
    sums.set(place, {
      start,
      ...group,
      completed: before.completed + completed,
      failed: before.failed + failed,
    });
  }
  return [...sums.values()];
};

/** Deletes the oldest day past its life. True where more may be left. */
export const sweepImageSplit = (sql: SqlStorage, nowMs: number): boolean =>
  all(
    sql,
    'delete from imageSplit where day = (select min(day) from imageSplit) and day < ? returning 1',
    utcDay(nowMs - keptDays * DAY_MS),
  ).length > 0;
