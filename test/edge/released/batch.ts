/**
 * A batch's object as the first version left it: its tables, word for word, and rows as it wrote them. Of three images
 * the first is completed and charged, the second was handed to the queue, the third waits for its turn.
 */
import type { BatchContext } from '../../../edge/batch/port.ts';
import type { CompletedOutcome } from '../../../shared/job.ts';

const TABLES = `
  create table batch (
    batchId text primary key,
    style text not null check (style in ('upload', 'batch')),
    images integer not null,
    createdAtMs integer not null,
    deadlineAtMs integer not null,
    hold text not null check (hold in ('not_needed', 'asking', 'held', 'refused')),
    nextIndex integer not null,
    processing integer not null check (processing >= 0),
    completed integer not null,
    failed integer not null,
    unsettled integer not null check (unsettled >= 0),
    ledgerDueAtMs integer,
    completedAtMs integer,
    webhook text not null,
    check (processing + completed + failed <= images)
  ) without rowid;

  create table context (id integer primary key check (id = 1), request text not null);

  create table image (
    "index" integer primary key,
    status text not null check (status in ('queued', 'processing', 'completed', 'failed')),
    dispatches integer not null,
    dueAtMs integer,
    settlement text not null check (settlement in ('open', 'due', 'settled', 'not_needed')),
    outcome text,
    originalName text not null,
    filename text not null,
    inputUrl text,
    check ((outcome is null) = (status in ('queued', 'processing'))),
    check ((settlement = 'open') = (outcome is null))
  );
  create index imageDue on image (dueAtMs) where dueAtMs is not null;
  create index imageUnsettled on image (settlement) where settlement = 'due';
  `;

export type ReleasedBatch = {
  readonly context: BatchContext;
  readonly outcome: CompletedOutcome;
  readonly urls: readonly string[];
  readonly nowMs: number;
};

export const saveReleasedBatch = (sql: SqlStorage, { context, outcome, urls, nowMs }: ReleasedBatch): void => {
  sql.exec('create table migration (number integer primary key)');
  sql.exec(TABLES);
  sql.exec('insert into migration values (0)');
  sql.exec(
    `insert into batch values (?, 'batch', 3, ?, ?, 'held', 2, 0, 1, 0, 0, null, null, '{"state":"none"}')`,
    context.batchId,
    nowMs - 60_000,
    nowMs + 21_600_000,
  );
  sql.exec('insert into context values (1, ?)', JSON.stringify(context));
  const image = 'insert into image values (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const [first, second, third] = urls as [string, string, string];
  sql.exec(image, 0, 'completed', 1, null, 'settled', JSON.stringify(outcome), 'a.jpg', 'a.jpg', first);
  sql.exec(image, 1, 'queued', 1, nowMs - 1_000, 'open', null, 'b.jpg', 'b.jpg', second);
  sql.exec(image, 2, 'queued', 0, null, 'open', null, 'c.jpg', 'c.jpg', third);
};
