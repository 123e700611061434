/** Puts a model file in place (written under a temporary name, checked, renamed) and tells whether one is there intact. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueRow } from './catalogue.ts';
import { ModelError } from './failure.ts';
import { hashFile } from './hash.ts';

/** `write` makes the file at the path it is given. Throws ModelError `wrong_hash`, after which nothing is left. */
export const install = async (
  row: CatalogueRow,
  dir: string,
  write: (path: string) => Promise<unknown>,
): Promise<void> => {
  const path = join(dir, row.file);
  const temporary = join(dir, `${row.file}.${randomUUID()}.tmp`);
  try {
    await write(temporary);
    const sha256 = await hashFile(temporary, 'sha256', 'hex');
    if (sha256 !== row.sha256) throw wrongHash(row, path, sha256);
    await rename(temporary, path);
    await writeStamp(path, sha256);
  } finally {
    await rm(temporary, { force: true });
  }
};

export type Presence = 'present' | 'absent' | { wrongSha256: string };

/**
 * Whether the row's file lies in `dir` and is the right one. A stamp beside the file spares hashing it again as long as
 * its size and modification time stay the same.
 */
export const presenceOf = async (row: CatalogueRow, dir: string): Promise<Presence> => {
  const path = join(dir, row.file);
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return 'absent';
  const stamp = await readFile(stampPath(path), 'utf8').catch(() => '');
  if (stamp === stampOf(row.sha256, stats)) return 'present';
  const sha256 = await hashFile(path, 'sha256', 'hex');
  if (sha256 !== row.sha256) return { wrongSha256: sha256 };
  // A folder that may not be written to is hashed at every start.
  await writeStamp(path, sha256).catch(() => {});
  return 'present';
};

/** The error for a file whose hash is not the recorded one. */
export const wrongHash = (row: CatalogueRow, path: string, sha256: string): ModelError => {
  return new ModelError('wrong_hash', `${path}: expected sha256 ${row.sha256}, found ${sha256}`);
};

const writeStamp = async (path: string, sha256: string): Promise<void> => {
  await writeFile(stampPath(path), stampOf(sha256, await stat(path)));
};

const stampOf = (sha256: string, stats: { size: number; mtimeMs: number }): string => {
  return `${sha256} ${stats.size} ${stats.mtimeMs}\n`;
};

const stampPath = (path: string): string => {
  return `${path}.stamp`;
};
