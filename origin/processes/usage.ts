/** What a process uses, as Linux tells it. */
import { readFileSync } from 'node:fs';

export type Usage = { readonly cpuMs: number; readonly rssBytes: number };

/** Linux counts processor time in hundredths of a second for every program. */
const MS_PER_TICK = 10;

/** Undefined where the system has no /proc, or the process has ended. */
export const usageOf = (pid: number): Usage | undefined => {
  try {
    // pid (name) state ppid … with user and system time as the 14th and 15th field; the name may hold spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (!rss) return undefined;
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
      rssBytes: Number(rss[1]) * 1024,
    };
  } catch {
    // There is nothing to log: the process has ended, and its end is heard elsewhere.
    return undefined;
  }
};
