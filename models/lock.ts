/**
 * One process at a time prepares a folder of models. The lock saves work; correctness does not rest on it, since every
 * file is written under a temporary name, checked, and renamed.
 */
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../shared/limits.ts';
import { ModelError } from './failure.ts';

/** Runs `work` while holding the lock file. Throws ModelError `locked` if another process holds it for too long. */
export const withLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const owner = `${hostname()} ${process.pid}`;
  const giveUpAt = Date.now() + limits.models.lockWaitMsMax;
  while (!(await tryCreate(path, owner))) {
    await removeIfStale(path);
    if (Date.now() > giveUpAt)
      throw new ModelError('locked', `${path} is held by another process (${await ownerOf(path)})`);
    await sleep(limits.models.lockPollMs);
  }
  const heartbeat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => {}),
    limits.models.lockHeartbeatMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
};

const tryCreate = async (path: string, owner: string): Promise<boolean> => {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(owner);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Takes away a lock whose process is gone or that was not refreshed for long. */
const removeIfStale = async (path: string): Promise<void> => {
  const owner = await ownerOf(path);
  const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  const [host, pid] = owner.split(' ');
  const dead = host === hostname() && pid !== undefined && !isAlive(Number(pid));
  if (!dead && age < limits.models.lockStaleMs) return;
  const mine = `${path}.${process.pid}`;
  await rename(path, mine).catch(() => {});
  // Another waiter may have been faster: then this is its fresh lock, and goes back.
  if ((await ownerOf(mine)) === owner) await rm(mine, { force: true });
  else await rename(mine, path).catch(() => {});
};

const ownerOf = async (path: string): Promise<string> => {
  return readFile(path, 'utf8').catch(() => '');
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
