/** The machine's view of a batch's tables, and the saving of its decisions. */
import type { Outcome } from '../../shared/job.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { all, first, put } from '../sqlite/rows.ts';
import { deliveredImages } from './delivered.ts';
import { isKeptOnce, resultsUntilMs } from './machine/retention.ts';
import {
  type Batch,
  type BatchDecision,
  type BatchView,
  batchStatus,
  type Image,
  isOver,
  newImage,
} from './machine/types.ts';
import type { BatchContext, ImageInput, OpenBatch, SentRequest, Snapshot, SnapshotImage, StartedJob } from './port.ts';
import { forgetBatch, forgetImage, removedImages } from './removal.ts';

type BatchRow = Omit<Batch, 'webhook' | 'isGivenUp' | 'capReached'> & {
  readonly webhook: string;
  readonly isGivenUp: number;
  readonly capReached: string | null;
};
type ImageRow = Omit<Image, 'outcome'> & { readonly outcome: string | null };

const toBatch = (row: BatchRow): Batch => ({
  ...row,
  isGivenUp: row.isGivenUp === 1,
  capReached: row.capReached === null ? null : JSON.parse(row.capReached),
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
    return row ? toImage(row) : index >= 0 && index < imagesOf(sql) ? newImage(index) : undefined;
  },
  dueImages: (nowMs, max) =>
    all<ImageRow>(
      sql,
      `select ${MACHINE} from image where dueAtMs <= ? and ${UNDECIDED} order by "index" limit ?`,
      nowMs,
      max,
    ).map(toImage),
  undecidedImages: (max) =>
    allImages(sql)
      .filter(({ outcome }) => outcome === null)
      .slice(0, max),
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

const imagesOf = (sql: SqlStorage): number => first<{ images: number }>(sql, 'select images from batch')?.images ?? 0;

/** Those that were neither handed over nor decided have no row. */
const allImages = (sql: SqlStorage): Image[] => {
  const rows = new Map(all<ImageRow>(sql, `select ${MACHINE} from image`).map((row) => [row.index, row]));
  return Array.from({ length: imagesOf(sql) }, (_, index) => {
    const row = rows.get(index);
    return row ? toImage(row) : newImage(index);
  });
};

export const saveDecision = (sql: SqlStorage, decision: BatchDecision): void => {
  if (decision.batch) {
    if (!mayFetch(decision.batch)) sql.exec('delete from inputAuthorization');
    const { isGivenUp, webhook, capReached, ...batch } = decision.batch;
    put(sql, 'batch', {
      ...batch,
      isGivenUp: isGivenUp ? 1 : 0,
      capReached: capReached && JSON.stringify(capReached),
      webhook: JSON.stringify(webhook),
    });
  }
  for (const { outcome, ...image } of decision.images ?? [])
    put(sql, 'image', { ...image, outcome: outcome && JSON.stringify(outcome) });
};

/** Some image's input may yet be fetched. */
const mayFetch = (batch: Batch): boolean => batch.hold !== 'refused' && !isOver(batch);

/** A value may be 2 MB at most: so many images are 1.3 MB if every character of their URLs is escaped. */
const IMAGES_PER_PART = 50;

/** The request of a new batch: its context stands with the first of its images. */
export const saveRequest = (sql: SqlStorage, request: OpenBatch): void => {
  const { images, style: _style, deadlineAtMs: _deadline, sealedAuthorization, ...context } = request;
  if (sealedAuthorization !== undefined) sql.exec('insert into inputAuthorization values (1, ?)', sealedAuthorization);
  for (let from = 0; from < images.length; from += IMAGES_PER_PART)
    sql.exec(
      'insert into requestPart values (?, ?, ?)',
      from / IMAGES_PER_PART,
      from === 0 ? JSON.stringify(context) : null,
      JSON.stringify(images.slice(from, from + IMAGES_PER_PART)),
    );
};

export const contextOf = (sql: SqlStorage): BatchContext => {
  const row = first<{ context: string }>(sql, 'select context from requestPart where part = 0');
  if (!row) throw new Error('a batch without its request');
  return JSON.parse(row.context);
};

const inputsOf = (sql: SqlStorage): ImageInput[] =>
  all<{ images: string }>(sql, 'select images from requestPart order by part').flatMap(({ images }) =>
    JSON.parse(images),
  );

export const sentOf = (sql: SqlStorage, max: number): SentRequest => ({
  webhookUrl: contextOf(sql).webhookUrl,
  inputUrls: inputsOf(sql)
    .slice(0, max)
    .map(({ inputUrl }) => inputUrl),
});

const inputOf = (sql: SqlStorage, index: number): ImageInput => {
  const part = Math.floor(index / IMAGES_PER_PART);
  const row = first<{ input: string | null }>(
    sql,
    'select images -> ? as input from requestPart where part = ?',
    `$[${index % IMAGES_PER_PART}]`,
    part,
  );
  if (!row?.input) throw new Error(`image ${index} without its input`);
  return JSON.parse(row.input);
};

/** The caller holds the transaction. `index` null: of the whole batch. */
export const forget = (sql: SqlStorage, index: number | null, nowMs: number): void => {
  if (index === null) forgetBatch(sql);
  else forgetImage(sql, index, Math.floor(index / IMAGES_PER_PART), index % IMAGES_PER_PART, nowMs);
};

export const jobOf = (sql: SqlStorage, { style, deadlineAtMs }: Batch, index: number): StartedJob => {
  const { webhookUrl: _url, ...context } = contextOf(sql);
  const { waits, failures } = batchView(sql).image(index) ?? newImage(index);
  const sealed = first<{ sealed: string }>(sql, 'select sealed from inputAuthorization');
  const input = { ...inputOf(sql, index), sealedAuthorization: sealed?.sealed };
  return { ...context, ...input, waits, failures, style, deadlineAtMs };
};

export const snapshotOf = (sql: SqlStorage, batch: Batch): Snapshot => {
  const { webhookUrl: _url, ...context } = contextOf(sql);
  const { images: total, processing, completed, failed, style, createdAtMs, completedAtMs, endReason } = batch;
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
    endReason,
    resultsUntilMs: resultsUntilMs(batch),
    images: snapshotImages(sql, batch, context.options),
  };
};

const snapshotImages = (sql: SqlStorage, batch: Batch, options: ResolvedOptions): SnapshotImage[] => {
  const images = allImages(sql);
  const removed = new Set(removedImages(sql));
  const delivered = new Set(isKeptOnce(batch) ? deliveredImages(sql, options) : []);
  return inputsOf(sql).map(({ originalName, filename }, index) => {
    const { status, outcome } = images[index] ?? newImage(index);
    const isRemoved = removed.has(index);
    return {
      index,
      originalName,
      filename,
      status,
      outcome: isRemoved ? null : outcome,
      isRemoved,
      isGone: batch.expiredAtMs !== null || delivered.has(index),
    };
  });
};
