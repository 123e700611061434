-- The ledger export: a copy of what AccountLedger and BatchSaga remember, row by row, never changed.
create table ledger_entries (
  id text primary key,
  account_id text not null,
  seq bigint not null check (seq > 0),
  kind text not null check (kind in ('grant', 'hold', 'post', 'void', 'refund')),
  batch_id text,
  image_id text,
  credits bigint not null check (credits > 0),
  at timestamptz not null,
  -- Below zero after a refund of credits already used.
  available bigint not null,
  held bigint not null check (held >= 0),
  spent bigint not null check (spent >= 0),
  received_at timestamptz not null default clock_timestamp(),
  check (kind in ('grant', 'refund') or batch_id is not null)
);
create index ledger_entries_account on ledger_entries (account_id, seq);
create index ledger_entries_batch on ledger_entries (batch_id);
create index ledger_entries_image on ledger_entries (image_id);

create table batches (
  batch_id text primary key,
  account_id text not null,
  status text not null check (status in ('completed', 'completed_with_errors', 'failed')),
  images integer not null check (images > 0),
  completed integer not null check (completed >= 0),
  failed integer not null check (failed >= 0),
  at timestamptz not null,
  received_at timestamptz not null default clock_timestamp()
);
