/**
 * What lets origin check the ledger. Lines that it holds otherwise are sent again until it agrees, each time with an error
 * in the log: nothing is corrected by itself. The checkpoint is sent when it moves on and once a day, so that origin can
 * verify the lines that only it has.
 */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { checkpoint, signAnew } from './checkpoint-rows.ts';
import type { Ledger } from './ledger.ts';
import { checksDueAtMs, exportRow, openAccount } from './outbox.ts';
import type { Entry } from './types.ts';

/** False where origin did not take the call. */
type IsTaken = boolean;

const sendConflicts = async ({ storage: { sql }, services }: Ledger): Promise<IsTaken> => {
  const { accountId } = openAccount(sql);
  const rows = all<Entry>(
    sql,
    'select * from entry where sequence in (select sequence from exportConflict order by sequence limit ?)',
    limits.ledger.outboxBatchMax,
  );
  if (rows.length === 0) return true;
  const entries = rows.map((row) => exportRow(row, accountId));
  const reply = await services.exportLedger({ entries, batches: [] });
  if (!reply.isStored) return false;
  const agreed = entries.filter(({ id }) => !reply.conflicting.includes(id));
  for (const { seq } of agreed) sql.exec('delete from exportConflict where sequence = ?', seq);
  return true;
};

const sendCheckpoint = async ({ storage: { sql }, services }: Ledger): Promise<IsTaken> => {
  const stored = checkpoint(sql);
  if (!stored) return true;
  const { accountId } = openAccount(sql);
  const { throughSequence, granted, available, held, spent, chain } = stored;
  const { keyId, signature } = await services.signCheckpoint(accountId, stored);
  if (keyId !== stored.keyId && checkpoint(sql)?.throughSequence === throughSequence)
    signAnew(sql, { keyId, signature });
  const checkpoints = [
    {
      account_id: accountId,
      through_seq: throughSequence,
      granted,
      available,
      held,
      spent,
      chain,
      key_id: keyId,
      signature,
    },
  ];
  return (await services.exportLedger({ entries: [], batches: [], checkpoints })).isStored;
};

export const runChecks = async (ledger: Ledger): Promise<void> => {
  const { sql } = ledger.storage;
  const dueMs = checksDueAtMs(sql);
  if (dueMs === null || dueMs > ledger.now()) return;
  const before = checkpoint(sql)?.throughSequence;
  const isTaken = (await sendConflicts(ledger)) && (await sendCheckpoint(ledger));
  const isLeft = first(sql, 'select 1 from exportConflict limit 1') !== undefined;
  const retryMs = isTaken ? edgeLimits.ledger.conflictRetryMs : limits.ledger.outboxRetryMs;
  // Lines may have been folded meanwhile: then the new checkpoint is due as it was noted.
  if (checkpoint(sql)?.throughSequence !== before) return;
  sql.exec('update account set checksDueAtMs = ?', isTaken && !isLeft ? null : ledger.now() + retryMs);
};
