/**
 * `npm start`, once dependencies and models are there: starts the whole system, explains how to use it, and keeps it
 * running until Ctrl-C.
 */
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_PREFIX, paths } from '../shared/paths.ts';
import type { Child } from './child.ts';
import { readSettings } from './settings.ts';
import { type System, startSystem } from './system.ts';

/** A tier that dies is started again, but not for ever: one that dies this often needs a person. */
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 5 * 60_000;
const SUPERVISE_MS = 1_000;

const greeting = (system: System): string => {
  const folder = relative(process.cwd(), system.settings.dataDir) || '.';
  return `
  packshot is running.

  API      ${system.baseUrl}${API_PREFIX}   (docs: ${system.baseUrl}/docs)
  Portal   ${system.portalUrl}
  API key  ${system.apiKey}

  Try it with any product photo:

    curl -H "Authorization: Bearer ${system.apiKey}" -F "files=@photo.jpg" ${system.baseUrl}${paths.hero}

  State and logs are in ${folder}. Ctrl-C stops everything.
`;
};

/** Aborted by a signal, or when the process that started this one has been killed and could not send one. */
const stopRequested = (): AbortSignal => {
  const stopping = new AbortController();
  const parent = process.ppid;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  setInterval(() => process.ppid !== parent && stopping.abort(), SUPERVISE_MS).unref();
  return stopping.signal;
};

/** Starts tiers again until `signal` is aborted. Throws where one keeps ending. */
const supervise = async (system: System, signal: AbortSignal): Promise<void> => {
  const restartedAt: number[] = [];
  const restart = async (tier: Child, start: () => Promise<void>): Promise<void> => {
    while (restartedAt.length > 0 && (restartedAt[0] ?? 0) < Date.now() - RESTART_WINDOW_MS) restartedAt.shift();
    const how = await tier.exited;
    if (restartedAt.push(Date.now()) > RESTARTS_MAX)
      throw new Error(`${tier.name} keeps ending (${how}); see its log in ${join(system.settings.dataDir, 'logs')}`);
    console.error(`${tier.name} ended (${how}); starting it again …`);
    // What is left of its group, a workerd for one, would hold the port.
    await tier.kill();
    if (!signal.aborted) await start();
  };
  while (!signal.aborted) {
    await sleep(SUPERVISE_MS);
    if (!signal.aborted && !system.origin().isRunning()) await restart(system.origin(), system.restartOrigin);
    if (!signal.aborted && !system.edge().isRunning()) await restart(system.edge(), system.restartEdge);
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const main = async (): Promise<void> => {
  const signal = stopRequested();
  const system = await startSystem(readSettings(process.env), console.log);
  try {
    if (!signal.aborted) console.log(greeting(system));
    await Promise.race([supervise(system, signal), aborted(signal)]);
    console.log('\nStopping …');
  } finally {
    await system.stop();
  }
};

const exitCode = await main().then(
  () => 0,
  (error: Error) => {
    console.error(`packshot: ${error.message}`);
    if (error.cause !== undefined) console.error(error.cause);
    return 1;
  },
);
process.exit(exitCode);
