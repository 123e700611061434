/** A whole system for one test file or benchmark: own ports, own data folder, removed at the end. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type System, startSystem } from '../../local/system.ts';
import { keyScopes } from '../../shared/scopes.ts';

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

export type TemporarySystem = System & { readonly remove: () => Promise<void> };

export const temporarySystem = async ({
  credits = 1_000,
  edgePort,
  env = {},
}: {
  credits?: number;
  /** Any free one, where it is not given. */
  edgePort?: number;
  env?: Record<string, string>;
} = {}): Promise<TemporarySystem> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'packshot-'));
  const system = await startSystem({
    edgePort: edgePort ?? (await freePort()),
    originPort: await freePort(),
    dataDir,
    credits,
    env,
  });
  return {
    ...system,
    remove: async () => {
      await system.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** A key of the system's account that also manages keys. */
export const adminKey = async ({ accountId, baseUrl, secrets }: System): Promise<string> => {
  const answer = await fetch(`${baseUrl}/api/local/accounts/${accountId}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.localAdmin}` },
    body: JSON.stringify({ scopes: keyScopes }),
  });
  return ((await answer.json()) as { api_key: string }).api_key;
};

export type Photo = { readonly name: string; readonly bytes: Uint8Array; readonly type?: string };

/** One upload as a client would send it. */
export const upload = (
  base: string,
  apiKey: string,
  photos: readonly Photo[],
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, bytes, type } of photos)
    form.append('files', new File([new Uint8Array(bytes)], name, { type: type ?? 'image/jpeg' }));
  return fetch(`${base}/api/v1/service-hero`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body: form,
  });
};
