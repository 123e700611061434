/**
 * Folders in their tables. An object that was full when these were to be made lacks them: what deletes then finds
 * nothing, and what writes fails.
 */
import { firstId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Folder, FolderBatch, FolderBatchBegun, FolderWithBatches } from './port.ts';

type FolderRow = Omit<Folder, 'fields'> & { readonly fields: string };
type BatchRow = Omit<FolderBatch, 'positions'> & { readonly positions: string };

const { keptMax, pageRowsMax, uploadsMax, retryRowsMax, sweepRowsMax } = edgeLimits.folders;

const hasTables = (sql: SqlStorage): boolean =>
  first(sql, "select 1 from sqlite_master where type = 'table' and name = 'folderBatch'") !== undefined;
export const hasFolders = (sql: SqlStorage): boolean =>
  hasTables(sql) && first(sql, 'select 1 from folder limit 1') !== undefined;

const withBatches = (sql: SqlStorage, { fields, ...row }: FolderRow): FolderWithBatches => ({
  ...row,
  fields: JSON.parse(fields),
  batches: all<BatchRow>(
    sql,
    'select part, batchId, positions from folderBatch where folderId = ? order by batchId',
    row.folderId,
  ).map(({ positions, ...batch }) => ({ ...batch, positions: JSON.parse(positions) })),
});

export const addFolder = (storage: DurableObjectStorage, { folderId, name, keyId, fields, photos }: Folder): void =>
  storage.transactionSync(() => {
    const { sql } = storage;
    const stored = first<{ count: number }>(sql, 'select count(*) as count from folder')?.count ?? 0;
    if (stored >= keptMax) deleteFolders(sql, 'select folderId from folder order by folderId limit 1');
    sql.exec(
      'insert into folder (folderId, name, keyId, fields, photos) values (?, ?, ?, ?, ?) on conflict do nothing',
      folderId,
      name.slice(0, limits.folders.nameCharsMax),
      keyId,
      JSON.stringify(fields),
      photos,
    );
  });

/** `which`: a query for their ids. Answers how many went. */
const deleteFolders = (sql: SqlStorage, which: string, ...bindings: SqlStorageValue[]): number => {
  const ids = all<{ folderId: string }>(sql, which, ...bindings);
  for (const { folderId } of ids) {
    sql.exec('delete from folderBatch where folderId = ?', folderId);
    sql.exec('delete from folder where folderId = ?', folderId);
  }
  return ids.length;
};

export const folderById = (sql: SqlStorage, folderId: string): FolderWithBatches | undefined => {
  const row = first<FolderRow>(sql, 'select * from folder where folderId = ?', folderId);
  return row && withBatches(sql, row);
};

export const folderPage = (sql: SqlStorage, { cursor }: PageRequest): Page<FolderWithBatches> => {
  const rows = all<FolderRow>(
    sql,
    'select * from folder where folderId < ? order by folderId desc limit ?',
    cursor ?? '~',
    pageRowsMax + 1,
  );
  const shown = rows.slice(0, pageRowsMax);
  return {
    rows: shown.map((row) => withBatches(sql, row)),
    next: rows.length > pageRowsMax ? (shown.at(-1)?.folderId ?? null) : null,
  };
};

export const beginBatch = (
  sql: SqlStorage,
  folderId: string,
  { part, batchId, positions }: FolderBatch,
  isReplacement: boolean,
): FolderBatchBegun => {
  const folder = folderById(sql, folderId);
  if (!folder) return { result: 'unknown' };
  const others = folder.batches.filter((one) => one.part !== part);
  const isTriedAgain = others.length < folder.batches.length;
  if (folder.batches.length >= uploadsMax + (isTriedAgain ? retryRowsMax : 0)) return { result: 'full' };
  // One that is tried again goes on with what it opened, whatever has taken the place of its photos since.
  const mayTake = isReplacement || isTriedAgain;
  const taken = others.filter((one) => one.positions.some((position) => positions.includes(position)));
  if (taken.length > 0 && !mayTake) return { result: 'taken', batchIds: taken.map((one) => one.batchId) };
  sql.exec(
    'insert into folderBatch (folderId, part, batchId, positions) values (?, ?, ?, ?) on conflict do nothing',
    folderId,
    part,
    batchId,
    JSON.stringify(positions),
  );
  return { result: 'begun' };
};

export const placeBatch = (
  sql: SqlStorage,
  folderId: string,
  batchId: string,
  positions: readonly number[],
): boolean => {
  const placed = all(
    sql,
    'update folderBatch set positions = ? where folderId = ? and batchId = ? returning batchId',
    JSON.stringify(positions),
    folderId,
    batchId,
  );
  return placed.length > 0;
};

/** Every try of an upload names a batch of its own, and another try's may be the one that was charged. */
export const dropBatch = (sql: SqlStorage, folderId: string, batchId: string): void => {
  sql.exec('delete from folderBatch where folderId = ? and batchId = ?', folderId, batchId);
};

/** Folders live as long as the records of their batches. True where more may be left. */
export const sweepFolders = (storage: DurableObjectStorage, nowMs: number): boolean =>
  eraseFolders(storage, nowMs - edgeLimits.batch.keptMs);

/** Those made up to then, a bounded number. True where more may be left. */
export const eraseFolders = (storage: DurableObjectStorage, throughMs: number): boolean =>
  hasTables(storage.sql) &&
  storage.transactionSync(
    () =>
      deleteFolders(
        storage.sql,
        'select folderId from folder where folderId < ? order by folderId limit ?',
        firstId('folder', throughMs + 1),
        sweepRowsMax,
      ) === sweepRowsMax,
  );

/** A folder of which nothing else is left goes with its last batch. */
export const eraseFolderBatch = (storage: DurableObjectStorage, batchId: string): void => {
  if (!hasTables(storage.sql)) return;
  storage.transactionSync(() => {
    const { sql } = storage;
    const of = all<{ folderId: string }>(sql, 'delete from folderBatch where batchId = ? returning folderId', batchId);
    for (const { folderId } of of)
      if (!first(sql, 'select 1 from folderBatch where folderId = ?', folderId))
        deleteFolders(sql, 'select folderId from folder where folderId = ?', folderId);
  });
};
