/** The tools for agents, by the protocol's own client: over HTTP at the edge, and over the command line's stdio. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalAccount } from '../../local/system.ts';
import { photo, resultOf, sha256 } from './support/node.ts';
import { startService, type TestService } from './support/service.ts';

const main = join(import.meta.dirname, '..', '..', 'clients', 'typescript', 'cli', 'main.ts');

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const overHttp = (account: LocalAccount, cap: number) =>
  new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${account.apiKey}`, 'packshot-spend-cap': String(cap) } },
  });
const overStdio = (account: LocalAccount, cap: number) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', '--spend-cap', String(cap)],
    env: { PACKSHOT_API_KEY: account.apiKey, PACKSHOT_BASE_URL: service.baseUrl, HOME: '/nonexistent' },
  });

/** `auto`: today's protocol, without sessions; `legacy`: the one of 2025, as most clients still speak it. */
const connected = async (
  transport: ReturnType<typeof overHttp> | ReturnType<typeof overStdio>,
  mode: 'auto' | 'legacy' = 'legacy',
): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
};

type Said = { readonly isError: boolean; readonly value: Record<string, unknown> };
const tool = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Said> => {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text } = { text: '' }] = content as { text: string }[];
  return { isError: isError === true, value: JSON.parse(text) };
};

describe.each([
  ['over HTTP', overHttp],
  ['over stdio', overStdio],
] as const)('an agent %s', (name, transport) => {
  const url = (id: string): string => `${service.shopUrl}/photo/mcp-${name.at(-1)}-${id}.jpg`;

  it('makes an image from a URL, gets links and measures, and is stopped by the cap of its session', async () => {
    const account = await service.account(10);
    const client = await connected(transport(account, 2));
    const { tools } = await client.listTools();
    expect(tools.map((one) => one.name).sort()).toEqual([
      'account_balance',
      'check_image',
      'get_batch',
      'make_hero_image',
    ]);

    const made = await tool(client, 'make_hero_image', { image_url: url('a'), options: { marketplace: 'amazon' } });
    expect(made).toMatchObject({
      isError: false,
      value: { status: 'completed', credits_charged: 1, images: [{ compliance: { passed: true } }] },
    });
    const [image] = made.value['images'] as { url: string }[];
    expect(await (await fetch(image?.url ?? '')).text()).toBe(resultOf(sha256(photo(`mcp-${name.at(-1)}-a`))));
    const again = await tool(client, 'get_batch', { batch_id: made.value['batch_id'] });
    expect(again.value).toMatchObject({ batch_id: made.value['batch_id'], progress: { completed: 1 } });

    // One that fails costs nothing and leaves the session what it had.
    const failed = await tool(client, 'make_hero_image', { image_url: `${service.shopUrl}/none.jpg` });
    expect(failed.value).toMatchObject({
      credits_charged: 0,
      images: [{ status: 'failed', error: { code: 'url_status' } }],
    });
    const wrong = await tool(client, 'make_hero_image', {
      image_url: 'x',
      options: { canvas: 200, layout: 'original' },
    });
    expect(wrong).toMatchObject({ isError: true, value: { error: { code: 'invalid_options', status: 400 } } });
    expect((await tool(client, 'make_hero_image', { image_url: url('b') })).isError).toBe(false);

    const stopped = await tool(client, 'make_hero_image', { image_url: url('c') });
    expect(stopped).toMatchObject({ isError: true, value: { error: { code: 'spend_cap_reached' } } });
    expect((await tool(client, 'account_balance')).value).toMatchObject({ available_credits: 8, spent_credits: 2 });
    expect(await service.totals(account)).toMatchObject({ spent: 2, held: 0 });
    await client.close();
  });

  it('checks a photo free, whatever the cap of its session, and is told what is wrong with an address', async () => {
    const account = await service.account(0);
    const client = await connected(transport(account, 0));
    const cropped = await tool(client, 'check_image', {
      image_url: `${service.shopUrl}/cropped/mcp-${name.at(-1)}.jpg`,
      options: { marketplace: 'walmart' },
    });
    expect(cropped).toMatchObject({
      isError: false,
      value: {
        marketplace: 'walmart',
        width: 1600,
        findings: [{ code: 'product_cropped', severity: 'required', box: { x: 640, y: 0, width: 212, height: 12 } }],
      },
    });
    expect((await tool(client, 'check_image', { image_url: url('fine') })).value).toMatchObject({ findings: [] });
    const wrong = await tool(client, 'check_image', { image_url: `${service.shopUrl}/none.jpg` });
    expect(wrong).toMatchObject({ isError: true, value: { error: { code: 'url_status', status: 422 } } });
    expect(await service.totals(account)).toMatchObject({ available: 0, held: 0, spent: 0 });
    await client.close();
  });

  it('spends nothing with a cap of nothing', async () => {
    const account = await service.account(1);
    const client = await connected(transport(account, 0));
    expect((await tool(client, 'make_hero_image', { image_url: url('d') })).isError).toBe(true);
    expect(await service.totals(account)).toMatchObject({ spent: 0, available: 1 });
    await client.close();
  });
});

describe('POST /mcp', () => {
  const post = (headers: Record<string, string>, method = 'POST'): Promise<Response> =>
    fetch(`${service.baseUrl}/mcp`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) } : {}),
    });

  it('asks for a key as the API does', async () => {
    const answer = await post({});
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="packshot"']);
    expect(await answer.json()).toMatchObject({ code: 'key_missing' });
  });

  it('refuses a cap that is no number, and other methods', async () => {
    const { apiKey } = await service.account(1);
    const authorization = `Bearer ${apiKey}`;
    expect((await post({ authorization, 'packshot-spend-cap': 'much' })).status).toBe(400);
    expect((await post({ authorization }, 'GET')).status).toBe(405);
  });

  it('keeps the spending of two sessions of one key apart', async () => {
    const account = await service.account(5);
    for (const session of ['first', 'second']) {
      const client = await connected(overHttp(account, 1));
      const args = { image_url: `${service.shopUrl}/photo/mcp-${session}.jpg` };
      expect((await tool(client, 'make_hero_image', args)).isError).toBe(false);
      expect((await tool(client, 'make_hero_image', args)).value).toMatchObject({
        error: { code: 'spend_cap_reached' },
      });
      await client.close();
    }
    expect(await service.totals(account)).toMatchObject({ spent: 2 });
  });

  it("takes a key's day for the session of a client that has none", async () => {
    const account = await service.account(5);
    const answers: Said[] = [];
    for (const id of ['day-a', 'day-b']) {
      const client = await connected(overHttp(account, 1), 'auto');
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      answers.push(await tool(client, 'make_hero_image', { image_url: `${service.shopUrl}/photo/${id}.jpg` }));
      await client.close();
    }
    expect(answers.map(({ isError }) => isError)).toEqual([false, true]);
    expect(await service.totals(account)).toMatchObject({ spent: 1 });
  });
});
