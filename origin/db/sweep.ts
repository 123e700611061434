/** Removes rows that nobody touched for a long time, oldest first, in steps small enough to hold no one up. */
import { limits } from '../../shared/limits.ts';
import type { Database } from './database.ts';

const SWEEP = `
delete from jobs
 where job_id in (
   select job_id from jobs
    where touched_at < clock_timestamp() - $1 * interval '1 ms'
      and (state <> 'leased' or lease_until < clock_timestamp())
    order by touched_at
    limit $2
    for update skip locked)
returning job_id`;

/** Number of rows removed; stops after limits.origin.sweepStepsMax steps even where more are left. */
export const sweepJobs = async (
  database: Database,
  keptMs: number,
  rowsMax: number = limits.origin.sweepRowsMax,
): Promise<number> => {
  let removed = 0;
  for (let step = 0; step < limits.origin.sweepStepsMax; step++) {
    const rows = await database.query(SWEEP, [keptMs, rowsMax]);
    removed += rows.length;
    if (rows.length < rowsMax) break;
  }
  return removed;
};
