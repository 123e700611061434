/**
 * Tables of an account's history, by number, forward only. A logged request is one row, and one of an index where it took
 * long: its key sorts by the time of its answer. Scripts after the first must be such that a full object, in which they
 * fail, can still answer and sweep.
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

  // A quick request is found by the time in its id; only slow ones pay for an index.
  `create index slowRequest on request (requestId) where latencyMs > 1000`,

  `
  create table folder (
    folderId text primary key,
    name text not null,
    keyId text not null,
    fields text not null,
    photos integer not null
  ) without rowid;
  create table folderBatch (
    folderId text not null,
    batchId text not null,
    part text not null,
    positions text not null,
    primary key (folderId, batchId)
  ) without rowid;
  create index folderOfBatch on folderBatch (batchId);
  `,

  // Looked through as a whole: a thousand rows at most, whose bodies are not read for that.
  `
  create table webhookAttempt (
    attemptId text primary key,
    atMs integer not null,
    batchId text,
    eventId text not null,
    url text not null,
    sentBy text not null,
    outcome text not null,
    status integer,
    failure text,
    ms integer not null,
    bodyBytes integer not null,
    body text
  ) without rowid;
  alter table request add column names text;
  alter table request add column marketplaces text;
  `,
  // To forget the names of one batch without reading the whole log; lines of requests without files are not in it.
  'create index namedRequest on request (batchId) where names is not null',
  // Sums of the log by day (UTC), key and marketplaces named; requests/split.ts says how.
  `
  create table requestSplit (
    day text not null,
    keyId text not null,
    marketplaces text not null,
    requests integer not null,
    errors integer not null,
    latencies text not null,
    primary key (day, keyId, marketplaces)
  ) without rowid;
  `,

  // Deliveries to webhook endpoints that are to be made; endpoints whose last delivery failed, or that are being disabled.
  `
  create table webhookDelivery (
    endpointId text not null,
    eventId text not null,
    type text not null,
    batchId text,
    body text,
    atMs integer not null,
    attempts integer not null,
    firstAtMs integer,
    dueAtMs integer not null,
    primary key (endpointId, eventId)
  ) without rowid;
  create index webhookDeliveryDue on webhookDelivery (dueAtMs, endpointId);
  create table webhookHealth (
    endpointId text primary key,
    failingSinceMs integer not null,
    failures integer not null,
    lastFailedAtMs integer not null,
    disabledWhy text,
    disabledAtMs integer,
    url text,
    dueAtMs integer,
    tries integer not null default 0
  ) without rowid;
  alter table history add column webhookEventsThrough integer not null default 0;
  alter table history add column accountId text;
  alter table webhookAttempt add column endpointId text;
  alter table webhookAttempt add column type text;
  `,
];
