/** Takes the network from a process, where the system lets us. */
import { spawnSync } from 'node:child_process';

/**
 * A network namespace of its own has no interface that is up. A root user may make one; others need a user namespace,
 * which many systems and most containers forbid.
 */
const PREFIXES: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--user', '--map-current-user', '--net'],
];
const PROBE_MS_MAX = 5_000;

/** The command line to put before another one; empty where no network can be taken away. */
export const withoutNetwork = (): readonly string[] => {
  if (process.platform !== 'linux') return [];
  const works = ([file = '', ...args]: readonly string[]): boolean =>
    spawnSync(file, [...args, 'true'], { stdio: 'ignore', timeout: PROBE_MS_MAX }).status === 0;
  return PREFIXES.find(works) ?? [];
};
