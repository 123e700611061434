/** The journal as the flows see it: the operations of this folder bound to one database and one node. */
import type { Outcome } from '../../shared/job.ts';
import { type Claim, claimJob } from './claim.ts';
import type { Database } from './database.ts';
import { recordOutcome } from './record.ts';
import { releaseJob } from './release.ts';
import { type HeldLease, renewLeases } from './renew.ts';
import { readStanding, type Standing } from './standing.ts';
import { sweepJobs } from './sweep.ts';

export type Journal = {
  standing(jobId: string): Promise<Standing>;
  claim(job: { jobId: string; accountId: string; deadlineAtMs: number }): Promise<Claim>;
  renew(held: readonly HeldLease[]): Promise<Set<string>>;
  /** False: the lease was lost. */
  record(jobId: string, fence: bigint, outcome: Outcome): Promise<boolean>;
  release(jobId: string, fence: bigint): Promise<void>;
  sweep(keptMs: number): Promise<number>;
};

export const createJournal = (database: Database, nodeId: string, leaseMs: number): Journal => ({
  standing: (jobId) => readStanding(database, jobId),
  claim: (job) => claimJob(database, { ...job, nodeId, leaseMs }),
  renew: (held) => renewLeases(database, held, leaseMs),
  record: (jobId, fence, outcome) => recordOutcome(database, jobId, fence, outcome),
  release: (jobId, fence) => releaseJob(database, jobId, fence),
  sweep: (keptMs) => sweepJobs(database, keptMs),
});
