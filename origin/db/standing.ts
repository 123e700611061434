/** How a job stands, without touching it. */
import { type Outcome, outcomeSchema } from '../../shared/job.ts';
import type { Database } from './database.ts';

export type Standing =
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly fence: bigint }
  | { readonly kind: 'running_elsewhere'; readonly leaseLeftMs: number }
  /** Unknown, given back, or its lease has run out. */
  | { readonly kind: 'free' };

const STANDING = `
select state, fence, outcome, extract(epoch from lease_until - clock_timestamp()) * 1000 as lease_left_ms
  from jobs where job_id = $1`;

export const readStanding = async (database: Database, jobId: string): Promise<Standing> => {
  const [row] = await database.query<{ state: string; fence: string; outcome: unknown; lease_left_ms: string | null }>(
    STANDING,
    [jobId],
  );
  if (row?.state === 'done')
    return { kind: 'done', outcome: outcomeSchema.parse(row.outcome), fence: BigInt(row.fence) };
  const leaseLeftMs = Number(row?.lease_left_ms ?? 0);
  return row?.state === 'leased' && leaseLeftMs > 0 ? { kind: 'running_elsewhere', leaseLeftMs } : { kind: 'free' };
};
