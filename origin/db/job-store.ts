/**
 * Takes a job for a node, once: whoever inserts the row, or finds it open or its lease run out, holds it; all others
 * are told how things stand.
 */
import { randomUUID } from 'node:crypto';
import type { Outcome } from '../../shared/job.ts';
import type { Database } from './database.ts';
import { readStanding, type Standing } from './standing.ts';

export type ClaimRequest = {
  readonly jobId: string;
  readonly accountId: string;
  readonly nodeId: string;
  readonly leaseMs: number;
  readonly deadlineAtMs: number;
};
export type Claim =
  /**
   * The lease counts from before the statement was sent, so the node never believes in it longer than the database
   * does.
   */
  | { readonly kind: 'claimed'; readonly fence: bigint; readonly crashes: number }
  | { readonly kind: 'running_elsewhere'; readonly leaseLeftMs: number }
  | { readonly kind: 'done'; readonly outcome: Outcome };

/** A lost race is run again; each round means that another node made progress. */
const ROUNDS_MAX = 5;

const CLAIM = `
insert into jobs as j (job_id, account_id, node_id, state, fence, lease_until, deadline_at, claim_id)
values ($1, $2, $3, 'leased', 1, clock_timestamp() + $4 * interval '1 ms', to_timestamp($5 / 1000.0), $6)
on conflict (job_id) do update
   set node_id = excluded.node_id,
       state = 'leased',
       fence = j.fence + case when j.claim_id = excluded.claim_id then 0 else 1 end,
       crashes = j.crashes + case when j.state = 'leased' and j.claim_id <> excluded.claim_id then 1 else 0 end,
       claim_id = excluded.claim_id,
       lease_until = clock_timestamp() + $4 * interval '1 ms',
       deadline_at = excluded.deadline_at,
       touched_at = clock_timestamp()
 where j.state = 'open' or (j.state = 'leased' and (j.lease_until < clock_timestamp() or j.claim_id = excluded.claim_id))
returning fence, crashes`;

const asClaim = (standing: Standing): Claim | undefined =>
  standing.kind === 'done' || standing.kind === 'running_elsewhere' ? standing : undefined;

export const claimJob = async (database: Database, request: ClaimRequest): Promise<Claim> => {
  const claimId = randomUUID();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const [row] = await database.query<{ fence: string; crashes: number }>(CLAIM, [
      request.jobId,
      request.accountId,
      request.nodeId,
      request.leaseMs,
      request.deadlineAtMs,
      claimId,
    ]);
    if (row) return { kind: 'claimed', fence: BigInt(row.fence), crashes: row.crashes };
    const standing = asClaim(await readStanding(database, request.jobId));
    if (standing) return standing;
  }
  return { kind: 'running_elsewhere', leaseLeftMs: 0 };
};
