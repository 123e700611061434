/** Gives a job back without an outcome, so that the next claim need not wait for the lease to run out. */
import type { Database } from './database.ts';

const RELEASE = `
update jobs
   set state = 'open', node_id = null, lease_until = null, touched_at = clock_timestamp()
 where job_id = $1 and fence = $2 and state = 'leased'`;

export const releaseJob = async (database: Database, jobId: string, fence: bigint): Promise<void> => {
  await database.query(RELEASE, [jobId, fence.toString()]);
};
