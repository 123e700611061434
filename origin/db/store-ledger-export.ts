/**
 * Stores exported ledger entries and batch summaries. A row already stored is left alone; one that differs from the
 * stored row is reported as conflicting.
 */
import type { BatchSummary, LedgerEntry, LedgerExport, LedgerExportResponse } from '../../shared/ledger-export.ts';
import type { Database } from './database.ts';

/** `existing` sees the rows as they were before the insert, because both run on one snapshot. */
const statement = (table: string, key: string, columns: string, compared: string): string => `
with sent as (select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)),
     inserted as (insert into ${table} (${columns}) select ${columns} from sent on conflict (${key}) do nothing returning ${key}),
     existing as (select s.${key} as id, (${compared.replaceAll(/(\w+)/g, 's.$1')}) is distinct from (${compared.replaceAll(/(\w+)/g, 't.$1')}) as differs
                    from sent s join ${table} t on t.${key} = s.${key})
select (select count(*)::int from inserted) as stored,
       (select count(*)::int from existing where not differs) as repeated,
       coalesce((select json_agg(id) from existing where differs), '[]') as conflicting`;

const ENTRY_COLUMNS = 'id, account_id, seq, kind, batch_id, image_id, credits, at, available, held, spent';
const BATCH_COLUMNS = 'batch_id, account_id, status, images, completed, failed, at';
const STORE_ENTRIES = statement('ledger_entries', 'id', ENTRY_COLUMNS, ENTRY_COLUMNS);
const STORE_BATCHES = statement('batches', 'batch_id', BATCH_COLUMNS, 'account_id, status, images, completed, failed');

const entryRow = ({ at_ms, balance, ...entry }: LedgerEntry) => ({
  ...entry,
  ...balance,
  at: new Date(at_ms).toISOString(),
});
const batchRow = ({ at_ms, ...batch }: BatchSummary) => ({ ...batch, at: new Date(at_ms).toISOString() });

/** The first of several rows with one id counts; the others would be repeats or conflicts of their own sending. */
const firstOfEach = <T>(rows: readonly T[], key: (row: T) => string): T[] => [
  ...new Map(rows.toReversed().map((row) => [key(row), row])).values(),
];

export const storeLedgerExport = async (database: Database, sent: LedgerExport): Promise<LedgerExportResponse> => {
  const total: LedgerExportResponse = { stored: 0, repeated: 0, conflicting: [] };
  const store = async (text: string, rows: readonly object[]): Promise<void> => {
    if (rows.length === 0) return;
    const [counts] = await database.query<LedgerExportResponse>(text, [JSON.stringify(rows)]);
    if (!counts) return;
    total.stored += counts.stored;
    total.repeated += counts.repeated;
    total.conflicting.push(...counts.conflicting);
  };
  await store(STORE_ENTRIES, firstOfEach(sent.entries, (entry) => entry.id).map(entryRow));
  await store(STORE_BATCHES, firstOfEach(sent.batches, (batch) => batch.batch_id).map(batchRow));
  return total;
};
