-- Files that killed their decoder, by the lower-case hex SHA-256 of their bytes, so that every node refuses them at once.
create table undecodable_inputs (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  until timestamptz not null
);
create index undecodable_inputs_until on undecodable_inputs (until);
