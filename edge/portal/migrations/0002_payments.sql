-- One row per paid checkout. A row is written before its credits are granted; `credited_at` is null until the ledger has confirmed them.
create table payments (
  id text not null primary key,
  account_id text not null,
  payment_intent text not null unique,
  checkout_session text not null unique,
  amount_cents integer not null check (amount_cents > 0),
  currency text not null,
  credits integer not null check (credits > 0),
  email text,
  mode text not null check (mode in ('stripe', 'test')),
  paid_at integer not null,
  credited_at integer
);
create index payments_by_account on payments (account_id, paid_at desc);

-- Money that went back or came again after a payment: refunds and disputes. `credits` is signed as the ledger sees it and is decided once, on insertion.
create table payment_adjustments (
  id text not null primary key,
  payment_id text not null references payments (id),
  kind text not null check (kind in ('refund', 'refund_failed', 'dispute', 'dispute_returned')),
  cents integer not null,
  credits integer not null,
  made_at integer not null,
  recorded_at integer
);
create index payment_adjustments_by_payment on payment_adjustments (payment_id);

-- Checkouts of local mode, where no Stripe key is set. Nothing here is ever written in production.
create table test_checkouts (
  id text not null primary key,
  account_id text not null,
  email text not null,
  created_at integer not null
);
