/** A history's object as its first version left it: its tables, word for word, and rows as it wrote them. */
import type { RequestRow } from '../../../edge/account/requests/port.ts';

const TABLES = `
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
  `;

export type ReleasedHistory = {
  readonly keyId: string;
  readonly batchId: string;
  /** With the keys that the table had for them. */
  readonly requests: readonly (RequestRow & { readonly logId: string })[];
  readonly nowMs: number;
};

/** The Idempotency-Key `mine` is held by a try that died. */
export const saveReleasedHistory = (sql: SqlStorage, { keyId, batchId, requests, nowMs }: ReleasedHistory): void => {
  sql.exec('create table migration (number integer primary key)');
  sql.exec(TABLES);
  sql.exec('insert into migration values (0)');
  for (const row of requests)
    sql.exec(
      'insert into request values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.logId,
      row.requestId,
      row.atMs,
      row.keyId,
      row.method,
      row.path,
      row.status,
      row.images,
      row.credits,
      row.latencyMs,
      row.errorCode,
      row.batchId,
    );
  sql.exec(`update history set requests = ?, rolledThrough = ?`, requests.length, requests.at(-1)?.logId ?? '');
  sql.exec(`insert into requestDay values ('2026-11-20', 5, 1, '{"72":4}')`);
  sql.exec(
    'insert into idempotency values (?, ?, ?, ?, ?, ?, ?)',
    keyId,
    'mine',
    batchId,
    'req_dead',
    nowMs - 60_000,
    nowMs - 45_000,
    null,
  );
};
