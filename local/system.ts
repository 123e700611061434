/**
 * The whole system on one machine: embedded Postgres, origin and edge, and an account with credits. `npm start`, the
 * end-to-end tests and the benchmarks all start it here, so what is tested is what is run.
 */
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { paths } from '../shared/paths.ts';
import { type Child, signalGroup, waitForGroup } from './child.ts';
import { type LocalSecrets, localSecrets, writeAtomically } from './secrets.ts';
import type { LocalSettings } from './settings.ts';
import {
  baseUrl,
  buildPortal,
  managementUrl,
  migratePortalDatabase,
  originUrl,
  removeTemporaryDir,
  startEdge,
  startOrigin,
} from './tiers.ts';

const READY_MS_MAX = 120_000;
const POLL_MS = 100;
const ANSWER_MS_MAX = 5_000;
/** Lines of a tier's log that go with the error: a test's data folder is gone when it is read. */
const LOG_LINES = 20;
const LEFTOVER_MS_MAX = 15_000;

export type LocalAccount = { readonly accountId: string; readonly apiKey: string };

export type System = LocalAccount & {
  readonly baseUrl: string;
  readonly originUrl: string;
  readonly managementUrl: string;
  readonly portalUrl: string;
  readonly settings: LocalSettings;
  readonly secrets: LocalSecrets;
  readonly edge: () => Child;
  readonly origin: () => Child;
  /** Starts the tier again after it was killed or died; resolves when it answers. */
  restartEdge: () => Promise<void>;
  restartOrigin: () => Promise<void>;
  stop: () => Promise<void>;
};

export type Progress = (text: string) => void;

/**
 * Resolves when both tiers answer and local.json is written. If any part fails, whatever it started is stopped.
 */
export const startSystem = async (settings: LocalSettings, progress: Progress = () => {}): Promise<System> => {
  const running: { edge?: Child; origin?: Child } = {};
  const stop = async (): Promise<void> => {
    await Promise.all([running.edge?.stop(), running.origin?.stop()]);
    await removeTemporaryDir(settings);
    await rm(pidFile(settings), { force: true });
  };
  try {
    return await start(settings, running, stop, progress);
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  settings: LocalSettings,
  running: { edge?: Child; origin?: Child },
  stop: () => Promise<void>,
  progress: Progress,
): Promise<System> => {
  await endLeftovers(settings);
  await requireFreePort(settings.edgePort, 'EDGE_PORT');
  await requireFreePort(settings.originPort, 'ORIGIN_PORT');
  await requireFreePort(settings.originPort + 1, 'ORIGIN_PORT');
  const secrets = await localSecrets(settings.dataDir);

  const restartOrigin = async (): Promise<void> => {
    running.origin = await startOrigin(settings, secrets);
    await rememberPids(settings, running);
    await untilReady(running.origin, `${managementUrl(settings)}/readyz`, settings);
  };
  const restartEdge = async (): Promise<void> => {
    running.edge = await startEdge(settings, secrets);
    await rememberPids(settings, running);
    await untilReady(running.edge, `${baseUrl(settings)}${paths.openapi}`, settings);
  };
  progress('Starting origin (Postgres, model) and building the portal …');
  await Promise.all([restartOrigin(), buildPortal(settings).then(() => migratePortalDatabase(settings))]);
  progress('Starting edge …');
  await restartEdge();

  const account = await localAccount(settings, secrets);
  const portalUrl = `${baseUrl(settings)}/`;
  const local = {
    base_url: baseUrl(settings),
    api_key: account.apiKey,
    portal_url: portalUrl,
    account_id: account.accountId,
  };
  await writeAtomically(join(settings.dataDir, 'local.json'), `${JSON.stringify(local, null, 2)}\n`);
  return {
    ...account,
    baseUrl: baseUrl(settings),
    originUrl: originUrl(settings),
    managementUrl: managementUrl(settings),
    portalUrl,
    settings,
    secrets,
    edge: () => running.edge as Child,
    origin: () => running.origin as Child,
    restartEdge,
    restartOrigin,
    stop,
  };
};

/** The account of an earlier start if the edge still knows its key, else a new one. */
const localAccount = async (settings: LocalSettings, secrets: LocalSecrets): Promise<LocalAccount> => {
  const kept = JSON.parse(await readFile(join(settings.dataDir, 'local.json'), 'utf8').catch(() => '{}')) as {
    api_key?: string;
    account_id?: string;
  };
  if (kept.api_key && kept.account_id) {
    const answer = await fetch(`${baseUrl(settings)}${paths.account}`, {
      headers: { authorization: `Bearer ${kept.api_key}` },
    });
    await answer.body?.cancel();
    if (answer.ok) return { accountId: kept.account_id, apiKey: kept.api_key };
  }
  return createAccount(baseUrl(settings), secrets, settings.credits);
};

/** A fresh account with credits and a live key, through the edge's local-only admin route. */
export const createAccount = async (base: string, secrets: LocalSecrets, credits: number): Promise<LocalAccount> => {
  const answer = await fetch(`${base}/api/local/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.localAdmin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ credits, label: 'local' }),
  });
  if (!answer.ok) throw new Error(`the local account could not be created: ${answer.status} ${await answer.text()}`);
  const { account_id: accountId, api_key: apiKey } = (await answer.json()) as { account_id: string; api_key: string };
  return { accountId, apiKey };
};

const untilReady = async (child: Child, url: string, settings: LocalSettings): Promise<void> => {
  let cause: unknown;
  const giveUpAt = Date.now() + READY_MS_MAX;
  for (; Date.now() < giveUpAt && child.isRunning(); await sleep(POLL_MS)) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
      await answer.body?.cancel();
      if (answer.ok) return;
      cause = new Error(`${url} answered ${answer.status}`);
    } catch (error) {
      cause = error;
    }
  }
  const log = join(settings.dataDir, 'logs', `${child.name}.log`);
  const last = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  const what = child.isRunning() ? 'did not become ready' : 'ended before it was ready';
  throw new Error(`${child.name} ${what}; see ${log}\n${last}`, { cause });
};

const requireFreePort = async (port: number, name: string): Promise<void> => {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`port ${port} is in use; set ${name} to a free one`, { cause })));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
};

const pidFile = (settings: LocalSettings): string => join(settings.dataDir, 'pids.json');

const rememberPids = (settings: LocalSettings, { edge, origin }: { edge?: Child; origin?: Child }): Promise<void> =>
  writeAtomically(pidFile(settings), `${JSON.stringify([edge?.pid, origin?.pid].filter(Boolean))}\n`);

/**
 * A launcher that was killed could not stop its tiers. Their process groups are ended here, where the pids still
 * belong to our commands.
 */
const endLeftovers = async (settings: LocalSettings): Promise<void> => {
  const pids = JSON.parse(await readFile(pidFile(settings), 'utf8').catch(() => '[]')) as number[];
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('wrangler') && !command.includes('origin')) continue;
    signalGroup(pid, 'SIGTERM');
    await waitForGroup(pid, LEFTOVER_MS_MAX);
    signalGroup(pid, 'SIGKILL');
  }
};
