/**
 * Images posted and voided by UTC day. Entries are added up in bulk by the alarm, each once: `rolledThrough` is the last
 * sequence that is in the sums. What came after it is read from the entries themselves, a bounded number of them.
 */
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { DayRange } from '../period.ts';
import { addImages } from './image-split.ts';
import type { SettledDay } from './port.ts';
import { addByKey } from './spent-by-key.ts';

const { rollUpEntriesMin, rollUpRowsMax } = edgeLimits.ledger;

const DAY = `strftime('%Y-%m-%d', createdAtMs / 1000, 'unixepoch')`;
const SUMS = `${DAY} as day,
  sum(case kind when 'post' then credits else 0 end) as posted,
  sum(case kind when 'void' then credits else 0 end) as voided`;

const SETTLED = `
  select day, sum(posted) as posted, sum(voided) as voided from (
    select day, posted, voided from settledDay where day >= ?1 and day <= ?2
    union all
    select ${SUMS} from entry
      where sequence > (select rolledThrough from account) and kind in ('post', 'void')
        and ${DAY} >= ?1 and ${DAY} <= ?2 group by day
  ) group by day order by day`;

/** After every day. */
const NO_END = '~';

/** Reads one row a day and the entries not yet added up. */
export const settledInDays = (sql: SqlStorage, { from, to }: DayRange): SettledDay[] =>
  all<SettledDay>(sql, SETTLED, from, to);
/** From the day of `sinceMs` on. */
export const settledByDay = (sql: SqlStorage, sinceMs: number): SettledDay[] =>
  settledInDays(sql, { from: new Date(sinceMs).toISOString().slice(0, 10), to: NO_END });

type Progress = { readonly rolledThrough: number; readonly entries: number };
const progress = (sql: SqlStorage): Progress =>
  first<Progress>(sql, 'select rolledThrough, entries from account') ?? { rolledThrough: 0, entries: 0 };

/** So many entries wait that they are to be added up now. */
export const isRollUpDue = (sql: SqlStorage): boolean => {
  const { rolledThrough, entries } = progress(sql);
  return entries - rolledThrough >= rollUpEntriesMin;
};

const ADD = `
  insert into settledDay select ${SUMS} from entry
    where sequence > ? and sequence <= ? and kind in ('post', 'void') group by day
  on conflict do update set posted = posted + excluded.posted, voided = voided + excluded.voided`;

/** Adds up the next entries, at most `edgeLimits.ledger.rollUpRowsMax` of them: `more` where some are left. */
export const rollUpDays = (storage: DurableObjectStorage): 'nothing' | 'done' | 'more' => {
  const { sql } = storage;
  const { rolledThrough, entries } = progress(sql);
  if (rolledThrough === entries) return 'nothing';
  const through = Math.min(entries, rolledThrough + rollUpRowsMax);
  storage.transactionSync(() => {
    sql.exec(ADD, rolledThrough, through);
    addByKey(sql, rolledThrough, through);
    addImages(sql, rolledThrough, through);
    sql.exec('update account set rolledThrough = ?', through);
  });
  return through < entries ? 'more' : 'done';
};
