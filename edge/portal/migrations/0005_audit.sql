-- What was done to an account, by whom. `once` makes an event that is told twice appear once.
create table audit_events (
  id text not null primary key,
  account_id text not null,
  at integer not null,
  actor text not null check (actor in ('owner', 'key', 'somebody', 'payments', 'operator')),
  action text not null,
  subject text,
  detail text,
  address text,
  country text,
  once text unique
);
create index audit_events_by_account on audit_events (account_id, id desc);
create index audit_events_by_age on audit_events (at);
-- Append-only. What may change is that an address goes after 90 days, and what may go are events of more than 400 days.
create trigger audit_events_unchanged before update on audit_events
when new.address is not null or old.at > (unixepoch() - 90 * 86400) * 1000
  or new.id is not old.id or new.account_id is not old.account_id or new.at is not old.at or new.actor is not old.actor
  or new.action is not old.action or new.subject is not old.subject or new.detail is not old.detail
  or new.country is not old.country or new.once is not old.once
begin
  select raise(abort, 'audit events do not change');
end;
create trigger audit_events_kept before delete on audit_events
when old.at > (unixepoch() - 400 * 86400) * 1000
begin
  select raise(abort, 'audit events are kept for 400 days');
end;
