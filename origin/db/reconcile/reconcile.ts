/**
 * The comparison of `npm run reconcile`: ledger lines and checkpoints by account, then lines, ended batches and jobs by
 * batch. Every table is read once or twice, in pages; what disagrees is reported as it is found.
 */
import type { CheckpointKeys } from '../../../shared/ledger-checkpoint.ts';
import { originLimits } from '../../limits.ts';
import type { Database } from '../database.ts';
import { batchDisagreements } from './batches.ts';
import { type CheckpointChecks, createCheckpointCheck } from './checkpoints.ts';
import type { Disagreement } from './kinds.ts';
import { afterLine, type LinesBefore, lineDisagreements, noLines } from './lines.ts';
import {
  checkpointOf,
  checkpointsWithoutLines,
  conflicts,
  endedByBatch,
  jobsByBatch,
  linesByAccount,
  linesByBatch,
  sideBySide,
} from './rows.ts';

export type ReconcileOptions = {
  /** Rows younger than this are not compared: what belongs to them may still be on its way. */
  readonly graceMs: number;
  /** The service's keys and those before them, with which checkpoints are signed. */
  readonly keys: CheckpointKeys;
};
/** Rows that were read. Jobs are those of batches' images. */
export type Counts = { readonly entries: number; readonly batches: number; readonly jobs: number };
type Report = (disagreement: Disagreement) => void;

/** Calls `report` for every disagreement, accounts first, then batches, each by id. Changes nothing. */
export const reconcile = async (database: Database, options: ReconcileOptions, report: Report): Promise<Counts> => {
  const [row] = await database.query<{ nowMs: number }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::double precision as "nowMs"`,
  );
  const nowMs = row?.nowMs ?? 0;
  const untilMs = nowMs - options.graceMs;
  const checks = { keys: options.keys, foldedBeforeMs: nowMs - foldedWithinMs };
  const entries = await compareLines(database, untilMs, checks, report);
  await listConflicts(database, report);
  const { batches, jobs } = await compareBatches(database, nowMs, untilMs, report);
  return { entries, batches, jobs };
};

const { outcomeKeptMs } = originLimits.jobs;
const { settledWithinMs, foldedWithinMs } = originLimits.reconcile;

const compareLines = async (
  database: Database,
  untilMs: number,
  checks: CheckpointChecks,
  report: Report,
): Promise<number> => {
  let lines = 0;
  let before: LinesBefore = noLines('');
  let check = createCheckpointCheck('', undefined, checks);
  for await (const line of linesByAccount(database)) {
    const { accountId } = line;
    if (accountId !== before.accountId) {
      for (const disagreement of await check.end()) report(disagreement);
      before = noLines(accountId);
      check = createCheckpointCheck(accountId, await checkpointOf(database, accountId), checks);
    }
    for (const disagreement of lineDisagreements(before, line, untilMs)) report(disagreement);
    await check.take(line);
    before = afterLine(before, line);
    lines++;
  }
  for (const disagreement of await check.end()) report(disagreement);
  for await (const { accountId: subject, throughSequence } of checkpointsWithoutLines(database)) {
    const detail = `goes through ${throughSequence}, but there is no line`;
    report({ kind: 'checkpoint_mismatch', subject, detail });
  }
  return lines;
};

const listConflicts = async (database: Database, report: Report): Promise<void> => {
  const timeOf = (ms: number): string => new Date(ms).toISOString();
  for await (const { id: subject, firstAtMs, lastAtMs } of conflicts(database)) {
    const detail = `came again with other content, first at ${timeOf(firstAtMs)}, last at ${timeOf(lastAtMs)}`;
    report({ kind: 'export_conflict', subject, detail });
  }
};

const compareBatches = async (
  database: Database,
  nowMs: number,
  untilMs: number,
  report: Report,
): Promise<Omit<Counts, 'entries'>> => {
  // A job goes `outcomeKeptMs` after its outcome, which its line may follow by hours.
  const compared = { untilMs, jobsSinceMs: nowMs - outcomeKeptMs + settledWithinMs };
  const counts = { batches: 0, jobs: 0 };
  const rows = sideBySide(linesByBatch(database), endedByBatch(database), jobsByBatch(database));
  for await (const { key, a: lines, b: ended, c: jobs } of rows) {
    const batch = { batchId: key, lines, ended: ended[0], jobs };
    for (const disagreement of batchDisagreements(batch, compared)) report(disagreement);
    counts.batches += ended.length;
    counts.jobs += jobs.length;
  }
  return counts;
};
