/** Resident memory of a process group, read from /proc (Linux). */
import { readdirSync, readFileSync } from 'node:fs';
import { usageOf } from '../../origin/processes/usage.ts';

const MiB = 1024 * 1024;

const groupMembers = (group: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // After the command in parentheses: state, parent, process group.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** RSS of all processes of the group together, MiB. Pages they share are counted for each. */
export const groupRssMiB = (group: number): number =>
  groupMembers(group).reduce((bytes, pid) => bytes + (usageOf(pid)?.rssBytes ?? 0), 0) / MiB;

const isWorkerd = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('workerd');
  } catch {
    return false;
  }
};

/** Samples RSS of the group's workerd processes together until stopped. */
export const watchPeakWorkerd = (
  group: number,
  everyMs = 50,
): { stop: () => { readonly beforeMiB: number; readonly peakMiB: number } } => {
  const pids = groupMembers(group).filter(isWorkerd);
  const rssMiB = (): number => pids.reduce((bytes, pid) => bytes + (usageOf(pid)?.rssBytes ?? 0), 0) / MiB;
  const beforeMiB = rssMiB();
  let peakMiB = beforeMiB;
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, rssMiB())), everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return { beforeMiB, peakMiB };
    },
  };
};

/** Samples every `everyMs` until stopped; gives the peak in MiB. */
export const watchPeakRss = (group: number, everyMs = 50): { stop: () => number } => {
  let peak = groupRssMiB(group);
  const timer = setInterval(() => (peak = Math.max(peak, groupRssMiB(group))), everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
};
