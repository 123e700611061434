/** A job from its arrival to its one outcome: known already? → a place → claim → perform → record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import type { FailedOutcome, JobRequest, Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Journal } from '../db/journal.ts';
import type { StopSignals } from '../pool/pool.ts';
import type { Admission } from './admission.ts';
import { awaitElsewhere } from './await-elsewhere.ts';
import type { Leases } from './leases.ts';
import { type PerformDeps, performJob } from './perform-job.ts';
import type { Run } from './run.ts';

export type JobEvents = {
  claimed(job: JobRequest, fence: bigint, waitMs: number): void;
  /** `kept`: in the journal. Otherwise the outcome may change, or another node's counts. */
  finished(job: JobRequest, fence: bigint, outcome: Outcome, kept: boolean): void;
};
export type RunJobDeps = PerformDeps & {
  readonly journal: Pick<Journal, 'standing' | 'claim' | 'record' | 'release'>;
  readonly admission: Admission;
  readonly leases: Pick<Leases, 'hold' | 'drop'>;
  readonly events: JobEvents;
};

const failed = (cause: Failure, retryable: boolean = errors[cause.code].retryable): FailedOutcome => ({
  status: 'failed',
  code: cause.code,
  detail: cause.detail.slice(0, 500),
  retryable,
});

/** What a run that stopped answers: a retryable outcome, or 503 where another node should be asked. */
const stopped = (run: Run): Result<Outcome, Failure> => {
  if (run.reason() === 'deadline') return ok(failed(failure('deadline_exceeded')));
  if (run.reason() === 'draining')
    return fail(
      failure('not_ready', 'this node is going away', { retryAfterSeconds: limits.origin.notReadyRetrySeconds }),
    );
  return fail(
    failure('origin_busy', 'the job is still running on another node', {
      retryAfterSeconds: limits.origin.notReadyRetrySeconds,
    }),
  );
};

/**
 * Fails with `origin_busy` or `not_ready`; everything else is an outcome. Throws where the journal cannot be reached.
 */
export const runJob = async (deps: RunJobDeps, job: JobRequest, run: Run): Promise<Result<Outcome, Failure>> => {
  const arrivedAt = deps.now();
  for (;;) {
    const elsewhere = await awaitElsewhere(
      deps,
      job.job_id,
      arrivedAt + limits.origin.elsewhereWaitMsMax,
      run.beforeModel,
    );
    if (elsewhere === 'stopped') return stopped(run);
    if (elsewhere !== 'free') return ok(elsewhere);
    const place = deps.admission.admit({ accountId: job.account_id, priority: job.priority, signal: run.beforeModel });
    if (!place.ok) return place;
    const turn = await place.value;
    if (turn === false) return stopped(run);
    try {
      const result = await claimAndRun(deps, job, run, arrivedAt);
      if (result !== 'not_ours') return result;
    } finally {
      turn.release();
    }
    await sleep(limits.origin.elsewherePollMsMin);
  }
};

const claimAndRun = async (
  deps: RunJobDeps,
  job: JobRequest,
  run: Run,
  arrivedAt: number,
): Promise<Result<Outcome, Failure> | 'not_ours'> => {
  const sentAt = deps.now();
  const claim = await deps.journal.claim({
    jobId: job.job_id,
    accountId: job.account_id,
    deadlineAtMs: job.deadline_at,
  });
  if (claim.kind === 'done') return ok(claim.outcome);
  if (claim.kind === 'running_elsewhere') return 'not_ours';
  const { fence } = claim;
  deps.events.claimed(job, fence, sentAt - arrivedAt);
  const lost = new AbortController();
  deps.leases.hold(job.job_id, fence, sentAt, () => lost.abort(new Error('the lease was lost')));
  const signals = {
    beforeModel: AbortSignal.any([run.beforeModel, lost.signal]),
    throughout: AbortSignal.any([run.throughout, lost.signal]),
  };
  try {
    const outcome =
      claim.crashes >= limits.origin.crashesMax
        ? tooManyCrashes(claim.crashes)
        : await performed(deps, job, run, signals, arrivedAt);
    if (!lost.signal.aborted) return await settle(deps, job, run, fence, outcome);
    deps.events.finished(job, fence, outcome, false);
    return 'not_ours';
  } finally {
    deps.leases.drop(job.job_id);
  }
};

/** An image that takes its node down each time must not take down the whole fleet, one node after the other. */
const tooManyCrashes = (crashes: number): FailedOutcome =>
  failed(failure('processing_failed', `${crashes} nodes went down while they worked on this image`), false);

const performed = async (
  deps: RunJobDeps,
  job: JobRequest,
  run: Run,
  signals: StopSignals,
  arrivedAt: number,
): Promise<Outcome> => {
  const result = await performJob(deps, job, signals, arrivedAt);
  if (run.reason() === 'deadline') return failed(failure('deadline_exceeded'));
  return result.ok ? result.value : failed(result.failure);
};

/** Keeps a final outcome; gives a job that may succeed later back. */
const settle = async (
  deps: RunJobDeps,
  job: JobRequest,
  run: Run,
  fence: bigint,
  outcome: Outcome,
): Promise<Result<Outcome, Failure> | 'not_ours'> => {
  if (outcome.status === 'failed' && outcome.retryable) {
    deps.events.finished(job, fence, outcome, false);
    await deps.journal.release(job.job_id, fence);
    return run.reason() === 'draining' ? stopped(run) : ok(outcome);
  }
  const kept = await deps.journal.record(job.job_id, fence, outcome);
  deps.events.finished(job, fence, outcome, kept);
  return kept ? ok(outcome) : 'not_ours';
};
