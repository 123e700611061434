/** The real edge (workerd, Durable Objects, ledger, R2, queue, as `npm start` runs it) before a node without a model. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localSecrets } from '../../../local/secrets.ts';
import { createAccount, type LocalAccount } from '../../../local/system.ts';
import { baseUrl, buildPortal, migratePortalDatabase, startEdge } from '../../../local/tiers.ts';
import type { KeyGrantsAsked } from '../../../shared/key-api.ts';
import { paths } from '../../../shared/paths.ts';
import { publicKeyOf } from '../../../shared/service-key.ts';
import { type Ledger, readLedger } from '../../support/ledger.ts';
import { freePort } from '../../support/local-system.ts';
import { type Served, served } from '../../support/served.ts';
import { croppedPhoto, type DigestingNode, emptyPhoto, photo, startDigestingNode } from './node.ts';

const READY_MS_MAX = 120_000;

export type TestService = {
  readonly baseUrl: string;
  readonly node: DigestingNode;
  /** A server of photos: `/photo/<id>.jpg`, `/nothing/<id>.jpg`, `/cropped/<id>.jpg`; `/private/<id>.jpg` for `Bearer of-the-shop` alone; anything else is 404. */
  readonly shopUrl: string;
  readonly account: (credits: number) => Promise<LocalAccount>;
  /** Another key of the account, limited as `body` says. */
  readonly key: (account: LocalAccount, body: KeyGrantsAsked) => Promise<LocalAccount>;
  readonly totals: (account: LocalAccount) => Promise<Ledger['totals']>;
  readonly stop: () => Promise<void>;
};

export const startService = async (pauseMs: () => number = () => 0): Promise<TestService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'packshot-clients-'));
  const shop = await startShop();
  const settings = {
    edgePort: await freePort(),
    originPort: await freePort(),
    dataDir,
    credits: 0,
    env: { LOCAL_INPUT_HOSTS: new URL(shop.url).host },
  };
  const secrets = await localSecrets(dataDir);
  const node = await startDigestingNode(settings.originPort, publicKeyOf(secrets.serviceKey), pauseMs);
  await buildPortal(settings);
  await migratePortalDatabase(settings);
  const edge = await startEdge(settings, secrets);
  const base = baseUrl(settings);
  await untilReady(`${base}${paths.openapi}`, join(dataDir, 'logs', 'edge.log'));
  return {
    baseUrl: base,
    node,
    shopUrl: shop.url,
    account: (credits) => createAccount(base, secrets, credits),
    key: async (account, body) => {
      const answer = await fetch(`${base}/api/local/accounts/${account.accountId}/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secrets.localAdmin}` },
        body: JSON.stringify(body),
      });
      const { api_key: apiKey } = (await answer.json()) as { api_key: string };
      return { ...account, apiKey };
    },
    totals: async ({ accountId }) => (await readLedger({ baseUrl: base, secrets }, accountId)).totals,
    stop: async () => {
      await edge.stop();
      await Promise.all([node.close(), shop.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

const untilReady = async (url: string, logFile: string): Promise<void> => {
  for (const endMs = Date.now() + READY_MS_MAX; Date.now() < endMs; await sleep(100)) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
  }
  throw new Error(`${url} did not answer: ${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
};

const photoOf = { photo, nothing: emptyPhoto, cropped: croppedPhoto, private: photo } as const;

const startShop = (): Promise<Served> => {
  const server = createServer((request, response) => {
    const [, kind, id] = /^\/(photo|nothing|cropped|private)\/([\w-]+)\.jpg$/.exec(request.url ?? '') ?? [];
    if (id === undefined) return void response.writeHead(404).end();
    if (kind === 'private' && request.headers.authorization !== 'Bearer of-the-shop')
      return void response.writeHead(401).end();
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photoOf[kind as keyof typeof photoOf](id));
  });
  return served(server);
};
