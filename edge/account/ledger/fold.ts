/**
 * The ledger stays small: lines that origin has, that are in the daily sums, and that are old or too many, are deleted and
 * a signed checkpoint stands for them. A line that origin holds otherwise stays, and so does what follows it. Grants and adjustments stay for ever: they are few, they make their commands
 * idempotent, and payments are compared with them. Holds go a month after they were resolved: no saga lives longer.
 */

import { firstId } from '../../../shared/ids.ts';
import { chained } from '../../../shared/ledger-checkpoint.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import { checkpoint } from './checkpoint-rows.ts';
import type { Ledger } from './ledger.ts';
import { exportRow, noteChecksDue, openAccount } from './outbox.ts';
import type { Entry } from './types.ts';

const { entriesMax, entriesKeptMs, foldRowsMax, holdsKeptMs, sweepImagesMax } = edgeLimits.ledger;

/** The next lines that may go, oldest first. */
const foldable = (sql: SqlStorage, throughSequence: number, nowMs: number): Entry[] => {
  const next = (max: number): Entry[] =>
    all<Entry>(
      sql,
      `select * from entry
        where sequence > ? and sequence <= (select min(exportedThrough, rolledThrough) from account)
          and sequence < coalesce((select min(sequence) from exportConflict), ${Number.MAX_SAFE_INTEGER})
        order by sequence limit ?`,
      throughSequence,
      max,
    );
  const { entries } = first<{ entries: number }>(sql, 'select entries from account') ?? { entries: 0 };
  const stays = ({ sequence, createdAtMs }: Entry): boolean =>
    sequence > entries - entriesMax && createdAtMs >= nowMs - entriesKeptMs;
  const [oldest] = next(1);
  if (!oldest || stays(oldest)) return [];
  const rows = next(foldRowsMax);
  const end = rows.findIndex(stays);
  return end < 0 ? rows : rows.slice(0, end);
};

/** Folds the next lines into the checkpoint, at most `edgeLimits.ledger.foldRowsMax`. True where more may be left. */
export const foldEntries = async ({ storage, now, services }: Ledger): Promise<boolean> => {
  const { sql } = storage;
  const before = checkpoint(sql);
  const rows = foldable(sql, before?.throughSequence ?? 0, now());
  const last = rows.at(-1);
  if (!last) return false;
  const { accountId } = openAccount(sql);
  const lines = rows.map((row) => exportRow(row, accountId));
  const { sequence: throughSequence, granted, available, held, spent } = last;
  const chain = await chained(before?.chain ?? '', lines);
  const after = { throughSequence, granted, available, held, spent, chain };
  const signature = await services.signCheckpoint(accountId, after);
  storage.transactionSync(() => {
    // Another run may have come here while the digests were made.
    if (checkpoint(sql)?.throughSequence !== before?.throughSequence) return;
    put(sql, 'checkpoint', { id: 1, ...after, ...signature, madeAtMs: now() });
    noteChecksDue(sql, now());
    sql.exec(
      "delete from entry where sequence > ? and sequence <= ? and kind not in ('grant', 'adjust')",
      before?.throughSequence ?? 0,
      throughSequence,
    );
  });
  return rows.length === foldRowsMax;
};

const DAY_MS = 86_400_000;

/** Of some old holds those with `sweepImagesMax` images together, or one. Batch ids sort by time. */
const OLD_HOLDS = `
  select batchId from (
    select batchId, sum(images) over (order by batchId) - images as imagesBefore from (
      select batchId, images from hold
        where batchId < ? and pending = 0 and coalesce(closedAtMs, openedAtMs + ${DAY_MS}) < ? order by batchId limit 1000
    )
  ) where imagesBefore < ?`;

/** Lines are added up by key while their hold is there: one that was closed before all lines that are not yet, may go. */
const addedUpUntilMs = (sql: SqlStorage): number =>
  first<{ atMs: number | null }>(
    sql,
    // Without the plus SQLite would walk all lines by time.
    'select min(+createdAtMs) as atMs from entry where sequence > (select rolledThrough from account)',
  )?.atMs ?? Number.MAX_SAFE_INTEGER;

/** Deletes holds resolved long ago with what is known of their images. True where more may be left. */
export const sweepHolds = (storage: DurableObjectStorage, nowMs: number): boolean => {
  const { sql } = storage;
  const beforeMs = Math.min(nowMs - holdsKeptMs, addedUpUntilMs(sql));
  const oldest = firstId('batch', beforeMs);
  return storage.transactionSync(() => {
    const gone = all<{ batchId: string }>(sql, OLD_HOLDS, oldest, beforeMs, sweepImagesMax);
    for (const { batchId } of gone) {
      sql.exec('delete from resolution where batchId = ?', batchId);
      sql.exec('delete from hold where batchId = ?', batchId);
    }
    return gone.length > 0;
  });
};
