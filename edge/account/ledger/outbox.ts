/**
 * The export to origin. The entries are their own outbox: `exportedThrough` is the last sequence origin has confirmed.
 * Delivery is at-least-once; origin knows a row by its id.
 */
import { ID_PREFIX, imageId } from '../../../shared/ids.ts';
import type { LedgerEntry, LedgerExport } from '../../../shared/ledger-export.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { EndedBatch } from './port.ts';
import type { Entry } from './types.ts';

/** When conflicting lines or the checkpoint are to be sent; see checks.ts. */
export const checksDueAtMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select checksDueAtMs as atMs from account')?.atMs ?? null;

/** An earlier time stays. */
export const noteChecksDue = (sql: SqlStorage, atMs: number): void => {
  sql.exec('update account set checksDueAtMs = min(?1, coalesce(checksDueAtMs, ?1))', atMs);
};

/** When anything is to be sent to origin: one row read for both. */
export const nextSendMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(
    sql,
    'select min(coalesce(exportDueAtMs, checksDueAtMs), coalesce(checksDueAtMs, exportDueAtMs)) as atMs from account',
  )?.atMs ?? null;

export const nextExportMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select exportDueAtMs as atMs from account')?.atMs ?? null;

/** `sooner` keeps an earlier time; `later` replaces it after a failure. */
export const noteExportDue = (sql: SqlStorage, atMs: number, which: 'sooner' | 'later' = 'sooner'): void => {
  sql.exec(
    which === 'sooner'
      ? 'update account set exportDueAtMs = ? where exportDueAtMs is null'
      : 'update account set exportDueAtMs = ?',
    atMs,
  );
};

export const noteEnded = (sql: SqlStorage, ended: EndedBatch, dueAtMs: number): void => {
  sql.exec('insert into endedBatch values (?, ?) on conflict do nothing', ended.batchId, JSON.stringify(ended));
  noteExportDue(sql, dueAtMs);
};

export const openAccount = (sql: SqlStorage): { readonly accountId: string } => {
  const row = first<{ accountId: string }>(sql, 'select accountId from account');
  if (!row) throw new Error('the account was never opened');
  return row;
};

/**
 * The oldest rows not yet confirmed, at most `limits.ledger.outboxBatchMax` of each kind. A batch's end comes with the
 * line that ended it, or from a table where it came with none.
 */
export const nextExport = (sql: SqlStorage): LedgerExport => {
  const { accountId } = openAccount(sql);
  const rows = all<Entry>(
    sql,
    'select * from entry where sequence > (select exportedThrough from account) order by sequence limit ?',
    limits.ledger.outboxBatchMax,
  );
  const withLines = rows.flatMap(({ ended }) => (ended === null ? [] : [ended]));
  const apart = all<{ summary: string }>(
    sql,
    'select summary from endedBatch order by batchId limit ?',
    limits.ledger.outboxBatchMax - withLines.length,
  );
  const ended = [...apart.map(({ summary }) => summary), ...withLines];
  return {
    entries: rows.map((row) => exportRow(row, accountId)),
    batches: ended.map((summary) => {
      const { batchId, atMs, slot: _slot, ...counts } = JSON.parse(summary) as EndedBatch;
      return { batch_id: batchId, account_id: accountId, ...counts, at_ms: atMs };
    }),
  };
};

/**
 * Notes what origin confirmed; the next rows follow at once while there are any. Lines that it holds otherwise are noted
 * apart: they are sent again, and not folded before it agrees.
 */
export const confirmExport = (
  sql: SqlStorage,
  rows: LedgerExport,
  conflicting: readonly string[],
  nowMs: number,
): void => {
  const last = rows.entries.at(-1);
  for (const { id, seq } of rows.entries)
    if (conflicting.includes(id)) {
      sql.exec('insert into exportConflict values (?) on conflict do nothing', seq);
      noteChecksDue(sql, nowMs + edgeLimits.ledger.conflictRetryMs);
    }
  if (last) sql.exec('update account set exportedThrough = ?', last.seq);
  for (const { batch_id } of rows.batches) sql.exec('delete from endedBatch where batchId = ?', batch_id);
  const left = first(
    sql,
    'select 1 from entry where sequence > (select exportedThrough from account) union all select 1 from endedBatch limit 1',
  );
  sql.exec('update account set exportDueAtMs = ?', left ? nowMs : null);
};

/** A release voids images that were never run and names none of them; an adjustment is a refund or, above 0, a grant. */
export const exportRow = (row: Entry, accountId: string): LedgerEntry => ({
  id: `${ID_PREFIX.ledgerEntry}_${accountId}_${row.sequence}`,
  account_id: accountId,
  seq: row.sequence,
  kind: exportKind(row),
  ...(row.batchId === null ? {} : { batch_id: row.batchId }),
  ...(row.batchId === null || row.imageIndex === null ? {} : { image_id: imageId(row.batchId, row.imageIndex) }),
  ...(row.images === null ? {} : { images: row.images }),
  credits: Math.abs(row.credits),
  at_ms: row.createdAtMs,
  balance: { available: row.available, held: row.held, spent: row.spent },
});

const exportKind = ({ kind, credits }: Entry): LedgerEntry['kind'] => {
  if (kind === 'adjust') return credits < 0 ? 'refund' : 'grant';
  return kind === 'release' ? 'void' : kind;
};
