/** Reads an account's exported ledger lines back, newest first. */
import type { LedgerArchiveRequest, LedgerArchiveResponse } from '../../shared/ledger-archive.ts';
import type { LedgerEntry } from '../../shared/ledger-export.ts';
import type { Database } from './database.ts';

/** `order by seq` alone would sort all lines of the account by what is selected under that name. */
const LINES = `
select id, seq::double precision as seq, kind, batch_id, image_id, images, credits::double precision as credits,
       round(extract(epoch from at) * 1000)::double precision as at_ms, available::double precision as available,
       held::double precision as held, spent::double precision as spent
  from ledger_entries e where e.account_id = $1 and e.seq < $2 order by e.seq desc limit $3`;

type Row = Pick<LedgerEntry, 'id' | 'seq' | 'kind' | 'credits' | 'at_ms'> &
  LedgerEntry['balance'] & {
    readonly batch_id: string | null;
    readonly image_id: string | null;
    readonly images: string | null;
  };

export const readLedgerArchive = async (
  database: Database,
  { account_id, before, max }: LedgerArchiveRequest,
): Promise<LedgerArchiveResponse> => {
  const rows = await database.query<Row>(LINES, [account_id, before, max]);
  const lines = rows.map(({ batch_id, image_id, images, available, held, spent, ...row }) => ({
    ...row,
    account_id,
    ...(batch_id === null ? {} : { batch_id }),
    ...(image_id === null ? {} : { image_id }),
    ...(images === null ? {} : { images }),
    balance: { available, held, spent },
  }));
  return { lines };
};
