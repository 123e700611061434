-- The job store: one row per job, whatever node it runs on. All times are the database's.
create table jobs (
  job_id text primary key check (length(job_id) between 1 and 64),
  account_id text not null,
  -- open: nobody runs it, it may be claimed · leased: a node runs it until lease_until · done: it has its one outcome.
  state text not null check (state in ('open', 'leased', 'done')),
  -- Who holds the lease, or who finished the job.
  node_id text,
  -- The fencing token: grows with every claim. Only the holder of the newest one may record an outcome.
  fence bigint not null check (fence > 0),
  -- Names one attempt to claim, so that a claim repeated because its answer was lost is recognised as the same.
  claim_id uuid not null,
  -- Leases that ran out before their node reported anything: it died.
  crashes integer not null default 0 check (crashes >= 0),
  lease_until timestamptz,
  deadline_at timestamptz not null,
  outcome jsonb,
  created_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  check ((state = 'leased') = (lease_until is not null)),
  check ((state = 'done') = (outcome is not null)),
  check (state = 'open' or node_id is not null),
  check (outcome is null or outcome ->> 'status' in ('completed', 'failed'))
);
create index jobs_touched_at on jobs (touched_at);
