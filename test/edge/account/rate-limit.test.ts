import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  accountStub,
  as,
  audited,
  call,
  files,
  newAccount,
  problemOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(300);
  await runInDurableObject(accountStub(account.accountId), (ledger) => {
    ledger.now = () => 1_790_000_000_000;
  });
});
afterEach(() => vi.restoreAllMocks());

const ask = (): Promise<Response> => call('/api/v1/account', { headers: as(account) });

it('past its allowance an account gets 429 with the wait, and another account does not', async () => {
  const first = await ask();
  expect(first.headers.get('ratelimit-policy')).toBe('"account";q=300;w=30');
  expect(first.headers.get('ratelimit')).toBe('"account";r=299;t=1');
  for (let i = 1; i < limits.rate.burst; i++) expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited', retryable: true });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('ratelimit')).toMatch(/^"account";r=0;/);
  expect((await call('/api/v1/account', { headers: as(await newAccount()) })).status).toBe(200);
});

it('more uploads at once than an account may run get 429 with the wait, and a slot is free again afterwards', async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  origin.script = () => gate.then(() => 'complete' as const);
  const running = upload(account, uploadForm(files(1)));
  await vi.waitFor(() => expect(origin.jobs).toHaveLength(1));
  await runInDurableObject(accountStub(account.accountId), async (ledger, state) => {
    const [key] = state.storage.sql.exec('select hash from apiKey').toArray();
    for (let i = 1; i < limits.rate.uploadsInFlightMax; i++)
      await ledger.authenticate({ hash: String(key?.['hash']), slot: `slot-${i}` });
    ledger.now = () => 1_790_000_000_000 + limits.rate.windowMs;
  });
  const refused = await upload(account, uploadForm(files(1)));
  expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  release();
  expect((await running).status).toBe(200);
  await vi.waitFor(async () => expect((await upload(account, uploadForm(files(1)))).status).toBe(200));
  expect(await audited(account)).toMatchObject({ spent: 2, held: 0 });
});
