/** Prolongs the leases a node holds, all in one statement. */
import type { Database } from './database.ts';

export type HeldLease = { readonly jobId: string; readonly fence: bigint };

const RENEW = `
update jobs as j
   set lease_until = clock_timestamp() + $3 * interval '1 ms', touched_at = clock_timestamp()
  from unnest($1::text[], $2::bigint[]) as held (job_id, fence)
 where j.job_id = held.job_id and j.fence = held.fence and j.state = 'leased'
returning j.job_id`;

/** Ids of the jobs still held; the others were taken over. */
export const renewLeases = async (
  database: Database,
  held: readonly HeldLease[],
  leaseMs: number,
): Promise<Set<string>> => {
  const rows = await database.query<{ job_id: string }>(RENEW, [
    held.map((lease) => lease.jobId),
    held.map((lease) => lease.fence.toString()),
    leaseMs,
  ]);
  return new Set(rows.map((row) => row.job_id));
};
