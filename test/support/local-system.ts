/** A whole system for one test file or benchmark: own ports, own data folder, removed at the end. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type System, startSystem } from '../../local/system.ts';
import { keyScopes } from '../../shared/scopes.ts';

/** Below the ports that Linux, macOS and Windows give to outgoing connections: none of those can take one before we listen. */
const [PORT_MIN, PORT_MAX, PORT_TRIES] = [10_240, 32_000, 50];

/** A port that was free a moment ago, and so was the one after it, which origin takes for its management. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error(`no free port in ${PORT_TRIES} tries`);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port, '127.0.0.1');
  if (!(await listening)) return false;
  server.close();
  await once(server, 'close');
  return true;
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
