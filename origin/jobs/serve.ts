/** What the route calls: one run per job id on this node, joined by every caller that asks for the same job. */

import { type Failure, failure } from '../../shared/errors.ts';
import type { JobRequest, Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import { fail, type Result } from '../../shared/result.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { createRun, type Run } from './run.ts';
import { type JobEvents, type RunJobDeps, runJob } from './run-job.ts';

export type JobService = {
  /** `gone` is aborted when the caller hangs up. Fails with `origin_busy` or `not_ready`. */
  serve(job: JobRequest, gone: AbortSignal, events: JobEvents): Promise<Result<Outcome, Failure>>;
  /** Takes no new job, sends the queued ones elsewhere, and waits for the running ones, `msMax` at most. */
  drain(msMax: number): Promise<void>;
};

const notReady = (detail: string): Result<never, Failure> =>
  fail(failure('not_ready', detail, { retryAfterSeconds: limits.origin.notReadyRetrySeconds }));

/** `wallNow` is Unix time, ms, the clock that deadlines are given in. */
export const createJobService = (deps: Omit<RunJobDeps, 'events'>, wallNow: () => number): JobService => {
  const runs = new Map<string, { run: Run; claimed: () => boolean; result: Promise<Result<Outcome, Failure>> }>();
  let draining = false;

  const begin = (job: JobRequest, told: JobEvents) => {
    const run = createRun(job.deadline_at - wallNow());
    let claimed = false;
    const events: JobEvents = { ...told, claimed: (...args) => ((claimed = true), told.claimed(...args)) };
    const result = runJob({ ...deps, events }, job, run)
      .catch((error: unknown) => {
        if (error instanceof DatabaseUnavailable) return notReady('the journal cannot be reached');
        throw error;
      })
      .finally(() => {
        run.end();
        runs.delete(job.job_id);
      });
    const entry = { run, claimed: () => claimed, result };
    runs.set(job.job_id, entry);
    return entry;
  };

  return {
    serve: (job, gone, events) => {
      if (draining) return Promise.resolve(notReady('this node is going away'));
      const entry = runs.get(job.job_id) ?? begin(job, events);
      entry.run.join(gone);
      return entry.result;
    },
    drain: async (msMax) => {
      draining = true;
      for (const { run, claimed } of runs.values()) if (!claimed()) run.stop('draining');
      const all = Promise.allSettled([...runs.values()].map(({ result }) => result));
      const timer = setTimeout(() => [...runs.values()].forEach(({ run }) => run.stop('draining')), msMax);
      await all;
      clearTimeout(timer);
    },
  };
};
