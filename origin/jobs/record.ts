/** Step 7, the end of a claim: a final outcome is recorded, a job that may succeed later is given back. */
import type { Outcome } from '../../shared/job.ts';
import type { JobStore } from '../db/job-store.ts';
import type { ClaimedJob } from './claim.ts';

export type RecordDeps = { readonly jobStore: Pick<JobStore, 'record' | 'release'> };
/** `cause`: what was caught where the outcome is a failure; for the log only. */
export type Ending = { readonly outcome: Outcome; readonly cause?: unknown };

/**
 * `on_other_node`: the lease was lost, so another node's outcome counts. `finished` is called once; true where the
 * outcome was recorded.
 */
export const recordOutcome = async (
  { jobStore }: RecordDeps,
  jobId: string,
  claim: Pick<ClaimedJob, 'fencingToken' | 'isLeaseLost'>,
  { outcome }: Ending,
  finished: (recorded: boolean) => void,
): Promise<'recorded' | 'released' | 'on_other_node'> => {
  if (claim.isLeaseLost()) {
    finished(false);
    return 'on_other_node';
  }
  if (outcome.status === 'failed' && outcome.retryable) {
    finished(false);
    await jobStore.release(jobId, claim.fencingToken);
    return 'released';
  }
  const recorded = await jobStore.record(jobId, claim.fencingToken, outcome);
  finished(recorded);
  return recorded ? 'recorded' : 'on_other_node';
};
