-- The kind of key that asked for the job: images of test keys are never charged and have no ledger entries. Null in rows
-- that a node of the version before claimed: for these it is not known.
alter table jobs add column mode text;
-- Not validated, so that a large table is not scanned while nodes wait for it; new rows are checked all the same.
alter table jobs add constraint jobs_mode check (mode in ('live', 'test')) not valid;
