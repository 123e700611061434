/**
 * What follows from revoking a key: its open batches end. The revocation is noted with the key, in one transaction, and
 * driven by the account's alarm until every batch with an open hold has said that it is of another key or has ended. Each
 * step may be repeated. A hold that is asked for after the revocation is refused, so no batch comes after the last look.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { edgeLimits } from '../limits.ts';
import { all, first } from '../sqlite/rows.ts';

/** A batch, seen from the account. `ended`: nothing of it will be begun any more. */
export type EndsForKey = {
  endForKey(keyId: string): Promise<'ended' | 'other_key' | 'asking' | 'unknown'>;
};

type Revocation = {
  readonly keyId: string;
  /** Batches up to this one were asked in this round. */
  readonly afterBatchId: string;
  /** Batches of this round that could not say yet. */
  readonly unclear: number;
  readonly rounds: number;
};

const { batchesPerAlarm, roundBaseMs, roundCapMs } = edgeLimits.revocation;

export const noteRevocation = (sql: SqlStorage, keyId: string, nowMs: number): void => {
  sql.exec('insert into revocation (keyId, dueAtMs) values (?, ?) on conflict do nothing', keyId, nowMs);
};

export const nextRevocationMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select min(dueAtMs) as atMs from revocation')?.atMs ?? null;

/** A bounded number of batches; true where more of them are to be asked at once. */
export const runRevocations = async (
  sql: SqlStorage,
  nowMs: number,
  batchOf: (batchId: string) => EndsForKey,
): Promise<boolean> => {
  const due = first<Revocation>(sql, 'select * from revocation where dueAtMs <= ? order by dueAtMs limit 1', nowMs);
  if (!due) return false;
  const { keyId, afterBatchId } = due;
  const holds = all<{ batchId: string }>(
    sql,
    'select batchId from openHold where batchId > ? order by batchId limit ?',
    afterBatchId,
    batchesPerAlarm,
  );
  const answers = await Promise.all(
    holds.map(({ batchId }) =>
      batchOf(batchId)
        .endForKey(keyId)
        .catch(() => 'silent' as const),
    ),
  );
  const unclear = due.unclear + answers.filter((answer) => answer !== 'ended' && answer !== 'other_key').length;
  const last = holds.at(-1);
  if (last && holds.length === batchesPerAlarm) {
    sql.exec('update revocation set afterBatchId = ?, unclear = ? where keyId = ?', last.batchId, unclear, keyId);
    return true;
  }
  if (unclear === 0) sql.exec('delete from revocation where keyId = ?', keyId);
  else startAgain(sql, due, nowMs);
  return true;
};

/** A batch without a saga is released by the ledger's own check, half an hour later at most. */
const startAgain = (sql: SqlStorage, { keyId, rounds }: Revocation, nowMs: number): void => {
  const waitMs = backoffMs(rounds, { baseMs: roundBaseMs, capMs: roundCapMs });
  sql.exec(
    "update revocation set afterBatchId = '', unclear = 0, rounds = ?, dueAtMs = ? where keyId = ?",
    rounds + 1,
    Math.ceil(nowMs + waitMs),
    keyId,
  );
};
