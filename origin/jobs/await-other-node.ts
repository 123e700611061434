/** Waits while another node runs the job: until it has an outcome, or nobody runs it any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import type { Journal } from '../db/journal.ts';

export type ElsewhereDeps = { readonly journal: Pick<Journal, 'standing'>; readonly now: () => number };

/** `free`: it may be claimed here · `stopped`: the signal was aborted, or the wait has lasted until `giveUpAt`. */
export const awaitElsewhere = async (
  deps: ElsewhereDeps,
  jobId: string,
  giveUpAt: number,
  signal: AbortSignal,
): Promise<Outcome | 'free' | 'stopped'> => {
  const { elsewherePollMsMin, elsewherePollMsMax } = limits.origin;
  for (let pauseMs: number = elsewherePollMsMin; ; pauseMs = Math.min(pauseMs * 2, elsewherePollMsMax)) {
    if (signal.aborted || deps.now() >= giveUpAt) return 'stopped';
    const standing = await deps.journal.standing(jobId);
    if (standing.kind === 'done') return standing.outcome;
    if (standing.kind === 'free') return 'free';
    await sleep(Math.min(pauseMs, standing.leaseLeftMs + 1), undefined, { signal }).catch(() => undefined);
  }
};
