-- What is known of a payment is recorded apart from what the ledger was told of it, so that events may come in any order.
-- Existing rows are carried over. `payment_adjustments` goes: a Worker of the version before answers Stripe 500 until it is replaced, and Stripe sends again.

-- The checkout session is unknown where the payment intent was heard of first. `pending_since` is null once the ledger has been told of everything known;
-- a row that the version before still adds is pending from the start. `compared_at` is null until its credits were looked up in the ledger.
alter table payments rename to payments_before;
create table payments (
  id text not null primary key,
  account_id text not null,
  payment_intent text not null unique,
  checkout_session text unique,
  amount_cents integer not null check (amount_cents > 0),
  currency text not null,
  credits integer not null check (credits > 0),
  email text,
  mode text not null check (mode in ('stripe', 'test')),
  paid_at integer not null,
  pending_since integer default 0,
  compared_at integer
);
insert into payments (id, account_id, payment_intent, checkout_session, amount_cents, currency, credits, email, mode, paid_at, pending_since)
select p.id, p.account_id, p.payment_intent, p.checkout_session, p.amount_cents, p.currency, p.credits, p.email, p.mode, p.paid_at,
  case when p.credited_at is null or exists (select 1 from payment_adjustments a where a.payment_id = p.id and a.recorded_at is null) then p.paid_at end
from payments_before p;

-- Refunds and disputes by Stripe's own ids. Both sums only ever grow. No reference to `payments`: the refund may be heard of first, and is then a stray.
create table payment_reversals (
  id text not null primary key,
  payment_intent text not null,
  source text not null check (source in ('refund', 'dispute')),
  taken_cents integer not null check (taken_cents >= 0),
  returned_cents integer not null check (returned_cents >= 0),
  at integer not null,
  stray_since integer
);
insert into payment_reversals (id, payment_intent, source, taken_cents, returned_cents, at)
select substr(a.id, instr(a.id, ':') + 1), p.payment_intent, case when a.kind in ('refund', 'refund_failed') then 'refund' else 'dispute' end,
  max(abs(a.cents)), max(max(0, -a.cents)), max(a.made_at)
from payment_adjustments a join payments_before p on p.id = a.payment_id
group by 1, 2, 3;

-- What the ledger is told, in order. A row is written before the ledger hears of it and never changes but for `applied_at`.
create table payment_movements (
  payment_intent text not null references payments (payment_intent),
  sequence integer not null check (sequence > 0),
  ledger_id text not null unique,
  kind text not null check (kind in ('purchase', 'test_purchase', 'refund', 'refund_failed', 'dispute', 'dispute_returned')),
  reversal_id text,
  cents integer not null,
  credits integer not null,
  made_at integer not null,
  applied_at integer,
  primary key (payment_intent, sequence)
);
insert into payment_movements (payment_intent, sequence, ledger_id, kind, reversal_id, cents, credits, made_at, applied_at)
select payment_intent, 1, 'purchase:' || payment_intent, case mode when 'test' then 'test_purchase' else 'purchase' end, null, 0, credits, paid_at, credited_at
from payments_before;
insert into payment_movements (payment_intent, sequence, ledger_id, kind, reversal_id, cents, credits, made_at, applied_at)
select p.payment_intent, 1 + row_number() over (partition by p.id order by a.rowid), a.id, a.kind, substr(a.id, instr(a.id, ':') + 1), a.cents, a.credits, a.made_at, a.recorded_at
from payment_adjustments a join payments_before p on p.id = a.payment_id;

drop table payment_adjustments;
drop table payments_before;
create index payments_by_account on payments (account_id, paid_at desc);
create index payments_pending on payments (pending_since) where pending_since is not null;
create index payments_uncompared on payments (paid_at) where compared_at is null;
create index payment_reversals_by_payment on payment_reversals (payment_intent);
create index payment_reversals_stray on payment_reversals (stray_since) where stray_since is not null;

-- How far Stripe's own list of events was read: everything before `from_ms`; the page after `after` of [from_ms, to_ms) is next. At most one row.
create table stripe_poll (
  id integer not null primary key check (id = 1),
  from_ms integer not null,
  to_ms integer not null,
  after text
);
