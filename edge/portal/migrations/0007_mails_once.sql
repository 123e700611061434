-- A mail of local mode that is asked for twice is kept once, as the mail API does it with an Idempotency-Key.
alter table outbox add column once text;
create unique index outbox_once on outbox (once);
