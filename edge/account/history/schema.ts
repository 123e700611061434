/**
 * Tables of an account's history, by number, forward only. A logged request is one row and no index: its key sorts by
 * the time of its answer.
 */
export const historySchema: readonly string[] = [
  `
  create table history (
    id integer primary key check (id = 1),
    requests integer not null default 0,
    rolledThrough text not null default '',
    mayHaveOlderRecords integer not null default 1
  );
  insert into history (id) values (1);

  create table request (
    logId text primary key,
    requestId text not null,
    atMs integer not null,
    keyId text not null,
    method text not null,
    path text not null,
    status integer not null,
    images integer not null,
    credits integer not null,
    latencyMs integer not null,
    errorCode text,
    batchId text
  ) without rowid;

  create table requestDay (
    day text primary key,
    requests integer not null,
    errors integer not null,
    latencies text not null
  ) without rowid;

  create table idempotency (
    keyId text not null,
    idempotencyKey text not null,
    batchId text not null,
    owner text,
    createdAtMs integer not null,
    leaseUntilMs integer not null,
    answer text,
    primary key (keyId, idempotencyKey)
  ) without rowid;
  create index idempotencyAge on idempotency (createdAtMs);
  `,
];
