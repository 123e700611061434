import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usageByDay } from '../../../edge/account/requests/usage.ts';
import { newApiKey } from '../../../shared/api-key.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  audited,
  bindings,
  call,
  createBatch,
  files,
  historyOf,
  newAccount,
  newKey,
  problemOf,
  revokeKey,
  upload,
  uploadForm,
} from '../support/service.ts';

beforeEach(() => void fakeOrigin());
afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const account = (headers: Record<string, string> = {}): Promise<Response> => call('/api/v1/account', { headers });

describe('a request', () => {
  it('without a key is turned away with key_missing and the scheme to use', async () => {
    const response = await account();
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'key_missing' });
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(['Bearer ', 'Bearer', 'bearer   '])('with an empty key ("%s") is told key_missing', async (authorization) => {
    expect(await problemOf(await account({ authorization }))).toMatchObject({ status: 401, code: 'key_missing' });
  });

  it('that is refused names the page that explains the code, as an absolute address', async () => {
    const { type } = (await problemOf(await account())) as { type?: string };
    expect(type).toBe(`${bindings.PUBLIC_BASE_URL}/docs/errors#key_missing`);
    expect(new URL(type ?? '').hash).toBe('#key_missing');
  });

  it.each(['Bearer sk_live_short', 'Bearer packshot_live_short', 'Basic abc', 'Bearer a b'])(
    'with "%s" is turned away with key_malformed',
    async (authorization) => {
      expect(await problemOf(await account({ authorization }))).toMatchObject({ status: 401, code: 'key_malformed' });
    },
  );

  it('with one mistyped character fails the checksum', async () => {
    const { apiKey } = await newAccount();
    const mistyped = apiKey.slice(0, 40) + (apiKey[40] === 'A' ? 'B' : 'A') + apiKey.slice(41);
    expect(await problemOf(await account({ authorization: `Bearer ${mistyped}` }))).toMatchObject({
      status: 401,
      code: 'key_malformed',
    });
  });

  it('with a well-formed key that was never created is unknown, and writes nothing to storage', async () => {
    const accountId = newId('account', Date.now(), random);
    const response = await account({ authorization: `Bearer ${newApiKey('live', accountId, random)}` });
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'key_unknown' });
    const tables = await runInDurableObject(accountStub(accountId), (_ledger, state) =>
      state.storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it('with a key that names an account but was never created in it is unknown', async () => {
    const { accountId } = await newAccount();
    expect(
      await problemOf(await account({ authorization: `Bearer ${newApiKey('live', accountId, random)}` })),
    ).toMatchObject({ code: 'key_unknown' });
  });

  it('with a revoked key is turned away at once, while another key of the account goes on', async () => {
    const first = await newAccount();
    const second = await newKey(first);
    expect((await account(as(first))).status).toBe(200);
    await revokeKey(first);
    expect(await problemOf(await account(as(first)))).toMatchObject({ status: 401, code: 'key_revoked' });
    expect((await account(as(second))).status).toBe(200);
    expect(await (await revokeKey(first)).json()).toEqual({ result: 'already_revoked' });
  });
});

describe('keys', () => {
  it('are kept as hashes: no row of the account holds the secret', async () => {
    const made = await newAccount();
    const rows = await runInDurableObject(accountStub(made.accountId), (_ledger, state) =>
      JSON.stringify(state.storage.sql.exec('select * from apiKey').toArray()),
    );
    expect(rows).not.toContain(made.apiKey);
    expect(rows).not.toContain(made.apiKey.slice(34, 66));
    expect(rows).toContain(made.keyId);
  });

  it('show their masked form, their label and their last use', async () => {
    const made = await newAccount();
    await account(as(made));
    const [row] = await accountOf(made).listKeys();
    expect(row).toMatchObject({
      keyId: made.keyId,
      mode: 'live',
      masked: `packshot_live_…${made.apiKey.slice(-4)}`,
      revokedAtMs: null,
    });
    expect(row?.lastUsedAtMs).toBeGreaterThan(0);
    expect(await accountOf(made).changeKey(made.keyId, { label: 'warehouse' })).toMatchObject({ result: 'changed' });
    expect((await accountOf(made).listKeys())[0]?.label).toBe('warehouse');
  });

  it('are limited in number; a revoked one makes room', async () => {
    const made = await newAccount();
    const add = (n: number) =>
      accountOf(made).addKey({ keyId: `key_${n}`, mode: 'live', label: '', masked: '', hash: String(n) });
    for (let n = 1; n < limits.keys.perAccountMax; n++) expect(await add(n)).toMatchObject({ result: 'added' });
    expect(await add(100)).toEqual({ result: 'too_many_keys' });
    await accountOf(made).revokeKey('key_1');
    expect(await add(101)).toMatchObject({ result: 'added' });
  });
});

describe('a batch', () => {
  it('is not found by any key but the one that created it, not even by one of the same account', async () => {
    const maker = await newAccount(5);
    const sibling = await newKey(maker);
    const stranger = await newAccount(5);
    const response = await upload(maker, uploadForm(files(1)), { prefer: 'respond-async' });
    const location = response.headers.get('location') ?? '';
    expect((await call(location, { headers: as(maker) })).status).toBe(200);
    for (const other of [sibling, stranger])
      expect(await problemOf(await call(location, { headers: as(other) }))).toMatchObject({
        status: 404,
        code: 'batch_not_found',
      });
    expect(await problemOf(await call(`${location.slice(0, -3)}zzz`, { headers: as(maker) }))).toMatchObject({
      code: 'batch_not_found',
    });
    expect(await problemOf(await call(`${location}x`, { headers: as(maker) }))).toMatchObject({
      code: 'batch_not_found',
    });
  });
});

describe('the account', () => {
  it('shows what is available, held, spent and granted', async () => {
    const made = await newAccount(8);
    await upload(made, uploadForm(files(2)));
    const shown = (await (await account(as(made))).json()) as Record<string, unknown>;
    expect(shown).toMatchObject({
      account_id: made.accountId,
      available_credits: 6,
      held_credits: 0,
      spent_credits: 2,
      granted_credits: 8,
      remaining_api_credits_usd: 1.5,
      price_per_image_usd: 0.25,
    });
    expect((await audited(made)).available).toBe(6);
  });

  it('keeps a line of every request with its outcome, newest first, by key and page', async () => {
    const made = await newAccount(2);
    await upload(made, uploadForm(files(1)));
    await createBatch(made, { images: [] });
    await account(as(made));
    await vi.waitFor(async () => expect((await historyOf(made).requests()).rows).toHaveLength(3));
    const { rows } = await historyOf(made).requests();
    expect(rows.map((row) => [row.method, row.path, row.status, row.images, row.credits, row.errorCode])).toEqual([
      ['GET', '/api/v1/account', 200, 0, 0, null],
      ['POST', '/api/v1/service-hero', 400, 0, 0, 'invalid_request'],
      ['POST', '/api/v1/service-hero', 200, 1, 1, null],
    ]);
    expect(rows[2]?.batchId).toMatch(/^bat_/);
    const page = await historyOf(made).requests({ keyId: made.keyId, max: 2 });
    expect(page.rows).toHaveLength(2);
    expect(
      (await historyOf(made).requests({ keyId: made.keyId, cursor: page.next })).rows.map((row) => row.requestId),
    ).toEqual([rows[2]?.requestId]);
    expect((await historyOf(made).requests({ keyId: 'key_other' })).rows).toEqual([]);
    const [day] = await usageByDay({ ledger: accountOf(made), requests: historyOf(made) }, 0, Date.now());
    expect(day).toMatchObject({ posted: 1, voided: 0, requests: 3, errors: 1 });
    expect(day?.p50Ms).not.toBeNull();
  });
});
