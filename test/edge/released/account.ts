/**
 * An account's object as the first version left it: its tables, word for word, and rows as it wrote them. Half of the
 * lines are exported; one batch of three images is open, its first image charged.
 */
import type { StoredAnswer } from '../../../edge/account/idempotency/record.ts';

const TABLES = `
  create table account (
    id integer primary key check (id = 1),
    accountId text not null,
    label text not null,
    createdAtMs integer not null,
    granted integer not null,
    available integer not null,
    held integer not null check (held >= 0),
    spent integer not null check (spent >= 0),
    entries integer not null,
    exportedThrough integer not null default 0,
    exportDueAtMs integer,
    housekeepingAtMs integer not null,
    webhookSecret text,
    webhookRotatedAtMs integer,
    check (granted = available + held + spent)
  );

  create table hold (
    batchId text primary key,
    state text not null check (state in ('open', 'released')),
    images integer not null,
    pending integer not null check (pending >= 0),
    posted integer not null,
    voided integer not null,
    openedAtMs integer not null,
    checkAtMs integer,
    check (images = pending + posted + voided),
    check ((pending = 0) = (checkAtMs is null))
  ) without rowid;
  create index holdDue on hold (checkAtMs) where checkAtMs is not null;

  create table resolution (
    batchId text not null,
    imageIndex integer not null,
    resolvedAs text not null check (resolvedAs in ('posted', 'voided')),
    primary key (batchId, imageIndex)
  ) without rowid;

  create table entry (
    sequence integer primary key,
    commandId text not null unique,
    kind text not null check (kind in ('grant', 'adjust', 'hold', 'post', 'void', 'release')),
    credits integer not null,
    granted integer not null,
    available integer not null,
    held integer not null,
    spent integer not null,
    batchId text,
    imageIndex integer,
    reason text,
    reference text,
    createdAtMs integer not null,
    check (granted = available + held + spent)
  );
  create index entryTime on entry (createdAtMs);
  create trigger entryStays before update on entry begin select raise(abort, 'the ledger is append-only'); end;
  create trigger entryIsKept before delete on entry begin select raise(abort, 'the ledger is append-only'); end;

  create table endedBatch (batchId text primary key, summary text not null) without rowid;

  create table apiKey (
    keyId text primary key,
    hash text not null unique,
    mode text not null check (mode in ('live', 'test')),
    label text not null,
    masked text not null,
    createdAtMs integer not null,
    lastUsedAtMs integer,
    revokedAtMs integer
  ) without rowid;

  create table idempotency (
    keyId text not null,
    idempotencyKey text not null,
    batchId text not null,
    createdAtMs integer not null,
    leaseUntilMs integer not null,
    answer text,
    primary key (keyId, idempotencyKey)
  ) without rowid;
  create index idempotencyAge on idempotency (createdAtMs);

  create table request (
    row integer primary key autoincrement,
    requestId text not null unique,
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
  );
  create index requestTime on request (atMs);
  create index requestKey on request (keyId, row);
  `;

export type ReleasedAccount = {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly batchId: string;
  readonly nowMs: number;
  /** Of a request under the Idempotency-Key `answered`; the one under `running` died. */
  readonly answer: StoredAnswer;
};

export const saveReleasedAccount = (sql: SqlStorage, account: ReleasedAccount): void => {
  const { accountId, keyId, keyHash, batchId, nowMs, answer } = account;
  sql.exec('create table migration (number integer primary key)');
  sql.exec(TABLES);
  sql.exec('insert into migration values (0)');
  const day = 86_400_000;
  sql.exec(
    `insert into account values (1, ?, 'Shop', ?, 100, 97, 2, 1, 3, 2, ?, ?, 'whsec_released', ?)`,
    accountId,
    nowMs - 40 * day,
    nowMs + 2_000,
    nowMs + 3_600_000,
    nowMs - 40 * day,
  );
  const entry = 'insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
  sql.exec(entry, 1, 'grant:pay_1', 'grant', 100, 100, 100, 0, 0, null, null, 'purchase', 'pay_1', nowMs - 39 * day);
  sql.exec(entry, 2, `hold:${batchId}`, 'hold', -3, 100, 97, 3, 0, batchId, null, null, null, nowMs - 60_000);
  sql.exec(entry, 3, `post:${batchId}:0`, 'post', 1, 100, 97, 2, 1, batchId, 0, null, null, nowMs - 50_000);
  sql.exec(`insert into hold values (?, 'open', 3, 2, 1, 0, ?, ?)`, batchId, nowMs - 60_000, nowMs + 43_200_000);
  sql.exec(`insert into resolution values (?, 0, 'posted')`, batchId);
  sql.exec(
    `insert into apiKey values (?, ?, 'live', 'Default', 'ps_live_…', ?, null, null)`,
    keyId,
    keyHash,
    nowMs - 40 * day,
  );
  const record = 'insert into idempotency values (?, ?, ?, ?, ?, ?)';
  sql.exec(record, keyId, 'answered', batchId, nowMs - 60_000, nowMs, JSON.stringify(answer));
  sql.exec(record, keyId, 'running', 'bat_00000000000000000000000000', nowMs - 600_000, nowMs - 480_000, null);
  for (let i = 0; i < 3; i++)
    sql.exec(
      `insert into request (requestId, atMs, keyId, method, path, status, images, credits, latencyMs, batchId)
       values (?, ?, ?, 'POST', '/api/v1/service-hero', 200, 1, 1, 900, ?)`,
      `req_released_${i}`,
      nowMs - 3_600_000 + i,
      keyId,
      batchId,
    );
};
