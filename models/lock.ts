/**
 * One process at a time prepares a folder of models. The lock saves work; correctness does not depend on it, since
 * every file is written under a temporary name, checked, and renamed.
 *
 * Written by hand: proper-lockfile 4.1.2 judges a lock by its age alone, so that after a killed process the next one
 * waits out the whole stale time, and it brings three more packages. Here a dead process of this host is recognised at
 * once by its id.
 */
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from './failure.ts';
import { modelLimits } from './limits.ts';

/** Runs `work` while holding the lock file. Throws ModelError `locked` if another process holds it for too long. */
export const withLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const owner = `${hostname()} ${process.pid}`;
  const giveUpAtMs = Date.now() + modelLimits.lockWaitMsMax;
  while (!(await tryCreate(path, owner))) {
    await removeIfStale(path);
    if (Date.now() > giveUpAtMs)
      throw new ModelError('locked', `${path} is held by another process (${await ownerOf(path)})`);
    await sleep(modelLimits.lockPollMs);
  }
  const heartbeat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => {}),
    modelLimits.lockHeartbeatMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
};

/** False where the lock is taken. */
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

/** Removes a lock whose process has ended or that was not refreshed in time. */
const removeIfStale = async (path: string): Promise<void> => {
  const owner = await ownerOf(path);
  const ageMs = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  const [host, pid] = owner.split(' ');
  const isDead = host === hostname() && pid !== undefined && !isAlive(Number(pid));
  if (!isDead && ageMs < modelLimits.lockStaleMs) return;
  const removed = `${path}.${process.pid}`;
  await rename(path, removed).catch(() => {});
  // If another waiter was faster, this is its fresh lock: put it back.
  if ((await ownerOf(removed)) === owner) await rm(removed, { force: true });
  else await rename(removed, path).catch(() => {});
};

/** Host and process id, or an empty text where there is no lock. */
const ownerOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
