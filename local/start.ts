/**
 * `npm start`, once dependencies and models are there: starts the whole system, says how to use it, keeps it running
 * until Ctrl-C.
 */
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSettings } from './settings.ts';
import { type System, startSystem } from './system.ts';

/** A tier that dies is started again, but not for ever: what dies this often needs a person. */
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 5 * 60_000;
const SUPERVISE_MS = 1_000;

const greeting = (system: System): string => {
  const here = relative(process.cwd(), system.settings.dataDir) || '.';
  return `
  packshot is running.

  API      ${system.baseUrl}/api/v1   (docs: ${system.baseUrl}/docs)
  Portal   ${system.portalUrl}
  API key  ${system.apiKey}

  Try it with any product photo:

    curl -H "Authorization: Bearer ${system.apiKey}" -F "files=@photo.jpg" ${system.baseUrl}/api/v1/service-hero

  State and logs are in ${here}. Ctrl-C stops everything.
`;
};

const supervise = async (system: System, isStopping: () => boolean): Promise<void> => {
  const restarts: number[] = [];
  while (!isStopping()) {
    await sleep(SUPERVISE_MS);
    for (const [tier, restart] of [
      [system.origin(), system.restartOrigin],
      [system.edge(), system.restartEdge],
    ] as const) {
      if (tier.isRunning() || isStopping()) continue;
      while (restarts.length > 0 && (restarts[0] ?? 0) < Date.now() - RESTART_WINDOW_MS) restarts.shift();
      if (restarts.push(Date.now()) > RESTARTS_MAX)
        throw new Error(
          `${tier.name} keeps ending (${await tier.exited}); see its log in ${join(system.settings.dataDir, 'logs')}`,
        );
      console.error(`${tier.name} ended (${await tier.exited}); starting it again …`);
      // What is left of its group, a workerd for one, would hold the port.
      await tier.kill();
      await restart();
    }
  }
};

const main = async (): Promise<void> => {
  const parent = process.ppid;
  let stopping = false;
  let system: System | undefined;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    // While it starts there is nothing to stop yet; it is stopped as soon as it has started.
    if (!system) return;
    console.log('\nStopping …');
    await system.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Whoever started this and was killed outright could not say so.
  setInterval(() => process.ppid !== parent && void stop(), SUPERVISE_MS).unref();

  system = await startSystem(readSettings(process.env), console.log);
  if (stopping) {
    await system.stop();
    process.exit(0);
  }
  console.log(greeting(system));
  await supervise(system, () => stopping).catch(async (error: Error) => {
    console.error(error.message);
    await system?.stop();
    process.exit(1);
  });
};

await main().catch((error: Error) => {
  console.error(`packshot could not start: ${error.message}`);
  process.exit(1);
});
