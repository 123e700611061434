/** Step 1, what the route calls: a caller joins the running job of the same id on this node, or starts it. */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { JobRequest, Outcome } from '../../shared/job.ts';
import { fail, type Result } from '../../shared/result.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { originLimits } from '../limits.ts';
import { type JobCallbacks, type RunDeps, runJob } from './run.ts';
import { createRunningJob, type RunningJob } from './running-job.ts';

export type JobService = {
  /** `callerSignal` is aborted when the caller hangs up. Fails with `origin_busy` or `not_ready`. */
  serve(job: JobRequest, callerSignal: AbortSignal, callbacks: JobCallbacks): Promise<Result<Outcome, Failure>>;
  /** Takes no new job, sends the queued ones to other nodes, and waits for the claimed ones, `msMax` at most. */
  drain(msMax: number): Promise<void>;
};

type Entry = { readonly running: RunningJob; readonly answer: Promise<Result<Outcome, Failure>> };

const { notReadyRetrySeconds } = originLimits.jobs;
const notReady = (detail: string, cause?: unknown): Result<never, Failure> =>
  fail(failure('not_ready', detail, { retryAfterSeconds: notReadyRetrySeconds, cause }));

const refuseWithoutDatabase = (error: unknown): Result<never, Failure> => {
  if (error instanceof DatabaseUnavailable) return notReady('the job store cannot be reached', error);
  throw error;
};

/** `unixClock` is the clock in which deadlines are given. */
export const createJobService = (deps: RunDeps, unixClock: Pick<Clock, 'nowMs'>): JobService => {
  const entries = new Map<string, Entry>();
  let draining = false;

  const start = (job: JobRequest, callbacks: JobCallbacks): Entry => {
    const running = createRunningJob(job.deadline_at - unixClock.nowMs());
    const answer = runJob(deps, job, running, callbacks)
      .catch(refuseWithoutDatabase)
      .finally(() => {
        running.end();
        entries.delete(job.job_id);
      });
    const entry = { running, answer };
    entries.set(job.job_id, entry);
    return entry;
  };

  return {
    serve: (job, callerSignal, callbacks) => {
      if (draining) return Promise.resolve(notReady('this node is shutting down'));
      const entry = entries.get(job.job_id) ?? start(job, callbacks);
      entry.running.join(callerSignal);
      return entry.answer;
    },
    drain: async (msMax) => {
      draining = true;
      for (const { running } of entries.values()) if (!running.isClaimed()) running.stop('draining');
      const stopAll = (): void => {
        for (const { running } of entries.values()) running.stop('draining');
      };
      const timer = setTimeout(stopAll, msMax);
      await Promise.allSettled(Array.from(entries.values(), ({ answer }) => answer));
      clearTimeout(timer);
    },
  };
};
