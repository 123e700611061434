-- Tries to sign in, per account and where they come from. A Worker of the version before cannot sign anybody in until it is replaced.
drop table sign_in_attempts;
create table sign_in_trails (
  trail text not null primary key,
  tries integer not null,
  waits_until integer not null,
  last_at integer not null
);
create index sign_in_trails_by_age on sign_in_trails (last_at);

-- Networks from which an account was signed in to. Hashes: which network it was cannot be read from them without the address.
create table known_networks (
  account_sha256 text not null,
  network_sha256 text not null,
  seen_at integer not null,
  primary key (account_sha256, network_sha256)
);
create index known_networks_by_age on known_networks (seen_at);

-- How often something happened within a window: mails, tries, checkouts.
create table counters (
  name text not null primary key,
  count integer not null,
  ends_at integer not null
);
create index counters_by_end on counters (ends_at);

-- Links in mails of ours: to complete a registration, to confirm a new address. Only the SHA-256 of each is kept.
create table mailed_links (
  token_sha256 text not null primary key,
  kind text not null check (kind in ('sign_up', 'address')),
  email text not null,
  user_id text references "user" ("id") on delete cascade,
  expires_at integer not null,
  check ((kind = 'address') = (user_id is not null))
);
create index mailed_links_by_end on mailed_links (expires_at);
create index mailed_links_by_user on mailed_links (user_id);
create index verification_by_value on verification ("value");

-- A user is made when the address is confirmed. Registrations that nobody confirmed hold a password of whoever made them, and own nothing: they go.
delete from "user" where "emailVerified" = 0;

-- Tables of better-auth's second factors: codes of an authenticator with recovery codes (both encrypted), and passkeys.
alter table "user" add column "twoFactorEnabled" integer not null default 0;
create table "twoFactor" (
  "id" text not null primary key,
  "secret" text not null,
  "backupCodes" text not null,
  "userId" text not null references "user" ("id") on delete cascade,
  "verified" integer not null default 1,
  "failedVerificationCount" integer not null default 0,
  "lockedUntil" date
);
create index "twoFactor_userId_idx" on "twoFactor" ("userId");
create table "passkey" (
  "id" text not null primary key,
  "name" text,
  "publicKey" text not null,
  "userId" text not null references "user" ("id") on delete cascade,
  "credentialID" text not null unique,
  "counter" integer not null,
  "deviceType" text not null,
  "backedUp" integer not null,
  "transports" text,
  "createdAt" date,
  "aaguid" text
);
create index "passkey_userId_idx" on "passkey" ("userId");

-- Where a session began, as Cloudflare saw it: two letters.
alter table "session" add column "country" text;
