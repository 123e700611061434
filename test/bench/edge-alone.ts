/** The edge in real workerd without a fleet: a node may be put at its origin's port. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalSecrets, localSecrets } from '../../local/secrets.ts';
import type { LocalSettings } from '../../local/settings.ts';
import { baseUrl, buildPortal, migratePortalDatabase, startEdge } from '../../local/tiers.ts';
import { freePort } from '../support/local-system.ts';

const READY_MS_MAX = 120_000;

export type EdgeAlone = {
  readonly base: string;
  readonly originPort: number;
  /** The process group in which it runs. */
  readonly group: number;
  readonly secrets: LocalSecrets;
  /** Ends it and removes its data. */
  readonly remove: () => Promise<void>;
};

/** Resolves when it answers. `env` as for `npm start`. */
export const startEdgeAlone = async (env: Record<string, string>): Promise<EdgeAlone> => {
  const settings: LocalSettings = {
    edgePort: await freePort(),
    originPort: await freePort(),
    dataDir: await mkdtemp(join(tmpdir(), 'packshot-edge-')),
    credits: 0,
    env,
  };
  const secrets = await localSecrets(settings.dataDir);
  await buildPortal(settings);
  await migratePortalDatabase(settings);
  const edge = await startEdge(settings, secrets);
  const remove = async (): Promise<void> => {
    await edge.stop();
    await rm(settings.dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(baseUrl(settings));
  } catch (error) {
    await remove();
    throw error;
  }
  return { base: baseUrl(settings), originPort: settings.originPort, group: edge.pid, secrets, remove };
};

const untilReady = async (base: string): Promise<void> => {
  for (const giveUpAt = Date.now() + READY_MS_MAX; Date.now() < giveUpAt; await sleep(200))
    if (
      await fetch(`${base}/api/v1/openapi.json`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
  throw new Error('the edge did not become ready');
};
