/**
 * The system as `npm start` starts it and keeps it up, on a small disk of its own, with a PostgreSQL server where one is
 * installed and with a proxy between its tiers.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervise } from '../../local/supervise.ts';
import { type System, startSystem } from '../../local/system.ts';
import { type Postgres, postgresBin, startPostgres } from '../fleet/postgres.ts';
import { freePort } from '../support/local-system.ts';
import { type Disk, startDisk } from './disk.ts';
import { type Running, runningIn } from './processes.ts';
import { startProxy, type TierProxy } from './proxy.ts';

export type ChaosSystem = {
  readonly system: System;
  /** Undefined: the embedded one, a thread of the node. */
  readonly postgres: Postgres | undefined;
  readonly disk: Disk;
  /** Edge to origin; origin, and the edge's own calls, to the object store. */
  readonly proxies: { readonly origin: TierProxy; readonly store: TierProxy };
  /** For temporary files of every process. */
  readonly temporary: string;
  /** Of every start so far, of both tiers. */
  processes(): Running[];
  /** What the launcher said. */
  readonly said: readonly string[];
  /** Set where the launcher gave up. */
  gaveUp(): Error | undefined;
  /** Ends everything but the disk. */
  stop(): Promise<void>;
};

const REVIVE_POLL_MS = 500;

/** As a service manager would: a server that ended is started again until it stays up. */
const keepUp = async (postgres: Postgres, over: AbortSignal): Promise<void> => {
  while (!over.aborted) {
    await sleep(REVIVE_POLL_MS);
    await postgres.revive().catch(() => undefined);
  }
};

export const startChaosSystem = async (inputHosts: string, say: (text: string) => void): Promise<ChaosSystem> => {
  const disk = await startDisk();
  const temporary = join(disk.folder, 'tmp');
  process.env['TMPDIR'] = temporary;
  const [edgePort, originPort, bin] = [await freePort(), await freePort(), postgresBin()];
  const postgres = bin === undefined ? undefined : await startPostgres(bin, disk.folder);
  const proxies = { origin: await startProxy(originPort), store: await startProxy(edgePort) };
  const dataDir = join(disk.folder, 'data');
  mkdirSync(dataDir);
  const removeRest = async (): Promise<void> => {
    await postgres?.stop();
    await Promise.all([proxies.origin.close(), proxies.store.close()]);
  };
  const system = await startSystem({
    edgePort,
    originPort,
    dataDir,
    credits: 0,
    between: { origin: proxies.origin.url, store: proxies.store.url },
    env: { LOCAL_INPUT_HOSTS: inputHosts, ...(postgres ? { DATABASE_URL: postgres.url } : {}) },
  }).catch(async (error: unknown) => {
    await removeRest();
    await disk.remove();
    throw error;
  });

  const [over, said, sessions] = [new AbortController(), [] as string[], new Set<number>()];
  let gaveUp: Error | undefined;
  const processes = (): Running[] => {
    for (const tier of [system.origin(), system.edge()]) sessions.add(tier.pid);
    return runningIn(sessions, postgres?.data);
  };
  const watching = setInterval(processes, REVIVE_POLL_MS);
  const hear = (text: string): void => {
    said.push(text);
    say(`  launcher: ${text}`);
  };
  // More often than anybody would want to be called: here somebody kills them.
  const supervising = supervise(system, over.signal, { say: hear, restartsMax: Infinity }).catch((error: Error) => {
    gaveUp = error;
  });
  const keeping = postgres && keepUp(postgres, over.signal);
  return {
    system,
    postgres,
    disk,
    proxies,
    temporary,
    processes,
    said,
    gaveUp: () => gaveUp,
    stop: async () => {
      over.abort();
      clearInterval(watching);
      await Promise.all([supervising, keeping]);
      await system.stop();
      await removeRest();
    },
  };
};
