/** Money under pressure, over HTTP, with both tiers and the real model. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type LocalAccount } from '../../local/system.ts';
import type { UploadResponse, UploadResult } from '../../shared/api.ts';
import { newApiKey } from '../../shared/api-key.ts';
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { type Photo, type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { renderScene } from '../support/scenes.ts';
import { accountOf, download, expectBalanced, ledgerOf, problemOf } from './support.ts';

let system: TemporarySystem;
let mug: Photo;
beforeAll(async () => {
  system = await temporarySystem({ credits: 100 });
  mug = { name: 'mug.jpg', bytes: await renderScene('mug') };
});
afterAll(() => system?.remove());

const accounts: LocalAccount[] = [];
const freshAccount = async (credits: number): Promise<LocalAccount> => {
  const account = await createAccount(system.baseUrl, system.secrets, credits);
  accounts.push(account);
  return account;
};

describe('keys', () => {
  const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
  const codeFor = async (key: string | undefined): Promise<unknown> => {
    const form = new FormData();
    form.append('files', new File([new Uint8Array(mug.bytes)], 'mug.jpg'));
    const answer = await fetch(`${system.baseUrl}/api/v1/service-hero`, {
      method: 'POST',
      body: form,
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
    const { code } = await problemOf(answer);
    return [answer.status, code];
  };

  it('missing, mistyped and unknown ones each get their own answer', async () => {
    expect(await codeFor(undefined)).toEqual([401, 'key_missing']);
    expect(await codeFor(`${system.apiKey.slice(0, -1)}${system.apiKey.endsWith('A') ? 'B' : 'A'}`)).toEqual([
      401,
      'key_malformed',
    ]);
    expect(await codeFor(newApiKey('live', newId('account', Date.now(), random), random))).toEqual([
      401,
      'key_unknown',
    ]);
    expect(await codeFor(newApiKey('live', system.accountId, random))).toEqual([401, 'key_unknown']);
  });

  it('a missing one is answered 401 whatever the size of the body that nobody reads', async () => {
    const body = new Uint8Array(3_000_000);
    for (let i = 0; i < 20; i++) {
      const answer = await fetch(`${system.baseUrl}/api/v1/service-hero`, { method: 'POST', body });
      expect([answer.status, (await problemOf(answer)).code]).toEqual([401, 'key_missing']);
    }
  });

  it('a revoked one stops working at once', async () => {
    const admin = { authorization: `Bearer ${system.secrets.localAdmin}`, 'content-type': 'application/json' };
    const keys = `${system.baseUrl}/api/local/accounts/${system.accountId}/keys`;
    const made = (await (
      await fetch(keys, {
        method: 'POST',
        headers: admin,
        body: JSON.stringify({ mode: 'live', label: 'short-lived' }),
      })
    ).json()) as { key_id: string; api_key: string };
    expect((await accountOf(system, made.api_key)).account_id).toBe(system.accountId);
    expect((await fetch(`${keys}/${made.key_id}`, { method: 'DELETE', headers: admin })).ok).toBe(true);
    expect(await codeFor(made.api_key)).toEqual([401, 'key_revoked']);
  });
});

describe('requests that cannot be served', () => {
  it.each([
    ['no files part', [], {}, 400, 'no_files'],
    ['an unknown option', [0], { colour: 'red' }, 400, 'invalid_options'],
    ['21 files', Array.from({ length: limits.upload.filesMax + 1 }, () => 0), {}, 413, 'too_many_files'],
  ] as const)('%s', async (_what, files, fields, status, code) => {
    const before = await ledgerOf(system);
    const answer = await upload(
      system.baseUrl,
      system.apiKey,
      files.map(() => mug),
      fields,
    );
    expect([answer.status, (await problemOf(answer)).code]).toEqual([status, code]);
    expect(await ledgerOf(system)).toEqual(before);
  });

  it('three files on a balance of two change nothing; two then go through', async () => {
    const account = await freshAccount(2);
    const refused = await upload(system.baseUrl, account.apiKey, [mug, mug, mug]);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([402, 'insufficient_credits']);
    await expectBalanced(system, { spent: 0 }, account);
    const accepted = await upload(system.baseUrl, account.apiKey, [mug, mug]);
    expect(await accepted.json()).toMatchObject({
      success: true,
      processed_count: 2,
      cost_usd: 0.5,
      remaining_api_credits_usd: 0,
    });
    await expectBalanced(system, { spent: 2 }, account);
  });
});

describe('the same Idempotency-Key', () => {
  const send = (account: { apiKey: string }, key: string, photos: Photo[] = [mug]) =>
    upload(system.baseUrl, account.apiKey, photos, {}, { 'idempotency-key': key });

  it('twice replays the stored answer and charges once; with another body it is refused', async () => {
    const account = await freshAccount(10);
    const first = await (await send(account, 'order-1')).json();
    const second = await send(account, 'order-1');
    expect(second.status).toBe(200);
    expect(await second.json()).toEqual(first);
    const other = await send(account, 'order-1', [{ ...mug, name: 'other.jpg' }, mug]);
    expect([other.status, (await problemOf(other)).code]).toEqual([422, 'idempotency_mismatch']);
    await expectBalanced(system, { spent: 1 }, account);
  });

  it('twice at once runs once', async () => {
    const account = await freshAccount(10);
    const answers = await Promise.all([send(account, 'order-2'), send(account, 'order-2')]);
    const bodies = await Promise.all(
      answers.map(async (answer) => [answer.status, (await answer.json()) as { code?: string }] as const),
    );
    const statuses = bodies.map(([status]) => status).sort();
    // The second either meets the first still running or, if it came late, its stored answer.
    expect([
      [200, 409],
      [200, 200],
    ]).toContainEqual(statuses);
    for (const [status, body] of bodies) if (status === 409) expect(body.code).toBe('idempotency_in_flight');
    await expectBalanced(system, { spent: 1 }, account);
  });
});

describe('200 uploads at once on a balance of 50', () => {
  it('charge at most 50, each with its download; sent until nothing is left, exactly 50', async () => {
    const account = await freshAccount(50);
    const small: Photo = { name: 'mug.jpg', bytes: await renderScene('mug', { width: 640 }) };
    const results: UploadResult[] = [];
    const round = async (): Promise<void> => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => upload(system.baseUrl, account.apiKey, [small])),
      );
      for (const answer of answers) {
        const body = (await answer.json()) as UploadResponse & { code?: string };
        if (answer.status === 200) results.push(...(body.results as UploadResult[]));
        else expect([402, 429, 503]).toContain(answer.status);
        if (answer.status === 429 || answer.status === 503)
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const { totals } = await ledgerOf(system, account);
      expect(totals.granted).toBe(totals.available + totals.held + totals.spent);
      expect(totals.spent).toBeLessThanOrEqual(50);
    };
    for (let rounds = 0; rounds < 10 && results.length < 50; rounds++) await round();
    expect(results).toHaveLength(50);
    await expectBalanced(system, { spent: 50 }, account);
    for (const { clean_url } of results) expect((await download(clean_url)).length).toBeGreaterThan(1_000);
  }, 900_000);
});

const RECONCILE = join(import.meta.dirname, '../../origin/reconcile.ts');

describe('the books afterwards', () => {
  /** What the command prints; it ends with 1 where it finds a disagreement. */
  const reconcile = (): Promise<string> =>
    promisify(execFile)(process.execPath, ['--no-warnings', RECONCILE, '--grace-seconds', '30'], {
      env: { ...process.env, DATA_DIR: system.settings.dataDir },
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );

  it('ledger, batches and journal agree on every entry', async () => {
    const ledgers = await Promise.all([system, ...accounts].map((account) => ledgerOf(system, account)));
    const entries = ledgers.reduce((sum, ledger) => sum + ledger.entries.length, 0);
    let report = await reconcile();
    const agreed = new RegExp(`^${entries} ledger entries, \\d+ batches, \\d+ jobs: 0 disagreements`);
    // The ledgers' outboxes deliver on alarms.
    for (const end = Date.now() + 120_000; !agreed.test(report) && Date.now() < end; report = await reconcile())
      await sleep(2_000);
    expect(report).toMatch(agreed);
  });
});
