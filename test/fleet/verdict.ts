/** What must hold once all jobs are done. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../origin/db/database.ts';
import { type Outcome, outcomeSchema } from '../../shared/job.ts';
import type { Storage } from '../origin/support/storage.ts';
import type { RunInterval } from './fleet.ts';

/** Answers that callers got, by job. */
export type Answers = ReadonlyMap<string, readonly Outcome[]>;

/** Every job has exactly one outcome, and every caller was answered with it. */
const outcomes = async (database: Database, answers: Answers): Promise<string[]> => {
  const rows = await database.query<{ job_id: string; state: string; outcome: unknown }>(
    'select job_id, state, outcome from jobs',
  );
  const jobs = new Map(rows.map((row) => [row.job_id, row]));
  const faults = rows
    .filter((row) => !answers.has(row.job_id))
    .map((row) => `${row.job_id} is in the job store, but nobody asked for it`);
  for (const [jobId, answered] of answers) {
    const row = jobs.get(jobId);
    if (row?.state !== 'done') faults.push(`${jobId} is ${row?.state ?? 'lost'}`);
    const kept = outcomeSchema.safeParse(row?.outcome).data;
    if (answered.length === 0) faults.push(`${jobId} was never answered`);
    for (const outcome of answered)
      if (!isDeepStrictEqual(outcome, kept)) faults.push(`${jobId} was not answered with its outcome in the job store`);
  }
  return faults;
};

/** What is stored is what the outcome describes. */
const files = (storage: Storage, answers: Answers): string[] =>
  [...answers].flatMap(([jobId, [outcome]]) => {
    if (outcome?.status !== 'completed') return [`${jobId} ended with ${JSON.stringify(outcome)}`];
    const stored = storage.outputs.get(`/out/${jobId}`);
    return stored?.sha256 === outcome.sha256
      ? []
      : [`${jobId}'s file is ${stored ? 'not the one its outcome describes' : 'missing'}`];
  });

/** No job was run by two live nodes at once. */
const overlaps = (intervals: readonly RunInterval[]): string[] => {
  const sorted = intervals.toSorted((a, b) => a.jobId.localeCompare(b.jobId) || a.from - b.from);
  return sorted.flatMap((later, i) => {
    const earlier = sorted[i - 1];
    if (earlier?.jobId !== later.jobId || later.from >= earlier.to) return [];
    return [`${later.jobId} was run by ${earlier.node} until ${earlier.to} and by ${later.node} from ${later.from}`];
  });
};

export const judge = async (
  database: Database,
  storage: Storage,
  answers: Answers,
  intervals: readonly RunInterval[],
): Promise<string[]> => [...(await outcomes(database, answers)), ...files(storage, answers), ...overlaps(intervals)];
