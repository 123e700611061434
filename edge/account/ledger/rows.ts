/** The machine's view of the tables, and the saving of its decisions. */

import { limits } from '../../../shared/limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import type { Page, PageRequest } from '../port.ts';
import type { Entry, Hold, LedgerDecision, LedgerView, Resolution, Totals } from './machine.ts';

export const ledgerView = (sql: SqlStorage): LedgerView => ({
  totals: () => totals(sql),
  hold: (batchId) => first<Hold>(sql, 'select * from hold where batchId = ?', batchId),
  resolution: (batchId, index) =>
    first<{ resolvedAs: Resolution }>(
      sql,
      'select resolvedAs from resolution where batchId = ? and imageIndex = ?',
      batchId,
      index,
    )?.resolvedAs,
  entry: (commandId) => first<Entry>(sql, 'select * from entry where commandId = ?', commandId),
});

export const totals = (sql: SqlStorage): Totals => {
  const row = first<Totals>(sql, 'select granted, available, held, spent, entries from account');
  if (!row) throw new Error('the account was never opened');
  return row;
};

/** Saves all rows of a decision; the caller holds the transaction. */
export const saveDecision = (sql: SqlStorage, decision: LedgerDecision): void => {
  const { totals: after, hold, resolution, entry } = decision;
  if (after) {
    sql.exec(
      'update account set granted = ?, available = ?, held = ?, spent = ?, entries = ?',
      after.granted,
      after.available,
      after.held,
      after.spent,
      after.entries,
    );
  }
  if (hold) put(sql, 'hold', hold);
  if (resolution)
    sql.exec('insert into resolution values (?, ?, ?)', resolution.batchId, resolution.index, resolution.as);
  if (entry) sql.exec('insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...entryColumns(entry));
};

const entryColumns = (entry: Entry): SqlStorageValue[] => [
  entry.sequence,
  entry.commandId,
  entry.kind,
  entry.credits,
  entry.granted,
  entry.available,
  entry.held,
  entry.spent,
  entry.batchId,
  entry.imageIndex,
  entry.reason,
  entry.reference,
  entry.createdAtMs,
];

export const pendingHolds = (sql: SqlStorage): Hold[] =>
  all<Hold>(sql, 'select * from hold where pending > 0 order by openedAtMs limit ?', limits.ledger.commandRowsPerCall);

export const dueHolds = (sql: SqlStorage, nowMs: number): Hold[] =>
  all<Hold>(
    sql,
    'select * from hold where checkAtMs <= ? order by checkAtMs limit ?',
    nowMs,
    limits.ledger.holdChecksPerAlarm,
  );

export const entryPage = (sql: SqlStorage, page: PageRequest & { readonly kind?: Entry['kind'] }): Page<Entry> => {
  const max = Math.min(page.max ?? limits.requestLog.pageRowsMax, limits.requestLog.pageRowsMax);
  const before = page.cursor ? Number(page.cursor) : Number.MAX_SAFE_INTEGER;
  const rows = page.kind
    ? all<Entry>(
        sql,
        'select * from entry where sequence < ? and kind = ? order by sequence desc limit ?',
        before,
        page.kind,
        max + 1,
      )
    : all<Entry>(sql, 'select * from entry where sequence < ? order by sequence desc limit ?', before, max + 1);
  const shown = rows.slice(0, max);
  return { rows: shown, next: rows.length > max ? String(shown.at(-1)?.sequence) : null };
};
