/** What the log and the metrics say of one job. */
import type { Outcome } from '../shared/job.ts';
import type { JobCallbacks } from './jobs/run.ts';
import { describeError, type Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** `log` carries the ids of request, job and trace. */
export const reportJob = (log: Log, metrics: Metrics): JobCallbacks => ({
  claimed: (job, fencingToken, waitMs) => {
    metrics.wait.observe({ priority: job.priority }, waitMs / 1000);
    log.info({ fencing_token: fencingToken.toString(), wait_ms: Math.round(waitMs) }, 'job claimed');
  },
  finished: (job, fencingToken, { outcome, cause }, recorded) => {
    if (recorded || outcome.status === 'failed') metrics.outcome(outcome, job.priority);
    if (!recorded && outcome.status === 'completed') metrics.leasesLost.inc();
    log.info(
      {
        fencing_token: fencingToken.toString(),
        outcome: outcome.status,
        recorded,
        ...details(outcome),
        ...(cause === undefined ? {} : { error: describeError(cause) }),
      },
      'job finished',
    );
  },
});

const details = (outcome: Outcome): Record<string, unknown> =>
  outcome.status === 'completed'
    ? { ms: Math.round(outcome.processing_ms), stages_ms: rounded(outcome.stages_ms) }
    : { code: outcome.code, detail: outcome.detail };
const rounded = (stagesMs: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(stagesMs).map(([name, ms]) => [name, Math.round(ms)]));
