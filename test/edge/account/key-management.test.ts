/** `/api/v1/keys`: what a key with the scope `admin` may do to others, and rolling with overlap. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiKey, apiKeySchema, type KeyCreation, type KeyGrantsAsked } from '../../../shared/key-api.ts';
import { limits } from '../../../shared/limits.ts';
import { type KeyScope, keyScopes } from '../../../shared/scopes.ts';
import { olderKey } from '../../support/older-key.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  call,
  createBatch,
  files,
  newAccount,
  newKey,
  type Problem,
  problemOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

const KEYS = '/api/v1/keys';
const HOUR_MS = 3_600_000;
const all = [...keyScopes];
const inAnHour = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

let account: TestAccount;
let admin: TestAccount;
beforeEach(async () => {
  fakeOrigin(shop().answer);
  account = await newAccount(20);
  admin = await newKey(account, 'live', { scopes: all });
});
afterEach(() => vi.restoreAllMocks());

const at = (ms: number): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), (object) => {
    object.now = () => ms;
  });
const send = (
  key: { readonly apiKey: string },
  method: string,
  path = '',
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  call(KEYS + path, {
    method,
    headers: as(key, { 'content-type': 'application/json', ...headers }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
type Made = { readonly key: ApiKey; readonly secret: string };
const made = async (answer: Response): Promise<Made & TestAccount> => {
  expect([200, 201]).toContain(answer.status);
  const body = (await answer.json()) as Made;
  return { ...body, accountId: account.accountId, keyId: body.key.key_id, apiKey: body.secret };
};
const make = async (body: Partial<KeyCreation>, by = admin) =>
  made(await send(by, 'POST', '', { label: 'made', ...body }));
const roll = (keyId: string, overlap_hours?: number, by = admin): Promise<Response> =>
  send(by, 'POST', `/${keyId}/roll`, overlap_hours === undefined ? {} : { overlap_hours });
const worksFor = async (apiKey: string): Promise<string> => {
  const answer = await call('/api/v1/account', { headers: as({ apiKey }) });
  return answer.ok ? 'works' : (await problemOf(answer)).code;
};
const exceededIn = async (answer: Response): Promise<string[]> => {
  const problem = (await problemOf(answer)) as Problem;
  expect(problem).toMatchObject({ status: 403, code: 'key_grants_exceeded' });
  return (problem.errors ?? []).map(({ field }) => field);
};

describe('an admin key', () => {
  it('makes a key with all that is asked for, shows its secret once, and lists it', async () => {
    const asked = {
      label: 'warehouse',
      mode: 'live',
      scopes: ['images:write'],
      expires_at: inAnHour(24),
      allowed_ips: ['203.0.113.9/24', '2001:db8::/32'],
      daily_credit_cap: 5,
    } as const;
    const answer = await send(admin, 'POST', '', asked);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { key, secret } = await made(answer);
    expect(apiKeySchema.parse(key)).toEqual({
      ...asked,
      key_id: expect.stringMatching(/^key_/),
      masked: `packshot_live_…${secret.slice(-4)}`,
      allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
      credits_used_today: 0,
      created_at: expect.any(String),
      created_by: admin.keyId,
      last_used_at: null,
      revoked_at: null,
      older_secrets_until: null,
    });
    const used = await upload({ apiKey: secret }, uploadForm(files(2)), { 'cf-connecting-ip': '203.0.113.5' });
    expect(used.status).toBe(200);
    const text = await (await send(admin, 'GET')).text();
    expect(text).not.toContain(secret.slice(30));
    const listed = (JSON.parse(text) as { keys: ApiKey[] }).keys.find(({ key_id }) => key_id === key.key_id);
    expect(listed).toMatchObject({ label: 'warehouse', credits_used_today: 2, daily_credit_cap: 5 });
  });

  it('gives what is left out as it has it itself, but admin only by name', async () => {
    const maker = await make({ scopes: all, expires_at: inAnHour(2), daily_credit_cap: 7 });
    const { key } = await make({}, maker);
    expect(key).toMatchObject({
      scopes: ['images:write', 'batches:read', 'account:read'],
      expires_at: maker.key.expires_at,
      allowed_ips: null,
      daily_credit_cap: 7,
    });
    expect((await make({ scopes: all }, maker)).key.scopes).toEqual(all);
  });

  it('revokes a key at once, a second time without harm, and another account’s not at all', async () => {
    const { key, secret } = await make({});
    const revoked = await send(admin, 'POST', `/${key.key_id}/revoke`);
    expect(((await revoked.json()) as Made).key.revoked_at).not.toBeNull();
    expect(await worksFor(secret)).toBe('key_revoked');
    expect((await send(admin, 'POST', `/${key.key_id}/revoke`)).status).toBe(200);
    const other = await newAccount();
    for (const path of [`/${other.keyId}/revoke`, `/${other.keyId}/roll`])
      expect(await problemOf(await send(admin, 'POST', path))).toMatchObject({ status: 404, code: 'key_not_found' });
    expect((await problemOf(await send(admin, 'PATCH', `/${other.keyId}`, { label: 'x' }))).code).toBe('key_not_found');
    expect(await worksFor(other.apiKey)).toBe('works');
  });

  it('changes a key from the next request on', async () => {
    const made = await make({});
    const change = (body: unknown) => send(admin, 'PATCH', `/${made.keyId}`, body);
    expect(((await (await change({ label: 'renamed', scopes: ['batches:read'] })).json()) as Made).key).toMatchObject({
      label: 'renamed',
      scopes: ['batches:read'],
    });
    expect(await worksFor(made.apiKey)).toBe('key_scope_missing');
    await change({ scopes: all, daily_credit_cap: 0 });
    expect((await problemOf(await upload(made, uploadForm(files(1))))).code).toBe('key_spending_cap_reached');
    await change({ daily_credit_cap: null });
    expect((await upload(made, uploadForm(files(1)))).status).toBe(200);
  });

  it.each([
    [{ label: '' }],
    [{ scopes: [] }],
    [{ scopes: ['everything'] }],
    [{ expires_at: '2020-01-01T00:00:00Z' }],
    [{ expires_at: 'tomorrow' }],
    [{ allowed_ips: [] }],
    [{ allowed_ips: ['203.0.113.0/33'] }],
    [{ allowed_ips: Array.from({ length: limits.keys.allowedIpsMax + 1 }, (_, i) => `10.0.0.${i}`) }],
    [{ daily_credit_cap: -1 }],
    [{ daily_credit_cap: 1.5 }],
    [{ colour: 'blue' }],
  ])('is told what is wrong with %j', async (wrong) => {
    const answer = await send(admin, 'POST', '', { label: 'x', ...wrong });
    expect(await problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('is told which field is wrong, in the words and rows of every other request', async () => {
    const { detail, errors } = await problemOf(await send(admin, 'POST', '', { label: '', daily_credit_cap: -1 }));
    expect(errors?.map(({ field }) => field)).toEqual(['label', 'daily_credit_cap']);
    expect(detail).toMatch(/^label: [^\n✖→]+; daily_credit_cap: [^\n✖→]+$/);
  });

  it('makes as many keys as an account may have', async () => {
    for (let i = 2; i < limits.keys.perAccountMax; i++) await newKey(account);
    expect(await problemOf(await send(admin, 'POST', '', { label: 'one more' }))).toMatchObject({
      status: 409,
      code: 'too_many_keys',
    });
  });
});

describe('a key never gives more than it has:', () => {
  const limited: KeyGrantsAsked = {
    scopes: ['images:write', 'admin'],
    expires_at: inAnHour(10),
    allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
    daily_credit_cap: 10,
  };
  const from = { 'cf-connecting-ip': '203.0.113.1' };
  const wider: readonly (readonly [string, KeyGrantsAsked, string])[] = [
    ['a scope', { scopes: ['images:write', 'account:read'] }, 'scopes'],
    ['no expiry', { expires_at: null }, 'expires_at'],
    ['a later expiry', { expires_at: inAnHour(11) }, 'expires_at'],
    ['no allow-list', { allowed_ips: null }, 'allowed_ips'],
    ['another address', { allowed_ips: ['203.0.113.4', '198.51.100.1'] }, 'allowed_ips'],
    ['a wider range', { allowed_ips: ['203.0.112.0/23'] }, 'allowed_ips'],
    ['all of IPv6', { allowed_ips: ['::/0'] }, 'allowed_ips'],
    ['no cap', { daily_credit_cap: null }, 'daily_credit_cap'],
    ['a higher cap', { daily_credit_cap: 11 }, 'daily_credit_cap'],
  ];
  let maker: TestAccount;
  beforeEach(async () => {
    maker = await newKey(account, 'live', limited);
  });

  it.each(wider)('not %s to a new key', async (_what, grants, field) => {
    const body = { label: 'x', scopes: ['images:write'], ...grants };
    expect(await exceededIn(await send(maker, 'POST', '', body, from))).toEqual([field]);
  });

  it.each(wider)('not %s to a key that it made, nor to itself', async (_what, grants, field) => {
    const child = await made(await send(maker, 'POST', '', { label: 'x' }, from));
    for (const { keyId } of [child, maker])
      expect(await exceededIn(await send(maker, 'PATCH', `/${keyId}`, grants, from))).toEqual([field]);
  });

  it.each(wider)('nor the secret of a key that has %s, by rolling it', async (_what, grants, field) => {
    const rest = {
      scopes: ['images:write'] as KeyScope[],
      expires_at: limited.expires_at ?? null,
      allowed_ips: ['203.0.113.4'],
    };
    const target = await newKey(account, 'live', { ...rest, daily_credit_cap: 10, ...grants });
    expect(await exceededIn(await send(maker, 'POST', `/${target.keyId}/roll`, {}, from))).toEqual([field]);
    expect(await exceededIn(await send(maker, 'PATCH', `/${target.keyId}`, { label: 'x' }, from))).toEqual([field]);
  });

  it('a test key makes no live key, and neither rolls nor revokes one', async () => {
    const test = await newKey(account, 'test', { scopes: all });
    expect(await exceededIn(await send(test, 'POST', '', { label: 'x', mode: 'live' }))).toEqual(['mode']);
    expect(await exceededIn(await roll(account.keyId, 0, test))).toEqual(['mode']);
    expect(await exceededIn(await send(test, 'POST', `/${account.keyId}/revoke`))).toEqual(['mode']);
    expect((await make({ mode: 'test' }, test)).secret).toMatch(/^packshot_test_/);
    expect(await worksFor(account.apiKey)).toBe('works');
  });

  it('many keys that one with a cap makes spend no more together than it may alone', async () => {
    const children = await Promise.all(
      Array.from({ length: 5 }, async () => made(await send(maker, 'POST', '', { label: 'x' }, from))),
    );
    const sent = await Promise.all(
      [...children, ...children].map((child) => createBatch(child, { images: photoUrls(3) }, from)),
    );
    expect(sent.filter(({ status }) => status === 202)).toHaveLength(3);
  });

  it('one whose own limits were tightened meanwhile gives no more than it has now', async () => {
    await accountOf(account).changeKey(maker.keyId, { grants: { scopes: ['images:write'] } });
    const reply = await accountOf(account).addKey({
      keyId: 'key_late',
      mode: 'live',
      label: '',
      masked: '',
      hash: 'late',
      by: maker.keyId,
    });
    expect(reply.result).toBe('grants_exceeded');
  });
});

describe('rolling a key', () => {
  it('gives another secret; the one before goes on for the overlap and not a moment longer', async () => {
    const { key, secret: first } = await make({});
    const { secret: second, key: rolled } = await made(await roll(key.key_id, 2));
    const endsMs = Date.parse(rolled.older_secrets_until ?? '');
    expect(rolled.masked).toBe(`packshot_live_…${second.slice(-4)}`);
    expect([await worksFor(first), await worksFor(second)]).toEqual(['works', 'works']);
    await at(endsMs - 1);
    expect(await worksFor(first)).toBe('works');
    await at(endsMs);
    expect([await worksFor(first), await worksFor(second)]).toEqual(['key_expired', 'works']);
  });

  it('without overlap ends every secret before, those of earlier overlaps too', async () => {
    const { key, secret: first } = await make({});
    const { secret: second } = await made(await roll(key.key_id, 168));
    const { secret: third } = await made(await roll(key.key_id));
    expect([await worksFor(first), await worksFor(second), await worksFor(third)]).toEqual([
      'key_expired',
      'key_expired',
      'works',
    ]);
  });

  it('twice, because the first answer was lost, does not end the secret in use', async () => {
    const { key, secret } = await make({});
    await roll(key.key_id, 24);
    await roll(key.key_id, 24);
    expect(await worksFor(secret)).toBe('works');
  });

  it('is done once where only the object’s answer was lost', async () => {
    const { key, secret } = await make({});
    brokenCalls('ACCOUNT', (method, calls) => (method === 'rollKey' && calls === 1 ? 'lost' : undefined));
    const { secret: second } = await made(await roll(key.key_id, 24));
    vi.restoreAllMocks();
    expect([await worksFor(secret), await worksFor(second)]).toEqual(['works', 'works']);
    const kept = await runInDurableObject(accountStub(account.accountId), (_account, { storage }) =>
      storage.sql.exec<{ n: number }>('select count(*) as n from replacedSecret').one(),
    );
    expect(kept.n).toBe(1);
  });

  it('keeps what the key has done: its batches, its Idempotency-Keys, its cap', async () => {
    const { key, secret } = await make({ daily_credit_cap: 3 });
    const first = { apiKey: secret };
    const accepted = await createBatch(first, { images: photoUrls(3) }, { 'idempotency-key': 'once' });
    const { batch_id } = (await accepted.json()) as { batch_id: string };
    const second = await made(await roll(key.key_id, 1));
    expect((await call(`/api/v1/service-hero/status/${batch_id}`, { headers: as(second) })).status).toBe(200);
    const replay = await createBatch(second, { images: photoUrls(3) }, { 'idempotency-key': 'once' });
    expect(((await replay.json()) as { batch_id: string }).batch_id).toBe(batch_id);
    expect((await problemOf(await createBatch(second, { images: photoUrls(1) }))).code).toBe(
      'key_spending_cap_reached',
    );
  });

  it('gives a key from before a secret with the new prefix', async () => {
    const older = olderKey('live', account.accountId);
    await accountOf(account).addKey({
      keyId: 'key_old',
      mode: 'live',
      label: '',
      masked: 'sk_live_…',
      hash: older.hash,
    });
    expect(await worksFor(older.text)).toBe('works');
    const { secret } = await made(await roll('key_old', 1));
    expect(secret).toMatch(/^packshot_live_/);
    expect([await worksFor(older.text), await worksFor(secret)]).toEqual(['works', 'works']);
  });

  it('is refused for a key that is over, and for an overlap beyond a week', async () => {
    const { key } = await make({});
    expect((await problemOf(await roll(key.key_id, 169))).code).toBe('invalid_request');
    await send(admin, 'POST', `/${key.key_id}/revoke`);
    expect(await problemOf(await roll(key.key_id))).toMatchObject({ status: 409, code: 'key_not_usable' });
  });

  it('and then revoking it ends all of its secrets', async () => {
    const { key, secret: first } = await make({});
    const { secret: second } = await made(await roll(key.key_id, 24));
    await send(admin, 'POST', `/${key.key_id}/revoke`);
    expect([await worksFor(first), await worksFor(second)]).toEqual(['key_revoked', 'key_revoked']);
  });

  it('stores no secret, and remembers a bounded number of hashes', async () => {
    const { key } = await make({});
    const secrets = [];
    for (let i = 0; i < 12; i++) secrets.push((await made(await roll(key.key_id, 24))).secret);
    const stored = await runInDurableObject(accountStub(account.accountId), (_account, { storage }) =>
      JSON.stringify([
        storage.sql.exec('select * from replacedSecret').toArray(),
        storage.sql.exec('select * from apiKey').toArray(),
      ]),
    );
    for (const secret of secrets) expect(stored).not.toContain(secret.slice(40));
    expect(JSON.parse(stored)[0]).toHaveLength(8);
  });
});
