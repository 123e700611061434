import { execFile } from 'node:child_process';
import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { modelLimits } from '../../models/limits.ts';
import { withLock } from '../../models/lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

/** A process that, holding the lock, writes its begin and its end. */
const WORKER = `
  const [lock, log] = process.argv.slice(1);
  const { withLock } = await import(${JSON.stringify(new URL('../../models/lock.ts', import.meta.url).href)});
  const { appendFile } = await import('node:fs/promises');
  await withLock(lock, async () => {
    await appendFile(log, 'begin ');
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
    await appendFile(log, 'end ');
  });`;

/** The id of a process that is over. */
const deadProcess = async (): Promise<number> => {
  const child = run(process.execPath, ['-e', '']);
  const { pid } = child.child;
  await child;
  return pid!;
};

describe('the lock on a folder of models', () => {
  it('lets one process work at a time', async () => {
    const dir = await temporaryFolder();
    const [lock, log] = [join(dir, '.lock'), join(dir, 'log')];
    const start = () => run(process.execPath, ['--input-type=module', '-e', WORKER, lock, log]);
    await Promise.all([start(), start(), start()]);
    expect(await readFile(log, 'utf8')).toBe('begin end '.repeat(3));
  });

  it('takes over at once from a process of this host that has ended', async () => {
    const lock = join(await temporaryFolder(), '.lock');
    await writeFile(lock, `${hostname()} ${await deadProcess()}`);
    expect(await withLock(lock, async () => 'done')).toBe('done');
  });

  it('takes over from another host only after the lock was not refreshed for long', async () => {
    const dir = await temporaryFolder();
    const [lock, log] = [join(dir, '.lock'), join(dir, 'log')];
    await writeFile(lock, 'elsewhere 1');
    const waiting = withLock(lock, () => appendFile(log, 'mine'));
    await run(process.execPath, ['-e', '']);
    expect(await readFile(log, 'utf8').catch(() => 'still waiting')).toBe('still waiting');
    const old = new Date(Date.now() - 2 * modelLimits.lockStaleMs);
    await utimes(lock, old, old);
    await waiting;
    expect(await readFile(log, 'utf8')).toBe('mine');
  });

  it('is free again after the work has failed', async () => {
    const lock = join(await temporaryFolder(), '.lock');
    await expect(withLock(lock, () => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
    expect(await withLock(lock, async () => 'done')).toBe('done');
  });
});
