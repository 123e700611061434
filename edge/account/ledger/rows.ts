/** The machine's view of the ledger's tables, the saving of its decisions, and what others read of them. */
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import { readLevel } from '../alerts.ts';
import { type Page, type PageRequest, pageBounds, pageOf } from '../page.ts';
import { addTestImages } from './image-split.ts';
import type { Entry, Hold, LedgerDecision, LedgerView, Resolution, SpendingCap, TestUse, Totals } from './types.ts';

export const ledgerView = (sql: SqlStorage): LedgerView => ({
  totals: () => totals(sql),
  hold: (batchId) => {
    const row =
      first<HoldRow>(sql, 'select * from openHold where batchId = ?', batchId) ??
      first<HoldRow>(sql, 'select * from hold where batchId = ?', batchId);
    return row && { ...row, resolved: row.resolved ?? resolvedBefore(sql, row) };
  },
  entry: (commandId) =>
    first<Entry>(sql, "select * from entry where commandId = ? and kind in ('grant', 'adjust')", commandId),
  testUse: () =>
    first<TestUse>(sql, 'select testDay as day, testImages as images from account') ?? { day: '', images: 0 },
  caps: (keyId) => all<SpendingCap>(sql, CAPS, keyId),
  alertLevel: () => readLevel(sql),
});

/** Of the key and of those that made it, which are as many as an account has keys at most. */
const CAPS = `
  with recursive maker(keyId) as (
    values (?)
    union
    select createdBy from apiKey join maker using (keyId) where createdBy is not null
  )
  select keyId, creditsPerDayMax as creditsMax, capDay as day, creditsOfDay as credits
    from maker join apiKey using (keyId) where creditsPerDayMax is not null`;

type HoldRow = Omit<Hold, 'resolved'> & { readonly resolved: string | null };

/** A hold from before `resolved` has a row for each image of it that was posted or voided. */
const resolvedBefore = (sql: SqlStorage, { batchId, images }: HoldRow): string => {
  const letters = Array.from({ length: images }, () => '.');
  const rows = all<{ imageIndex: number; resolvedAs: Resolution }>(
    sql,
    'select imageIndex, resolvedAs from resolution where batchId = ?',
    batchId,
  );
  for (const { imageIndex, resolvedAs } of rows) letters[imageIndex] = resolvedAs === 'posted' ? 'p' : 'v';
  return letters.join('');
};

/** Adds the account's one row with all totals at 0; an existing row stays as it is. */
export const openBooks = (
  sql: SqlStorage,
  { accountId, label }: { readonly accountId: string; readonly label: string },
  nowMs: number,
  housekeepingAtMs: number,
): void => {
  sql.exec(
    'insert into account (id, accountId, label, createdAtMs, granted, available, held, spent, entries, housekeepingAtMs) values (1, ?, ?, ?, 0, 0, 0, 0, 0, ?) on conflict do nothing',
    accountId,
    label,
    nowMs,
    housekeepingAtMs,
  );
};

export const totals = (sql: SqlStorage): Totals => {
  const row = first<Totals>(
    sql,
    'select granted, available, held, spent, entries, pendingHolds, queuedHolds, windows from account',
  );
  if (!row) throw new Error('the account was never opened');
  return row;
};

/**
 * Saves all rows of a decision; the caller holds the transaction. Entries are exported by `exportDueAtMs`, unless an
 * export is due sooner.
 */
export const saveDecision = (sql: SqlStorage, decision: LedgerDecision, exportDueAtMs: number): void => {
  const { totals: after, hold, entries = [], testUse, caps = [] } = decision;
  if (after) {
    sql.exec(
      `update account set granted = ?, available = ?, held = ?, spent = ?, entries = ?, pendingHolds = ?, queuedHolds = ?,
         windows = ?, testDay = coalesce(?, testDay), testImages = coalesce(?, testImages),
         exportDueAtMs = coalesce(exportDueAtMs, ?), holdCheckAtMs = coalesce(holdCheckAtMs, ?)`,
      after.granted,
      after.available,
      after.held,
      after.spent,
      after.entries,
      after.pendingHolds,
      after.queuedHolds,
      after.windows,
      testUse?.day ?? null,
      testUse?.images ?? null,
      entries.length > 0 ? exportDueAtMs : null,
      hold?.checkAtMs ?? null,
    );
  }
  if (hold && hold.pending > 0) put(sql, 'openHold', hold);
  else if (hold) {
    const closed = all<Hold>(sql, 'delete from openHold where batchId = ? returning *', hold.batchId);
    put(sql, 'hold', hold);
    for (const before of closed) if (hold.mode === 'test') addTestImages(sql, before, hold);
  }
  for (const { keyId, day, credits } of caps)
    sql.exec('update apiKey set capDay = ?, creditsOfDay = ? where keyId = ?', day, credits, keyId);
  for (const entry of entries)
    sql.exec('insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...entryColumns(entry));
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
  entry.images,
  entry.ended,
];

export const pendingHolds = (sql: SqlStorage): Hold[] =>
  all<Hold>(sql, 'select * from openHold order by openedAtMs limit ?', edgeLimits.ledger.commandRowsPerCall);

export const dueHolds = (sql: SqlStorage, nowMs: number): Hold[] =>
  all<Hold>(
    sql,
    'select * from openHold where checkAtMs <= ? order by checkAtMs limit ?',
    nowMs,
    edgeLimits.ledger.holdChecksPerAlarm,
  );

/** Kept beside the totals: not later than the first hold is due. */
export const nextHoldCheckMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select holdCheckAtMs as atMs from account')?.atMs ?? null;

export const noteHoldsChecked = (sql: SqlStorage): void => {
  sql.exec('update account set holdCheckAtMs = (select min(checkAtMs) from openHold)');
};

export const entryPage = (sql: SqlStorage, request: PageRequest & { readonly kind?: Entry['kind'] }): Page<Entry> => {
  const { before, max } = pageBounds(request);
  const rows = request.kind
    ? all<Entry>(
        sql,
        'select * from entry where sequence < ? and kind = ? order by sequence desc limit ?',
        before,
        request.kind,
        max + 1,
      )
    : all<Entry>(sql, 'select * from entry where sequence < ? order by sequence desc limit ?', before, max + 1);
  return pageOf(rows, max, (row) => row.sequence);
};
