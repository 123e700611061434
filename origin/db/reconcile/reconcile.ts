/**
 * The comparison of `npm run reconcile`: ledger lines by account, then lines, ended batches and jobs by batch. Every table
 * is read once, in pages; what disagrees is reported as it is found.
 */
import { originLimits } from '../../limits.ts';
import type { Database } from '../database.ts';
import { batchDisagreements } from './batches.ts';
import type { Disagreement } from './kinds.ts';
import { afterLine, type LinesBefore, lineDisagreements, noLines } from './lines.ts';
import { endedByBatch, jobsByBatch, linesByAccount, linesByBatch, sideBySide } from './rows.ts';

/** Rows younger than `graceMs` are not compared: what belongs to them may still be on its way. */
export type ReconcileOptions = { readonly graceMs: number };
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
  const entries = await compareLines(database, untilMs, report);
  const { batches, jobs } = await compareBatches(database, nowMs, untilMs, report);
  return { entries, batches, jobs };
};

const compareLines = async (database: Database, untilMs: number, report: Report): Promise<number> => {
  let lines = 0;
  let before: LinesBefore = noLines('');
  for await (const line of linesByAccount(database)) {
    if (line.accountId !== before.accountId) before = noLines(line.accountId);
    for (const disagreement of lineDisagreements(before, line, untilMs)) report(disagreement);
    before = afterLine(before, line);
    lines++;
  }
  return lines;
};

const { outcomeKeptMs } = originLimits.jobs;
const { settledWithinMs } = originLimits.reconcile;

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
