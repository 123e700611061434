/** Step 3: waits while another node runs the job, until it has an outcome or no node runs it any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../shared/backoff.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Outcome } from '../../shared/job.ts';
import type { JobStore } from '../db/job-store.ts';
import { originLimits } from '../limits.ts';

export type OtherNodeDeps = {
  readonly jobStore: Pick<JobStore, 'status'>;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const POLL = { baseMs: originLimits.jobs.otherNodePollMsMin, capMs: originLimits.jobs.otherNodePollMsMax };

/** `free`: it may be claimed here · `stopped`: the signal was aborted, or the wait has lasted until `giveUpAtMs`. */
export const awaitOtherNode = async (
  { jobStore, clock }: OtherNodeDeps,
  jobId: string,
  giveUpAtMs: number,
  signal: AbortSignal,
): Promise<Outcome | 'free' | 'stopped'> => {
  for (let attempt = 0; ; attempt++) {
    if (signal.aborted || clock.nowMs() >= giveUpAtMs) return 'stopped';
    const status = await jobStore.status(jobId);
    if (status.kind === 'done') return status.outcome;
    if (status.kind === 'free') return 'free';
    // Aborted: the next round answers so.
    const pollMs = Math.min(backoffMs(attempt, POLL), status.leaseLeftMs + 1);
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
};
