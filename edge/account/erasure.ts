/**
 * Deletes all that an account has sent and got: its history at once, then its batches one by one. Noted in the account,
 * driven by its alarm until it is done. Only what was there when it was asked for goes; what came later stays. The ledger
 * keeps its lines: amounts, and the ids of the batches that they were for.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { firstId } from '../../shared/ids.ts';
import { edgeLimits } from '../limits.ts';
import { all, first } from '../sqlite/rows.ts';
import type { Erasure } from './data-port.ts';
import type { ErasurePort } from './history/port.ts';

/** A batch, seen from the account. */
export type RemovableBatch = {
  remove(index: null): Promise<'removed' | 'removing' | 'running' | 'unknown'>;
};

type ErasureRow = Erasure & {
  readonly hasHistory: number;
  readonly afterBatchId: string;
  readonly tries: number;
};

const { batchesPerAlarm, retryBaseMs, retryCapMs } = edgeLimits.removal;

export const readErasure = (sql: SqlStorage): Erasure | null =>
  first<Erasure>(sql, 'select askedAtMs, doneAtMs from erasure') ?? null;

/** One that is under way goes on as it was asked for. */
export const noteErasure = (sql: SqlStorage, nowMs: number): void => {
  const before = readErasure(sql);
  if (before && before.doneAtMs === null) return;
  sql.exec('insert or replace into erasure (id, askedAtMs, dueAtMs) values (1, ?, ?)', nowMs, nowMs);
};

export const nextErasureMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select dueAtMs as atMs from erasure where doneAtMs is null')?.atMs ?? null;

type Deps = {
  readonly historyOf: (accountId: string) => ErasurePort;
  readonly batchOf: (batchId: string) => RemovableBatch;
};

/** A bounded part; true where more is to be done at once. Throws nothing. */
export const runErasure = async (sql: SqlStorage, nowMs: number, deps: Deps): Promise<boolean> => {
  const row = first<ErasureRow>(sql, 'select * from erasure where doneAtMs is null and dueAtMs <= ?', nowMs);
  if (!row) return false;
  try {
    if (row.hasHistory === 1) await eraseHistory(sql, row, deps);
    else await eraseBatches(sql, row, nowMs, deps);
  } catch {
    const waitMs = backoffMs(row.tries, { baseMs: retryBaseMs, capMs: retryCapMs });
    sql.exec('update erasure set tries = ?, dueAtMs = ?', row.tries + 1, Math.ceil(nowMs + waitMs));
    return false;
  }
  return true;
};

const eraseHistory = async (sql: SqlStorage, { askedAtMs }: ErasureRow, { historyOf }: Deps): Promise<void> => {
  // An object does not know its own name while its alarm runs.
  const { accountId = '' } = first<{ accountId: string }>(sql, 'select accountId from account') ?? {};
  if (!(await historyOf(accountId).eraseThrough(askedAtMs))) sql.exec('update erasure set hasHistory = 0, tries = 0');
};

/** Batch ids sort by time. */
const eraseBatches = async (
  sql: SqlStorage,
  { askedAtMs, afterBatchId }: ErasureRow,
  nowMs: number,
  { batchOf }: Deps,
): Promise<void> => {
  const through = firstId('batch', askedAtMs + 1);
  const holds = all<{ batchId: string }>(
    sql,
    `select batchId from (select batchId from hold union all select batchId from openHold)
      where batchId > ? and batchId < ? order by batchId limit ?`,
    afterBatchId,
    through,
    batchesPerAlarm,
  );
  const replies = await Promise.all(holds.map(({ batchId }) => batchOf(batchId).remove(null)));
  // One that is being removed goes on by itself; asked again, it is done, or has its alarm again.
  if (replies.some((reply) => reply === 'running' || reply === 'removing')) throw new Error('a batch is still there');
  const last = holds.at(-1);
  if (last && holds.length === batchesPerAlarm)
    sql.exec('update erasure set afterBatchId = ?, tries = 0', last.batchId);
  else sql.exec('update erasure set doneAtMs = ?', nowMs);
};
