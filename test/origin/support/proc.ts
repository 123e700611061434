/** What /proc says about other processes. */
import { readdir, readFile } from 'node:fs/promises';

/** Direct children of all its threads. */
export const childPids = async (pid: number): Promise<number[]> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists
    .flatMap((list) => list.trim().split(/\s+/))
    .filter(Boolean)
    .map(Number);
};

const commandLine = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');

/** Processor time used so far, in clock ticks (10 ms). */
export const cpuTicks = async (pid: number): Promise<number> => {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
};

/** True where the process exists and is not a zombie. */
export const isAlive = async (pid: number): Promise<boolean> =>
  !/^State:\s+[ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: X'));

/** Asks every 10 ms until `check` gives something other than undefined or false. */
export const eventually = async <T>(
  check: () => Promise<T | undefined | false>,
  what: string,
  msMax = 30_000,
): Promise<T> => {
  for (const giveUpAt = performance.now() + msMax; performance.now() < giveUpAt; ) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not within ${msMax} ms: ${what}`);
};

/** The node's device process. */
export const devicePid = (parent: number): Promise<number> =>
  eventually(async () => {
    for (const pid of await childPids(parent)) if ((await commandLine(pid)).includes('inference/child.ts')) return pid;
    return undefined;
  }, 'a device process');
