/**
 * The questions of `npm run reconcile`: each is one statement over ledger entries, batches and jobs, and each row it
 * returns is a disagreement.
 */
import { originLimits } from '../limits.ts';
import type { Database } from './database.ts';

export const disagreementKinds = [
  'ledger_gap',
  'ledger_balance',
  'ledger_arithmetic',
  'image_settled_twice',
  'batch_oversettled',
  'batch_unsettled',
  'batch_counts',
  'batch_without_hold',
  'posted_without_outcome',
  'posted_but_failed',
  'voided_but_completed',
  'completed_but_unsettled',
] as const;
export type DisagreementKind = (typeof disagreementKinds)[number];
export type Disagreement = { readonly kind: DisagreementKind; readonly subject: string; readonly detail: string };

/** Rows younger than `graceMs` are not compared: what belongs to them may still be on its way. */
export type ReconcileOptions = { readonly graceMs: number };

/** $1: grace, ms. $2: how long the job store keeps outcomes, ms; older settlements cannot be checked against it. */
const QUESTIONS: Record<DisagreementKind, string> = {
  // Entries are numbered 1, 2, 3 … per account; a missing number is an entry that never arrived.
  ledger_gap: `
    select account_id as subject, format('seq %s follows %s', seq, before) as detail
      from (select account_id, seq, received_at, coalesce(lag(seq) over (partition by account_id order by seq), 0) as before from ledger_entries) e
     where seq <> before + 1 and received_at < clock_timestamp() - $1 * interval '1 ms'`,
  // granted − refunded = available + held + spent, after every entry.
  ledger_balance: `
    select id as subject, format('granted %s, but available %s + held %s + spent %s', granted, available, held, spent) as detail
      from (select id, available, held, spent,
                   sum(case kind when 'grant' then credits when 'refund' then -credits else 0 end) over (partition by account_id order by seq) as granted,
                   count(*) over (partition by account_id order by seq) = seq as complete
              from ledger_entries) e
     where complete and granted <> available + held + spent`,
  // Each kind moves credits in one way only, from the balance that the entry before it left.
  ledger_arithmetic: `
    select id as subject, format('%s of %s turned %s/%s/%s into %s/%s/%s', kind, credits, a, h, s, available, held, spent) as detail
      from (select id, kind, credits, available, held, spent, seq,
                   coalesce(lag(seq) over w, 0) as before,
                   coalesce(lag(available) over w, 0) as a, coalesce(lag(held) over w, 0) as h, coalesce(lag(spent) over w, 0) as s
              from ledger_entries window w as (partition by account_id order by seq)) e
     where seq = before + 1
       and (available - a, held - h, spent - s) is distinct from (
             case kind when 'grant' then credits when 'refund' then -credits when 'hold' then -credits when 'void' then credits else 0 end,
             case kind when 'hold' then credits when 'post' then -credits when 'void' then -credits else 0 end,
             case kind when 'post' then credits else 0 end)`,
  image_settled_twice: `
    select image_id as subject, string_agg(kind || ' ' || id, ', ' order by seq) as detail
      from ledger_entries where kind in ('post', 'void') and image_id is not null
     group by image_id having count(*) > 1`,
  batch_oversettled: `
    select batch_id as subject, format('held %s, settled %s', held, settled) as detail
      from (select batch_id, coalesce(sum(credits) filter (where kind = 'hold'), 0) as held, coalesce(sum(credits) filter (where kind in ('post', 'void')), 0) as settled
              from ledger_entries where batch_id is not null group by batch_id) e
     where settled > held`,
  // A batch that has ended leaves nothing pending.
  batch_unsettled: `
    select b.batch_id as subject, format('ended with %s of %s credits settled', e.settled, e.held) as detail
      from batches b
      join (select batch_id, coalesce(sum(credits) filter (where kind = 'hold'), 0) as held, coalesce(sum(credits) filter (where kind in ('post', 'void')), 0) as settled
              from ledger_entries where batch_id is not null group by batch_id) e using (batch_id)
     where e.settled < e.held and b.received_at < clock_timestamp() - $1 * interval '1 ms'`,
  batch_counts: `
    select b.batch_id as subject, format('%s completed and %s failed of %s, but %s posted and %s voided', b.completed, b.failed, b.images, e.posted, e.voided) as detail
      from batches b
      join (select batch_id, count(*) filter (where kind = 'post') as posted, count(*) filter (where kind = 'void') as voided, bool_or(image_id is null and kind in ('post', 'void')) as lump
              from ledger_entries where batch_id is not null group by batch_id) e using (batch_id)
     where b.received_at < clock_timestamp() - $1 * interval '1 ms'
       and (b.completed + b.failed <> b.images or e.posted <> b.completed or (not e.lump and e.voided <> b.failed))`,
  batch_without_hold: `
    select b.batch_id as subject, format('%s images of %s', b.images, b.account_id) as detail
      from batches b
     where b.completed > 0 and b.received_at < clock_timestamp() - $1 * interval '1 ms'
       and not exists (select 1 from ledger_entries e where e.batch_id = b.batch_id and e.kind = 'hold')`,
  // An image is charged exactly when its download exists.
  posted_without_outcome: `
    select e.image_id as subject, format('charged by %s, but the job store %s', e.id, case when j.job_id is null then 'does not know it' else 'has it ' || j.state end) as detail
      from ledger_entries e left join jobs j on j.job_id = e.image_id
     where e.kind = 'post' and e.image_id is not null and e.at > clock_timestamp() - $2 * interval '1 ms' and j.state is distinct from 'done'`,
  posted_but_failed: `
    select e.image_id as subject, format('charged by %s, but it failed with %s', e.id, j.outcome ->> 'code') as detail
      from ledger_entries e join jobs j on j.job_id = e.image_id
     where e.kind = 'post' and j.outcome ->> 'status' = 'failed'`,
  // An outcome after the job's deadline came too late for its caller.
  voided_but_completed: `
    select e.image_id as subject, format('returned by %s, but it was completed in time', e.id) as detail
      from ledger_entries e join jobs j on j.job_id = e.image_id
     where e.kind = 'void' and j.outcome ->> 'status' = 'completed' and j.touched_at < j.deadline_at and j.touched_at < e.at + interval '1 ms'`,
  completed_but_unsettled: `
    select j.job_id as subject, 'completed, but neither charged nor returned' as detail
      from jobs j
     where j.outcome ->> 'status' = 'completed' and j.job_id like 'img\\_%' and j.touched_at < clock_timestamp() - $1 * interval '1 ms'
       and not exists (select 1 from ledger_entries e where e.image_id = j.job_id and e.kind in ('post', 'void'))`,
};

/** Every disagreement, by kind in the order of `disagreementKinds`, then by subject. Changes nothing. */
export const findDisagreements = async (database: Database, options: ReconcileOptions): Promise<Disagreement[]> => {
  const found: Disagreement[] = [];
  for (const kind of disagreementKinds) {
    // Both parameters are named in every statement, because the server must know their types.
    const text = `with bounds as (select $1::double precision, $2::double precision) ${QUESTIONS[kind]} order by 1`;
    const rows = await database.query<{ subject: string; detail: string }>(text, [
      options.graceMs,
      originLimits.jobs.outcomeKeptMs,
    ]);
    found.push(...rows.map((row) => ({ kind, ...row })));
  }
  return found;
};

export const countRows = async (database: Database): Promise<{ entries: number; batches: number; jobs: number }> => {
  const [row] = await database.query<{ entries: number; batches: number; jobs: number }>(
    'select (select count(*)::int from ledger_entries) as entries, (select count(*)::int from batches) as batches, (select count(*)::int from jobs) as jobs',
  );
  return row ?? { entries: 0, batches: 0, jobs: 0 };
};
