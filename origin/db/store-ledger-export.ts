/**
 * Stores exported ledger entries, batch summaries and checkpoints. A row already stored is left alone; one that differs
 * from the stored row is reported as conflicting, and noted until it comes as it is stored. Of checkpoints the newest is
 * kept.
 */
import type { BatchSummary, LedgerEntry, LedgerExport, LedgerExportResponse } from '../../shared/ledger-export.ts';
import type { Database } from './database.ts';

/** `existing` sees the rows as they were before the insert, because both run on one snapshot. */
const statement = (table: string, key: string, columns: string, compared: string): string => `
with sent as (select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)),
     inserted as (insert into ${table} (${columns}) select ${columns} from sent on conflict (${key}) do nothing returning ${key}),
     existing as (select s.${key} as id, to_jsonb(s) as sent, (${compared.replaceAll(/(\w+)/g, 's.$1')}) is distinct from (${compared.replaceAll(/(\w+)/g, 't.$1')}) as differs
                    from sent s join ${table} t on t.${key} = s.${key}),
     noted as (insert into ledger_conflicts as c (id, sent) select id, sent from existing where differs
                 on conflict (id) do update set sent = excluded.sent, last_at = clock_timestamp()),
     agreed as (delete from ledger_conflicts where id in (select id from existing where not differs))
select (select count(*)::int from inserted) as stored,
       (select count(*)::int from existing where not differs) as repeated,
       coalesce((select json_agg(id) from existing where differs), '[]') as conflicting`;

const ENTRY_COLUMNS = 'id, account_id, seq, kind, batch_id, image_id, images, credits, at, available, held, spent';
const BATCH_COLUMNS = 'batch_id, account_id, status, images, completed, failed, unheard, at';
const STORE_ENTRIES = statement('ledger_entries', 'id', ENTRY_COLUMNS, ENTRY_COLUMNS);
const STORE_BATCHES = statement('batches', 'batch_id', BATCH_COLUMNS, 'account_id, status, images, completed, failed');

/** An older checkpoint than the stored one is no conflict: it came late. One signed anew takes the place of the first. */
const STORE_CHECKPOINTS = `
with sent as (select account_id, through_seq, granted, available, held, spent, chain, key_id, signature
                from jsonb_populate_recordset(null::ledger_checkpoints, $1::jsonb)),
     differing as (select s.account_id, to_jsonb(s) as sent from sent s join ledger_checkpoints t using (account_id)
                    where s.through_seq = t.through_seq
                      and (s.chain, s.granted, s.available, s.held, s.spent) is distinct from (t.chain, t.granted, t.available, t.held, t.spent)),
     stored as (insert into ledger_checkpoints as t (account_id, through_seq, granted, available, held, spent, chain, key_id, signature)
                select * from sent s where not exists (select 1 from differing d where d.account_id = s.account_id)
                on conflict (account_id) do update
                   set through_seq = excluded.through_seq, granted = excluded.granted, available = excluded.available,
                       held = excluded.held, spent = excluded.spent, chain = excluded.chain, key_id = excluded.key_id,
                       signature = excluded.signature, received_at = clock_timestamp()
                 where (excluded.through_seq, excluded.key_id <> t.key_id) > (t.through_seq, false)
                returning account_id),
     noted as (insert into ledger_conflicts as c (id, sent) select account_id, sent from differing
                 on conflict (id) do update set sent = excluded.sent, last_at = clock_timestamp()),
     agreed as (delete from ledger_conflicts where id in (select account_id from sent) and id not in (select account_id from differing))
select (select count(*)::int from stored) as stored,
       (select count(*)::int from sent) - (select count(*)::int from stored) - (select count(*)::int from differing) as repeated,
       coalesce((select json_agg(account_id) from differing), '[]') as conflicting`;

const entryRow = ({ at_ms, balance, ...entry }: LedgerEntry) => ({
  ...entry,
  ...balance,
  at: new Date(at_ms).toISOString(),
});
const batchRow = ({ at_ms, unheard = 0, ...batch }: BatchSummary) => ({
  ...batch,
  unheard,
  at: new Date(at_ms).toISOString(),
});

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
  await store(STORE_CHECKPOINTS, sent.checkpoints ?? []);
  return total;
};
