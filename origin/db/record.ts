/** Writes a job's one outcome, if the node still holds the newest fence. */
import type { Outcome } from '../../shared/job.ts';
import type { Database } from './database.ts';
import { readStanding } from './standing.ts';

const RECORD = `
update jobs
   set state = 'done', outcome = $3, lease_until = null, touched_at = clock_timestamp()
 where job_id = $1 and fence = $2 and state = 'leased'
returning job_id`;

/**
 * False where the lease was lost: another node's outcome counts. Safe to repeat: an answer lost on the way back is
 * recognised by its fence.
 */
export const recordOutcome = async (
  database: Database,
  jobId: string,
  fence: bigint,
  outcome: Outcome,
): Promise<boolean> => {
  const rows = await database.query(RECORD, [jobId, fence.toString(), JSON.stringify(outcome)]);
  if (rows.length === 1) return true;
  const standing = await readStanding(database, jobId);
  return standing.kind === 'done' && standing.fence === fence;
};
