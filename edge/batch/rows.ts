/** The machine's view of a batch's tables, and the saving of its decisions. */
import type { Outcome } from '../../shared/job.ts';
import { all, first, put } from '../sqlite/rows.ts';
import { type Batch, type BatchDecision, type BatchView, batchStatus, type Image } from './machine/types.ts';
import type { BatchContext, ImageInput, OpenBatch, Snapshot, SnapshotImage, StartedJob } from './port.ts';

type BatchRow = Omit<Batch, 'webhook' | 'isGivenUp'> & { readonly webhook: string; readonly isGivenUp: number };
type ImageRow = Omit<Image, 'outcome'> & { readonly outcome: string | null };

const toBatch = (row: BatchRow): Batch => ({
  ...row,
  isGivenUp: row.isGivenUp === 1,
  webhook: JSON.parse(row.webhook),
});
const toImage = (row: ImageRow): Image => ({ ...row, outcome: parsed(row.outcome) });
const parsed = (text: string | null): Outcome | null => (text === null ? null : JSON.parse(text));

const MACHINE = '"index", status, dispatches, dueAtMs, waits, failures, settlement, outcome';
const UNDECIDED = `status in ('queued', 'processing')`;

export const batchView = (sql: SqlStorage): BatchView => ({
  batch: () => {
    const row = first<BatchRow>(sql, 'select * from batch');
    return row && toBatch(row);
  },
  image: (index) => {
    const row = first<ImageRow>(sql, `select ${MACHINE} from image where "index" = ?`, index);
    return row && toImage(row);
  },
  dueImages: (nowMs, max) =>
    all<ImageRow>(
      sql,
      `select ${MACHINE} from image where dueAtMs <= ? and ${UNDECIDED} order by "index" limit ?`,
      nowMs,
      max,
    ).map(toImage),
  undecidedImages: (max) =>
    all<ImageRow>(sql, `select ${MACHINE} from image where ${UNDECIDED} order by "index" limit ?`, max).map(toImage),
  unsettledImages: (max) =>
    all<ImageRow>(sql, `select ${MACHINE} from image where settlement = 'due' order by "index" limit ?`, max).map(
      toImage,
    ),
  earliestDueMs: () =>
    first<{ atMs: number | null }>(
      sql,
      `select min(dueAtMs) as atMs from image where dueAtMs is not null and ${UNDECIDED}`,
    )?.atMs ?? null,
});

export const saveDecision = (sql: SqlStorage, decision: BatchDecision): void => {
  if (decision.batch) {
    const { isGivenUp, webhook, ...batch } = decision.batch;
    put(sql, 'batch', { ...batch, isGivenUp: isGivenUp ? 1 : 0, webhook: JSON.stringify(webhook) });
  }
  for (const { index, status, dispatches, dueAtMs, waits, failures, settlement, outcome } of decision.images ?? []) {
    sql.exec(
      'update image set status = ?, dispatches = ?, dueAtMs = ?, waits = ?, failures = ?, settlement = ?, outcome = ? where "index" = ?',
      status,
      dispatches,
      dueAtMs,
      waits,
      failures,
      settlement,
      outcome && JSON.stringify(outcome),
      index,
    );
  }
};

/** A bound value may be 2 MB at most; URLs may be 2,048 characters long. */
const ROWS_PER_STATEMENT = 200;

/** The rows of a new batch, a thousand in a few statements. */
export const saveInputs = (sql: SqlStorage, request: OpenBatch): void => {
  const { images, style: _style, deadlineAtMs: _deadline, ...context } = request;
  sql.exec('insert into context values (1, ?)', JSON.stringify(context));
  for (let from = 0; from < images.length; from += ROWS_PER_STATEMENT) {
    const rows = JSON.stringify(images.slice(from, from + ROWS_PER_STATEMENT));
    sql.exec(
      `insert into image ("index", status, dispatches, dueAtMs, settlement, outcome, originalName, filename, inputUrl) select key + ?, 'queued', 0, null, 'open', null, value ->> 'originalName', value ->> 'filename', value ->> 'inputUrl' from json_each(?)`,
      from,
      rows,
    );
  }
};

export const contextOf = (sql: SqlStorage): BatchContext => {
  const row = first<{ request: string }>(sql, 'select request from context');
  if (!row) throw new Error('a batch without its request');
  return JSON.parse(row.request);
};

export const jobOf = (sql: SqlStorage, { style, deadlineAtMs }: Batch, index: number): StartedJob => {
  const { webhookUrl: _url, ...context } = contextOf(sql);
  const input = first<ImageInput & Pick<Image, 'waits' | 'failures'>>(
    sql,
    'select originalName, filename, inputUrl, waits, failures from image where "index" = ?',
    index,
  );
  if (!input) throw new Error(`image ${index} without its input`);
  return { ...context, ...input, style, deadlineAtMs };
};

export const snapshotOf = (sql: SqlStorage, batch: Batch): Snapshot => {
  const { webhookUrl: _url, ...context } = contextOf(sql);
  const { images: total, processing, completed, failed, style, createdAtMs, completedAtMs } = batch;
  return {
    ...context,
    style,
    status: batchStatus(batch),
    counts: { total, queued: total - processing - completed - failed, processing, completed, failed },
    credits:
      batch.hold === 'held' && context.mode === 'live'
        ? { held: total - completed - failed, posted: completed, voided: failed }
        : { held: 0, posted: 0, voided: 0 },
    createdAtMs,
    completedAtMs,
    images: snapshotImages(sql),
  };
};

const snapshotImages = (sql: SqlStorage): SnapshotImage[] =>
  all<Omit<SnapshotImage, 'outcome'> & { readonly outcome: string | null }>(
    sql,
    'select "index", originalName, filename, status, outcome from image order by "index"',
  ).map((row) => ({ ...row, outcome: parsed(row.outcome) }));
