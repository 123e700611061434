/**
 * What the account's own object still has from the time before its history had an object of its own. Its lines of the log
 * move there, a bounded number at a time, until none is left; its Idempotency-Key records are read there when their
 * request comes again, and end with their day. To be removed, with both tables, a month after that release.
 */
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { storedRecord, sweepRecords } from '../idempotency/rows.ts';
import type { RequestRow } from '../requests/port.ts';
import type { HistoryPort, OlderRecord, OlderRecords } from './port.ts';

export const olderRecord = (sql: SqlStorage, request: Parameters<OlderRecords['olderRecord']>[0]): OlderRecord => ({
  record: storedRecord(sql, request) ?? null,
  any: first(sql, 'select 1 from idempotency limit 1') !== undefined,
});

export const sweepOlderRecords = (sql: SqlStorage, nowMs: number): boolean => sweepRecords(sql, nowMs);

/** Whether lines of the log are still to be moved. */
export const hasOlderRequests = (sql: SqlStorage): boolean => first(sql, 'select 1 from request limit 1') !== undefined;

type NumberedRow = RequestRow & { readonly row: number };

/** Deletes a line only once the history has it. */
export const moveRequests = async (
  sql: SqlStorage,
  historyOf: (accountId: string) => Pick<HistoryPort, 'moveIn'>,
): Promise<void> => {
  const rows = all<NumberedRow>(sql, 'select * from request order by row limit ?', edgeLimits.ledger.movedRowsPerCall);
  const last = rows.at(-1);
  if (!last) return;
  const accountId = first<{ accountId: string }>(sql, 'select accountId from account')?.accountId;
  if (accountId === undefined) throw new Error('an account without its row');
  await historyOf(accountId).moveIn(rows.map(({ row: _row, ...request }) => request));
  sql.exec('delete from request where row <= ?', last.row);
};
