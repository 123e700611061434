-- Rows of the export that came again with other content than the stored one, as they were sent last. A row goes when it
-- comes as it is stored.
create table ledger_conflicts (
  id text primary key,
  sent jsonb not null,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp()
);

-- The newest checkpoint of each account's ledger: what the edge signed when it deleted lines that are kept here.
create table ledger_checkpoints (
  account_id text primary key,
  through_seq bigint not null check (through_seq > 0),
  granted bigint not null,
  available bigint not null,
  held bigint not null,
  spent bigint not null,
  chain text not null,
  key_id text not null,
  signature text not null,
  received_at timestamptz not null default clock_timestamp(),
  check (granted = available + held + spent)
);
