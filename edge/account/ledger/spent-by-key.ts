/**
 * Credits spent by month and key, UTC, by when an image was posted. Lines are added up by the alarm together with the
 * daily sums, while the hold that names their key is still there; those after that are read as they are.
 */
import { all, first } from '../../sqlite/rows.ts';
import type { SpentMonth } from './port.ts';

const MONTH = `strftime('%Y-%m', createdAtMs / 1000, 'unixepoch')`;
/** '' where the hold is gone or from before holds named their key. */
const KEY = `coalesce((select keyId from openHold where openHold.batchId = entry.batchId),
  (select keyId from hold where hold.batchId = entry.batchId), '')`;

const ADD = `
  insert into spentMonth (month, keyId, credits)
    select ${MONTH} as month, ${KEY} as keyId, sum(credits) from entry
      where sequence > ? and sequence <= ? and kind = 'post' group by 1, 2
  on conflict do update set credits = credits + excluded.credits`;

/** The caller holds the transaction, in which it notes how far lines are added up. */
export const addByKey = (sql: SqlStorage, after: number, through: number): void => {
  sql.exec(ADD, after, through);
};

const BY_KEY = `
  select keyId, sum(credits) as credits from (
    select keyId, credits from spentMonth where month = ?1
    union all
    select ${KEY}, credits from entry
      where sequence > (select rolledThrough from account) and kind = 'post' and ${MONTH} = ?1
  ) group by keyId order by credits desc, keyId`;

/** All that was posted in the month, by the same lines' daily sums: also what no key is known for. */
const TOTAL = `
  select coalesce(sum(credits), 0) as credits from (
    select posted as credits from settledDay where day >= ?1 || '-01' and day <= ?1 || '-31'
    union all
    select credits from entry
      where sequence > (select rolledThrough from account) and kind = 'post' and ${MONTH} = ?1
  )`;

/** Reads a row for each key and day, and the lines not yet added up. */
export const spentInMonth = (sql: SqlStorage, month: string): SpentMonth => ({
  credits: first<{ credits: number }>(sql, TOTAL, month)?.credits ?? 0,
  keys: all<SpentMonth['keys'][number]>(sql, BY_KEY, month).filter(({ keyId }) => keyId !== ''),
});
