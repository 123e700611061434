/** What a key may do, until when, and from where; and that every route says what it asks of a key. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import type { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isWithin, normalRange } from '../../../edge/account/keys/addresses.ts';
import { accountSchema } from '../../../edge/account/schema.ts';
import { type AppDeps, createApp, publicRoutes } from '../../../edge/app.ts';
import { migrate } from '../../../edge/sqlite/rows.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { KeyGrantsAsked } from '../../../shared/key-api.ts';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { type KeyScope, keyScopes, ordinaryScopes, routeScopes } from '../../../shared/scopes.ts';
import { olderKey } from '../../support/older-key.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  call,
  createBatch,
  files,
  historyOf,
  newAccount,
  newKey,
  problemOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
beforeEach(async () => {
  fakeOrigin(shop().answer);
  account = await newAccount(20);
});
afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const keyWith = (grants: KeyGrantsAsked): Promise<TestAccount> => newKey(account, 'live', grants);
const at = (ms: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (object) => {
    object.now = () => ms;
  });
const balance = (key: TestAccount, headers: Record<string, string> = {}): Promise<Response> =>
  call('/api/v1/account', { headers: as(key, headers) });

type Guarded = keyof typeof paths;
const guarded = (Object.keys(paths) as Guarded[]).filter((name) => routeScopes[name] !== 'public');
/** Each method of each route that asks for a key. */
const requests = guarded.flatMap((name) =>
  (publicRoutes[paths[name]] ?? [])
    .filter((method) => method !== 'HEAD')
    .map((method) => ({ name, method, scope: routeScopes[name] as KeyScope })),
);
const send = (name: Guarded, method: string, key: { readonly apiKey: string }): Promise<Response> =>
  call(paths[name].replace(/:\w+/g, 'nothing'), {
    method,
    headers: as(key, { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { body: '{}' }),
  });
const codeIn = async (answer: Response): Promise<string | undefined> => {
  const body = (await answer.json()) as { code?: string; errors?: readonly { code: string }[] };
  return body.code ?? body.errors?.[0]?.code;
};

describe('every route of the API', () => {
  it('stands in the table of scopes, with what it asks of a key', () => {
    const nothing = {
      services: { clock: systemClock },
      mcp: (app: unknown) => (app as Hono).post('/mcp', (c) => c.body(null)),
    };
    const routes = createApp({ ...nothing, localAdmin: null, publicBaseUrl: 'https://x.example' } as unknown as AppDeps)
      .routes.filter(({ path, handler: _handler }) => !path.endsWith('/*'))
      .map(({ path }) => path);
    const declared = new Set([...Object.values(paths), '/mcp']);
    // Of the site: files that the Worker only changes.
    const made = ['/status', '/status.json', '/changelog', '/changelog.md', '/changelog.xml', '/terms', '/privacy'];
    const texts = ['/robots.txt', '/sitemap.xml', '/llms.txt', '/.well-known/security.txt'];
    const pages = ['/', '/disclosure', '/sign-in', '/sign-up', '/forgot-password', ...made, ...texts];
    const isFile = (path: string): boolean => path.startsWith('/docs') || pages.includes(path);
    expect(routes.length).toBeGreaterThan(declared.size);
    expect(routes.filter((path) => !declared.has(path as never) && !isFile(path))).toEqual([]);
    expect(Object.keys(routeScopes).sort()).toEqual([...Object.keys(paths), 'mcp'].sort());
    expect(Object.values(routeScopes).filter((scope) => scope === 'any_key')).toHaveLength(1);
  });

  it.each(requests)(
    '$method $name is refused without a key, and without the scope $scope, by its name',
    async (route) => {
      const { name, method, scope } = route;
      const unauthorised = await call(paths[name].replace(/:\w+/g, 'nothing'), { method });
      expect([401, 403]).toContain(unauthorised.status);
      const others = keyScopes.filter((other) => other !== scope);
      const key = await keyWith({ scopes: others });
      const refused = await send(name, method, key);
      expect(refused.status).toBe(403);
      if (name.startsWith('removebg')) expect(await codeIn(refused)).toBe('key_scope_missing');
      else {
        const problem = await problemOf(refused);
        expect(problem).toMatchObject({ code: 'key_scope_missing', scope });
        expect(problem.detail).toContain(scope);
      }
      const allowed = await send(name, method, await keyWith({ scopes: [scope] }));
      expect(allowed.status === 403 ? await codeIn(allowed) : 'allowed').not.toBe('key_scope_missing');
    },
  );

  it('can be called by keys from before there were scopes, but for the management of keys', async () => {
    const older = olderKey('live', account.accountId);
    await runInDurableObject(accountStub(account.accountId), (_account, { storage }) => {
      // As the release before wrote it.
      storage.sql.exec(
        `insert into apiKey (keyId, hash, mode, label, masked, createdAtMs) values (?, ?, 'live', 'older', 'sk_live_…', 1)`,
        newId('apiKey', Date.now(), random),
        older.hash,
      );
    });
    const key = { ...account, apiKey: older.text };
    for (const { name, method, scope } of requests) {
      const code = await codeIn(await send(name, method, key));
      expect(code === 'key_scope_missing', name).toBe(scope === 'admin');
    }
    expect((await upload(key, uploadForm(files(1)))).status).toBe(200);
  });

  it('asks the tools of /mcp for their own scopes, from the address that called', async () => {
    const tool = async (key: TestAccount, name: string, args: unknown, address: string): Promise<string> => {
      const answer = await call('/mcp', {
        method: 'POST',
        headers: as(key, {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'cf-connecting-ip': address,
        }),
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      });
      return answer.text();
    };
    const key = await keyWith({ scopes: ['account:read'], allowed_ips: ['203.0.113.7'] });
    expect(await tool(key, 'account_balance', {}, '203.0.113.7')).toContain('available_credits');
    expect(await tool(key, 'make_hero_image', { image_url: photoUrls(1)[0]?.input_url }, '203.0.113.7')).toContain(
      'key_scope_missing',
    );
    expect(await tool(key, 'account_balance', {}, '203.0.113.8')).toContain('key_address_not_allowed');
  });

  it('writes down what it refused a key', async () => {
    const key = await keyWith({ scopes: ['batches:read'], allowed_ips: ['203.0.113.0/24'] });
    await balance(key, { 'cf-connecting-ip': '203.0.113.1' });
    await balance(key, { 'cf-connecting-ip': '198.51.100.1' });
    await vi.waitFor(async () => {
      const { rows } = await historyOf(account).requests({ keyId: key.keyId });
      expect(rows.map(({ errorCode }) => errorCode).sort()).toEqual(['key_address_not_allowed', 'key_scope_missing']);
    });
  });
});

/** Scripts of the account before its keys had scopes. */
const BEFORE_SCOPES = 10;

it('an account of the version before keeps its keys, which may do what they could, and settles its open batch', async () => {
  const accountId = newId('account', Date.now(), random);
  const older = olderKey('live', accountId);
  await runInDurableObject(accountStub(accountId), (_account, { storage }) => {
    migrate(storage, accountSchema.slice(0, BEFORE_SCOPES));
    storage.sql.exec(
      `insert into account (id, accountId, label, createdAtMs, granted, available, held, spent, entries, housekeepingAtMs,
         pendingHolds, queuedHolds) values (1, ?, '', 1, 5, 3, 2, 0, 2, 4e12, 1, 1)`,
      accountId,
    );
    storage.sql.exec(
      `insert into openHold (batchId, state, images, pending, posted, voided, openedAtMs, checkAtMs, mode, resolved, style, window)
         values ('bat_1', 'open', 2, 2, 0, 0, ?, 4e12, 'live', '..', 'batch', 0)`,
      Date.now(),
    );
    storage.sql.exec(
      `insert into apiKey (keyId, hash, mode, label, masked, createdAtMs) values ('key_1', ?, 'live', '', 'sk_live_…', 1)`,
      older.hash,
    );
  });
  await evictDurableObject(accountStub(accountId));
  const made = { accountId, keyId: 'key_1', apiKey: older.text };
  expect((await balance(made)).status).toBe(200);
  expect(await accountOf(made).listKeys()).toMatchObject([
    { scopes: ordinaryScopes, expiresAtMs: null, allowedIps: null, creditsPerDayMax: null, createdBy: null },
  ]);
  const { changeKey, resolve } = accountOf(made);
  expect(await changeKey('key_1', { grants: { creditsPerDayMax: 2 } })).toMatchObject({ result: 'changed' });
  expect(
    await resolve('bat_1', [
      { index: 0, as: 'posted' },
      { index: 1, as: 'voided' },
    ]),
  ).toEqual([{ result: 'posted' }, { result: 'voided' }]);
  const hold = (images: number) =>
    accountOf(made).hold({ batchId: newId('batch', Date.now(), random), images, keyId: 'key_1' });
  expect((await hold(3)).result).toBe('cap_reached');
  expect((await hold(2)).result).toBe('held');
});

describe('a key with an expiry', () => {
  it('works until then and is refused from then on, with a code of its own', async () => {
    const endsMs = Date.now() + 3_600_000;
    const key = await keyWith({ expires_at: new Date(endsMs).toISOString() });
    await at(endsMs - 1);
    expect((await balance(key)).status).toBe(200);
    await at(endsMs);
    const refused = await balance(key);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await problemOf(refused)).toMatchObject({ status: 401, code: 'key_expired' });
  });

  it('makes room for another once it has ended', async () => {
    const endsMs = Date.now() + 3_600_000;
    for (let i = 1; i < limits.keys.perAccountMax; i++) await keyWith({ expires_at: new Date(endsMs).toISOString() });
    const add = () => accountOf(account).addKey({ keyId: 'key_x', mode: 'live', label: '', masked: '', hash: 'x' });
    expect(await add()).toEqual({ result: 'too_many_keys' });
    await at(endsMs);
    expect(await add()).toMatchObject({ result: 'added' });
  });
});

describe('a key with an allow-list', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.9/24', '203.0.113.1', true],
    ['203.0.113.0/24', '::ffff:203.0.113.4', true],
    ['203.0.113.0/24', '2001:db8::1', false],
    ['2001:db8:1::/48', '2001:DB8:1:2:3:4:5:6', true],
    ['2001:db8:1::/48', '2001:db8:2::1', false],
    ['2001:db8::1', '2001:db8::1', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['::/0', '203.0.113.1', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['203.0.113.0/24', 'unknown', false],
    ['203.0.113.0/24', '203.0.113.1%eth0', false],
  ])('of %s takes %s: %s', async (range, address, isTaken) => {
    const key = await keyWith({ allowed_ips: [range] });
    const answer = await balance(key, { 'cf-connecting-ip': address });
    if (isTaken) expect(answer.status).toBe(200);
    else expect(await problemOf(answer)).toMatchObject({ status: 403, code: 'key_address_not_allowed' });
  });

  it('is refused where no address is known', async () => {
    const key = await keyWith({ allowed_ips: ['0.0.0.0/0', '::/0'] });
    expect((await problemOf(await balance(key))).code).toBe('key_address_not_allowed');
    const answer = await upload(key, uploadForm(files(1)));
    expect((await problemOf(answer)).code).toBe('key_address_not_allowed');
  });

  it('takes nothing of the account’s rate for whoever stole it, and no slot', async () => {
    const key = await keyWith({ allowed_ips: ['203.0.113.7'] });
    const before = (await balance(account)).headers.get('ratelimit');
    for (let i = 0; i < 30; i++)
      expect((await createBatch(key, {}, { 'cf-connecting-ip': '198.51.100.1' })).status).toBe(403);
    const left = (header: string | null): number => Number(/r=(\d+)/.exec(header ?? '')?.[1]);
    expect(left((await balance(account)).headers.get('ratelimit'))).toBeGreaterThanOrEqual(left(before) - 1);
  });

  it.each([
    '',
    '203.0.113',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '0x7f.1',
    '010.0.0.1',
    '203.0.113.1 ',
    'fe80::1%eth0',
    '2001:db8::/129',
    '::ffff:203.0.113.0/80',
    'packshot.example',
  ])('cannot be made with "%s"', (text) => {
    expect(normalRange(text)).toBeUndefined();
  });

  it('is kept as the ranges that it means', () => {
    expect(normalRange('203.0.113.77/24')).toBe('203.0.113.0/24');
    expect(normalRange('203.0.113.77')).toBe('203.0.113.77/32');
    expect(normalRange('::ffff:203.0.113.77/120')).toBe('203.0.113.0/24');
    expect(normalRange('2001:db8:0:1::7/48')).toBe('2001:db8::/48');
    expect(isWithin(['10.0.0.0/8'], '10.1.0.0/16')).toBe(true);
    expect(isWithin(['10.1.0.0/16'], '10.0.0.0/8')).toBe(false);
  });
});
