-- Who may act for an account, and as what. A user owns their own account from the start, also one that the Worker of the version before makes.
create table members (
  account_id text not null,
  user_id text not null references "user" ("id") on delete cascade,
  role text not null check (role in ('owner', 'developer', 'billing')),
  joined_at integer not null,
  -- When the account was last chosen: a new session begins in the newest.
  chosen_at integer,
  primary key (account_id, user_id)
);
create index members_by_user on members (user_id);
insert into members (account_id, user_id, role, joined_at)
select account_id, "id", 'owner', coalesce(unixepoch("createdAt"), unixepoch()) * 1000 from "user";
create trigger user_owns_account after insert on "user"
begin
  insert into members (account_id, user_id, role, joined_at)
  values (new.account_id, new."id", 'owner', coalesce(unixepoch(new."createdAt"), unixepoch()) * 1000);
end;

-- Which account a session acts for; null: the user's own, as in sessions of the version before.
alter table "session" add column account_id text;

-- Of a link only the SHA-256 is kept. Rows that are not open answer for a while what became of the link.
create table invitations (
  id text not null primary key,
  account_id text not null,
  email text not null,
  role text not null check (role in ('owner', 'developer', 'billing')),
  token_sha256 text not null unique,
  invited_by text references "user" ("id") on delete set null,
  created_at integer not null,
  expires_at integer not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'withdrawn'))
);
create unique index invitations_open on invitations (account_id, email) where state = 'open';
create index invitations_by_end on invitations (expires_at);
create index invitations_by_inviter on invitations (invited_by);

-- Which user an event is of. Their mail address is not here: it is read from "user", and goes with it.
alter table audit_events add column user_id text;
create index audit_events_by_user on audit_events (account_id, user_id) where user_id is not null;
drop trigger audit_events_unchanged;
create trigger audit_events_unchanged before update on audit_events
when new.address is not null or old.at > (unixepoch() - 90 * 86400) * 1000
  or new.id is not old.id or new.account_id is not old.account_id or new.at is not old.at or new.actor is not old.actor
  or new.action is not old.action or new.subject is not old.subject or new.detail is not old.detail
  or new.country is not old.country or new.once is not old.once or new.user_id is not old.user_id
begin
  select raise(abort, 'audit events do not change');
end;
