/** The system's processes as Linux tells of them, each by its part in it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { usageOf } from '../../origin/processes/usage.ts';

export type Part = 'origin' | 'model' | 'decoder' | 'wrangler' | 'workerd' | 'esbuild' | 'postgres' | 'other';
export type Running = { readonly pid: number; readonly session: number; readonly part: Part };

const MiB = 1024 * 1024;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
};
const folderOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
};

const PARTS: readonly (readonly [Part, RegExp])[] = [
  ['model', /inference\/child\.ts/],
  ['decoder', /decoder\/child\.ts/],
  ['origin', /origin\/main\.ts/],
  ['workerd', /\/workerd /],
  ['esbuild', /\/esbuild /],
  ['wrangler', /wrangler/],
];

/**
 * Processes of the given sessions, each tier's own, and those that work in `postgresFolder`: a server's backends have
 * sessions of their own. Zombies have ended.
 */
export const runningIn = (sessions: ReadonlySet<number>, postgresFolder: string | undefined): Running[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = read(`/proc/${name}/stat`);
    // After the command in parentheses: state, parent, process group, session.
    const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === undefined || state === '' || state === 'Z' || state === 'X') return [];
    const pid = Number(name);
    if (postgresFolder !== undefined && folderOf(name) === postgresFolder)
      return [{ pid, session: Number(session), part: 'postgres' as const }];
    if (!sessions.has(Number(session))) return [];
    const line = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
    return [{ pid, session: Number(session), part: PARTS.find(([, is]) => is.test(line))?.[0] ?? 'other' }];
  });

/** False for each that has ended. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
};

/** Resident, MiB. Pages that processes share are counted for each. */
export const memoryMiB = (processes: readonly Running[]): number =>
  processes.reduce((bytes, { pid }) => bytes + (usageOf(pid)?.rssBytes ?? 0), 0) / MiB;
