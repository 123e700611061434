/** Step 2, a job from its arrival to its one outcome: already decided? → admit → claim → perform → record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import type { FailedOutcome, JobRequest, Outcome } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { Admission } from './admission.ts';
import { awaitOtherNode, type OtherNodeDeps } from './await-other-node.ts';
import { type ClaimDeps, type ClaimedJob, claimJob } from './claim.ts';
import { type PerformDeps, performJob } from './perform.ts';
import { type Ending, type RecordDeps, recordOutcome } from './record.ts';
import type { RunningJob } from './running-job.ts';

export type RunDeps = PerformDeps &
  OtherNodeDeps &
  ClaimDeps &
  RecordDeps & { readonly admission: Pick<Admission, 'admit' | 'busy'> };
export type JobCallbacks = {
  claimed(job: JobRequest, fencingToken: bigint, waitMs: number): void;
  /** `recorded`: in the job store. Otherwise the outcome may change, or another node's counts. */
  finished(job: JobRequest, fencingToken: bigint, ending: Ending, recorded: boolean): void;
};

/** What the steps of one job share. */
type Run = {
  readonly job: JobRequest;
  readonly running: RunningJob;
  readonly callbacks: JobCallbacks;
  readonly arrivedAtMs: number;
};

const { otherNodeWaitMsMax, otherNodePollMsMin, notReadyRetrySeconds, crashesMax } = originLimits.jobs;

/**
 * Fails with `origin_busy` or `not_ready`; everything else is an outcome. Throws where the job store cannot be reached.
 */
export const runJob = async (
  deps: RunDeps,
  job: JobRequest,
  running: RunningJob,
  callbacks: JobCallbacks,
): Promise<Result<Outcome, Failure>> => {
  const { beforeModel } = running.signals;
  const arrivedAtMs = deps.clock.nowMs();
  for (;;) {
    const status = await awaitOtherNode(deps, job.job_id, arrivedAtMs + otherNodeWaitMsMax, beforeModel);
    if (status === 'stopped') return answerStopped(running);
    if (status !== 'free') return ok(status);
    const admitted = deps.admission.admit({ accountId: job.account_id, priority: job.priority, signal: beforeModel });
    if (!admitted.ok) return admitted;
    const permit = await admitted.value;
    if (permit === 'withdrawn') return answerStopped(running);
    if (permit === 'displaced') return fail(deps.admission.busy());
    try {
      const answer = await runWithPermit(deps, { job, running, callbacks, arrivedAtMs });
      if (answer !== 'on_other_node') return answer;
    } finally {
      permit.release();
    }
    await sleep(otherNodePollMsMin);
  }
};

const runWithPermit = async (deps: RunDeps, run: Run): Promise<Result<Outcome, Failure> | 'on_other_node'> => {
  const { job, running, callbacks } = run;
  const claim = await claimJob(deps, job, running.signals);
  if (claim.kind === 'done') return ok(claim.outcome);
  if (claim.kind === 'on_other_node') return 'on_other_node';
  const { fencingToken } = claim;
  running.markClaimed();
  callbacks.claimed(job, fencingToken, claim.sentAtMs - run.arrivedAtMs);
  try {
    const ending = await perform(deps, run, claim);
    const kept = await recordOutcome(deps, job.job_id, claim, ending, (recorded) =>
      callbacks.finished(job, fencingToken, ending, recorded),
    );
    if (kept === 'on_other_node') return 'on_other_node';
    return kept === 'released' && running.stopReason() === 'draining' ? answerStopped(running) : ok(ending.outcome);
  } finally {
    claim.end();
  }
};

const perform = async (deps: RunDeps, { job, running, arrivedAtMs }: Run, claim: ClaimedJob): Promise<Ending> => {
  // An image that takes its node down each time must not take down the fleet, one node after the other.
  if (claim.crashes >= crashesMax)
    return failed(failure('processing_failed', `${claim.crashes} nodes died while they worked on this image`), false);
  const result = await performJob(deps, job, claim.signals, arrivedAtMs);
  if (running.stopReason() === 'deadline') return failed(failure('deadline_exceeded'));
  return result.ok ? { outcome: result.value } : failed(result.failure);
};

const failed = ({ code, detail, cause }: Failure, retryable: boolean = errors[code].retryable): Ending => {
  const outcome: FailedOutcome = { status: 'failed', code, detail: detail.slice(0, 500), retryable };
  return { outcome, cause };
};

/** A retryable outcome past the deadline, else a refusal, so that another node is asked. */
const answerStopped = (running: RunningJob): Result<Outcome, Failure> => {
  if (running.stopReason() === 'deadline') return ok(failed(failure('deadline_exceeded')).outcome);
  const retry = { retryAfterSeconds: notReadyRetrySeconds };
  return running.stopReason() === 'draining'
    ? fail(failure('not_ready', 'this node is shutting down', retry))
    : fail(failure('origin_busy', 'the job is still running on another node', retry));
};
