-- What the status page's probes found: each one for two days, sums by UTC day for 90, and incidents. Times are Unix time, ms.
create table status_probes (
  component text not null,
  at integer not null,
  result text not null check (result in ('ok', 'slow', 'failed')),
  took_ms integer not null check (took_ms >= 0),
  primary key (component, at)
) strict;
create index status_probes_by_time on status_probes (at);

-- `answered_ms`: the sum of what the probes took that did not fail.
create table status_days (
  component text not null,
  day text not null,
  ok integer not null,
  slow integer not null,
  failed integer not null,
  answered_ms integer not null,
  primary key (component, day)
) strict;

create table status_incidents (
  component text not null,
  began_at integer not null,
  kind text not null check (kind in ('down', 'degraded')),
  ended_at integer check (ended_at >= began_at),
  primary key (component, began_at)
) strict;

-- One row: the answer of /status.json as the last run left it, so that reading it costs one row however many read; and
-- what the probe of this database writes and reads back.
create table status_now (
  id integer primary key check (id = 1),
  answer text,
  heartbeat integer
) strict;
insert into status_now (id) values (1);
