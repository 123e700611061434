/** Step 5: takes the job for this node, once in the whole fleet, and holds its lease while it is worked on. */
import type { Clock } from '../../shared/clock.ts';
import type { JobRequest } from '../../shared/job.ts';
import type { Claim, JobStore } from '../db/job-store.ts';
import type { StopSignals } from '../pool/pool.ts';
import type { Leases } from './leases.ts';

export type ClaimDeps = {
  readonly jobStore: Pick<JobStore, 'claim'>;
  readonly leases: Pick<Leases, 'hold' | 'drop'>;
  readonly clock: Pick<Clock, 'nowMs'>;
};
export type ClaimedJob = Extract<Claim, { kind: 'claimed' }> & {
  /** Before the claim was sent: from then on the lease counts. */
  readonly sentAtMs: number;
  /** The running job's, aborted too when the lease is lost. */
  readonly signals: StopSignals;
  isLeaseLost(): boolean;
  /** Stops renewing the lease; to be called once the outcome is recorded or the job given back. */
  end(): void;
};

export const claimJob = async (
  { jobStore, leases, clock }: ClaimDeps,
  job: JobRequest,
  { beforeModel, throughout }: StopSignals,
): Promise<ClaimedJob | Exclude<Claim, { kind: 'claimed' }>> => {
  const sentAtMs = clock.nowMs();
  const claim = await jobStore.claim({
    jobId: job.job_id,
    accountId: job.account_id,
    deadlineAtMs: job.deadline_at,
    // Results are marked for test keys and for nobody else.
    mode: job.watermark ? 'test' : 'live',
  });
  if (claim.kind !== 'claimed') return claim;
  const leaseLost = new AbortController();
  leases.hold(job.job_id, claim.fencingToken, sentAtMs, () => leaseLost.abort(new Error('the lease was lost')));
  return {
    ...claim,
    sentAtMs,
    signals: {
      beforeModel: AbortSignal.any([beforeModel, leaseLost.signal]),
      throughout: AbortSignal.any([throughout, leaseLost.signal]),
    },
    isLeaseLost: () => leaseLost.signal.aborted,
    end: () => leases.drop(job.job_id),
  };
};
