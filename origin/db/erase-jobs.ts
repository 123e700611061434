/** Forgets what was found out about jobs whose results their owner deleted. Safe to repeat. */
import type { ErasureRequest, ErasureResponse } from '../../shared/erasure.ts';
import type { Database } from './database.ts';

/** Whether a job completed is what its charge is compared with; the rest of its outcome tells of the photo. */
const ERASE = `
update jobs set outcome = jsonb_build_object('status', outcome ->> 'status', 'erased', true)
 where job_id = any ($1::text[]) and state = 'done'
returning job_id`;

export const eraseJobs = async (database: Database, { job_ids }: ErasureRequest): Promise<ErasureResponse> => ({
  erased: (await database.query(ERASE, [job_ids])).length,
});
