/**
 * The job store: one row per job, which the whole fleet shares. A job is claimed once, under a lease; whoever holds the
 * newest fencing token (column `fence`) may record its one outcome. All times are the database's.
 */
import { randomUUID } from 'node:crypto';
import type { KeyMode } from '../../shared/api-key.ts';
import { errors } from '../../shared/errors.ts';
import { type Outcome, outcomeSchema } from '../../shared/job.ts';
import { originLimits } from '../limits.ts';
import type { Database } from './database.ts';

export type JobStatus =
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly fencingToken: bigint }
  | { readonly kind: 'on_other_node'; readonly leaseLeftMs: number }
  /** Unknown, given back, or its lease has run out. */
  | { readonly kind: 'free' };
export type Claim =
  /** `crashes`: leases of this job that ran out before its node reported anything. */
  | { readonly kind: 'claimed'; readonly fencingToken: bigint; readonly crashes: number }
  | Exclude<JobStatus, { kind: 'free' }>;
type ClaimRequest = {
  readonly jobId: string;
  readonly accountId: string;
  readonly deadlineAtMs: number;
  /** Of the key that asked: images of test keys are never charged. */
  readonly mode: KeyMode;
};
export type HeldLease = { readonly jobId: string; readonly fencingToken: bigint };

export type JobStore = {
  /** How a job stands, without touching it. */
  status(jobId: string): Promise<JobStatus>;
  /** Takes the job for this node where nobody else has it. */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Prolongs leases; gives the ids of the jobs still held, the others were taken over. */
  renew(held: readonly HeldLease[]): Promise<Set<string>>;
  /** Stores the job's one outcome. False where the lease was lost: another node's outcome counts. */
  record(jobId: string, fencingToken: bigint, outcome: Outcome): Promise<boolean>;
  /** Gives a job back without an outcome, so that the next claim need not wait for the lease to run out. */
  release(jobId: string, fencingToken: bigint): Promise<void>;
  /** Removes rows untouched for `keptMs`, oldest first; gives their number. Rows of running jobs stay. */
  sweep(keptMs: number, rowsPerStep?: number): Promise<number>;
};

/** Every operation is safe to repeat, which `Database.query` does while the server cannot be reached. */
export const createJobStore = (database: Database, nodeId: string, leaseMs: number): JobStore => ({
  status: (jobId) => readStatus(database, jobId),
  claim: (request) => claim(database, request, nodeId, leaseMs),
  renew: (held) => renew(database, held, leaseMs),
  record: (jobId, fencingToken, outcome) => record(database, jobId, fencingToken, outcome),
  release: async (jobId, fencingToken) => {
    await database.query(RELEASE, [jobId, fencingToken.toString()]);
  },
  sweep: (keptMs, rowsPerStep = originLimits.jobs.sweepRowsMax) => sweep(database, keptMs, rowsPerStep),
});

const STATUS = `
select state, fence, outcome, extract(epoch from lease_until - clock_timestamp()) * 1000 as lease_left_ms
  from jobs where job_id = $1`;

/** What is told of a job whose result its owner deleted. */
const erased: Outcome = {
  status: 'failed',
  code: 'result_deleted',
  detail: errors.result_deleted.title,
  retryable: false,
};
const isErased = (outcome: unknown): boolean => typeof outcome === 'object' && outcome !== null && 'erased' in outcome;

type StatusRow = { state: string; fence: string; outcome: unknown; lease_left_ms: string | null };

const readStatus = async (database: Database, jobId: string): Promise<JobStatus> => {
  const [row] = await database.query<StatusRow>(STATUS, [jobId]);
  if (row?.state === 'done') {
    const outcome = isErased(row.outcome) ? erased : outcomeSchema.parse(row.outcome);
    return { kind: 'done', outcome, fencingToken: BigInt(row.fence) };
  }
  const leaseLeftMs = Number(row?.lease_left_ms ?? 0);
  return row?.state === 'leased' && leaseLeftMs > 0 ? { kind: 'on_other_node', leaseLeftMs } : { kind: 'free' };
};

/**
 * Whoever inserts the row, or finds it open or its lease run out, holds it. `claim_id` names one attempt, so that a
 * claim repeated because its answer was lost is recognised as the same.
 */
const CLAIM = `
insert into jobs as j (job_id, account_id, node_id, state, fence, lease_until, deadline_at, claim_id, mode)
values ($1, $2, $3, 'leased', 1, clock_timestamp() + $4 * interval '1 ms', to_timestamp($5 / 1000.0), $6, $7)
on conflict (job_id) do update
   set node_id = excluded.node_id,
       state = 'leased',
       fence = j.fence + case when j.claim_id = excluded.claim_id then 0 else 1 end,
       crashes = j.crashes + case when j.state = 'leased' and j.claim_id <> excluded.claim_id then 1 else 0 end,
       claim_id = excluded.claim_id,
       mode = excluded.mode,
       lease_until = clock_timestamp() + $4 * interval '1 ms',
       deadline_at = excluded.deadline_at,
       touched_at = clock_timestamp()
 where j.state = 'open'
    or (j.state = 'leased' and (j.lease_until < clock_timestamp() or j.claim_id = excluded.claim_id))
returning fence, crashes`;

/** A lost race is run again; each round means that another node made progress. */
const CLAIM_ROUNDS_MAX = 5;

const claim = async (
  database: Database,
  { jobId, accountId, deadlineAtMs, mode }: ClaimRequest,
  nodeId: string,
  leaseMs: number,
): Promise<Claim> => {
  const values = [jobId, accountId, nodeId, leaseMs, deadlineAtMs, randomUUID(), mode];
  for (let round = 0; round < CLAIM_ROUNDS_MAX; round++) {
    const [row] = await database.query<{ fence: string; crashes: number }>(CLAIM, values);
    if (row) return { kind: 'claimed', fencingToken: BigInt(row.fence), crashes: row.crashes };
    const status = await readStatus(database, jobId);
    if (status.kind !== 'free') return status;
  }
  return { kind: 'on_other_node', leaseLeftMs: 0 };
};

/** All leases of a node in one statement. */
const RENEW = `
update jobs as j
   set lease_until = clock_timestamp() + $3 * interval '1 ms', touched_at = clock_timestamp()
  from unnest($1::text[], $2::bigint[]) as held (job_id, fence)
 where j.job_id = held.job_id and j.fence = held.fence and j.state = 'leased'
returning j.job_id`;

const renew = async (database: Database, held: readonly HeldLease[], leaseMs: number): Promise<Set<string>> => {
  const jobIds = held.map(({ jobId }) => jobId);
  const fencingTokens = held.map(({ fencingToken }) => fencingToken.toString());
  const rows = await database.query<{ job_id: string }>(RENEW, [jobIds, fencingTokens, leaseMs]);
  return new Set(rows.map((row) => row.job_id));
};

const RECORD = `
update jobs
   set state = 'done', outcome = $3, lease_until = null, touched_at = clock_timestamp()
 where job_id = $1 and fence = $2 and state = 'leased'
returning job_id`;

const record = async (database: Database, jobId: string, fencingToken: bigint, outcome: Outcome): Promise<boolean> => {
  const rows = await database.query(RECORD, [jobId, fencingToken.toString(), JSON.stringify(outcome)]);
  if (rows.length === 1) return true;
  // Recorded before, and only the answer was lost: then the row carries this very token.
  const status = await readStatus(database, jobId);
  return status.kind === 'done' && status.fencingToken === fencingToken;
};

const RELEASE = `
update jobs
   set state = 'open', node_id = null, lease_until = null, touched_at = clock_timestamp()
 where job_id = $1 and fence = $2 and state = 'leased'`;

/** In steps small enough to hold nobody up. */
const SWEEP = `
delete from jobs
 where job_id in (
   select job_id from jobs
    where touched_at < clock_timestamp() - $1 * interval '1 ms'
      and (state <> 'leased' or lease_until < clock_timestamp())
    order by touched_at
    limit $2
    for update skip locked)
returning job_id`;

const sweep = async (database: Database, keptMs: number, rowsPerStep: number): Promise<number> => {
  let removed = 0;
  for (let step = 0; step < originLimits.jobs.sweepStepsMax; step++) {
    const rows = await database.query(SWEEP, [keptMs, rowsPerStep]);
    removed += rows.length;
    if (rows.length < rowsPerStep) break;
  }
  return removed;
};
