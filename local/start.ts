/**
 * `npm start`, once dependencies and models are there: starts the whole system, explains how to use it, and keeps it
 * running until Ctrl-C.
 */
import { relative } from 'node:path';
import { operatorFields } from '../shared/operator.ts';
import { API_PREFIX, paths } from '../shared/paths.ts';
import { keepProbing } from './schedule.ts';
import { readSettings } from './settings.ts';
import { supervise } from './supervise.ts';
import { type System, startSystem } from './system.ts';

const PARENT_CHECK_MS = 1_000;

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
${toFillIn(system)}`;
};

/** Terms and privacy lack what only an operator knows; empty where nothing is missing. */
const toFillIn = ({ settings }: System): string => {
  const variables = Object.values(operatorFields).map(({ variable }) => variable);
  const unset = variables.filter((name) => !settings.env[name]);
  return unset.length === 0 ? '' : `  Before customers come, set for /terms and /privacy: ${unset.join(', ')}.\n`;
};

/** Aborted by a signal, or when the process that started this one has been killed and could not send one. */
const stopRequested = (): AbortSignal => {
  const stopping = new AbortController();
  const parent = process.ppid;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  setInterval(() => process.ppid !== parent && stopping.abort(), PARENT_CHECK_MS).unref();
  return stopping.signal;
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
    void keepProbing(system.baseUrl, signal);
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
