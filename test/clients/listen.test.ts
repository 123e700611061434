/** `packshot webhooks listen` against the running edge: what it forwards, the client unwraps; nothing is lost or doubled. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Packshot } from '../../clients/typescript/src/index.ts';
import { type Served, served } from '../support/served.ts';
import { linesOf, startCli } from './support/cli.ts';
import { startService, type TestService } from './support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Hook = { readonly headers: Record<string, string>; readonly body: string };
/** A developer's server, which refuses the first deliveries. */
const startHooks = async (refusals: number) => {
  const taken: Hook[] = [];
  let refused = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (refused++ < refusals) return void response.writeHead(500).end();
    taken.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(204).end();
  });
  const { url, close } = await served(server);
  return { taken, url: `${url}/hooks`, close };
};

/** Passes calls on to the service, and breaks every third connection after the service has answered. */
const startBreaking = (): Promise<Served> => {
  let calls = 0;
  const server = createServer(async (request, response) => {
    // The listener, or the service, may end meanwhile.
    const answer = await fetch(service.baseUrl + (request.url ?? ''), {
      headers: { authorization: request.headers.authorization ?? '' },
    }).catch(() => undefined);
    if (!answer) return void request.socket.destroy();
    const body = await answer.text();
    if (++calls % 3 === 2) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
  });
  return served(server);
};

it('every batch that ends is forwarded once, over connections that break, and unwrapped with the printed secret', async () => {
  const account = await service.account(10);
  const [hooks, broken] = [await startHooks(1), await startBreaking()];
  const packshot = new Packshot({ apiKey: account.apiKey, baseUrl: service.baseUrl });
  const env = { PACKSHOT_API_KEY: account.apiKey, PACKSHOT_BASE_URL: broken.url };
  const { child, ended } = startCli(['webhooks', 'listen', '--forward', hooks.url, '--json'], env);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  await vi.waitFor(() => expect(said).toContain('whsec_'), 30_000);
  const secret = /whsec_\S+/.exec(said)?.[0] ?? '';
  const made: string[] = [];
  for (let i = 0; i < 4; i++) {
    const batch = await packshot.createBatch([`${service.shopUrl}/photo/listen-${i}.jpg`]);
    await batch.wait();
    made.push(batch.created.batch_id);
  }
  await vi.waitFor(() => expect(hooks.taken).toHaveLength(4), 60_000);
  const told = await Promise.all(
    hooks.taken.map(({ headers, body }) => packshot.webhooks.unwrap(secret, headers, body)),
  );
  expect(told.map(({ batch_id }) => batch_id)).toEqual(made);
  expect(told.every(({ status }) => status === 'completed')).toBe(true);
  child.kill('SIGTERM');
  const end = await ended;
  expect(linesOf(end).map(({ batch_id, forwarded }) => [batch_id, forwarded])).toEqual(made.map((id) => [id, 204]));
  expect(end.stdout + end.stderr).not.toContain(account.apiKey);
  await Promise.all([hooks.close(), broken.close()]);
});

it('an address that is none ends it with exit code 2, a wrong key with 3', async () => {
  const account = await service.account(0);
  const env = { PACKSHOT_API_KEY: account.apiKey, PACKSHOT_BASE_URL: service.baseUrl };
  expect((await startCli(['webhooks', 'listen', '--forward', 'nonsense'], env).ended).code).toBe(2);
  const wrong = { ...env, PACKSHOT_API_KEY: `${account.apiKey}x` };
  expect((await startCli(['webhooks', 'listen'], wrong).ended).code).toBe(3);
});
