/**
 * The service as a client meets it: requests go through the Worker's own entry, accounts through the local admin
 * routes.
 */
import { env, exports } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { Account } from '../../../edge/account/account.ts';
import type { History } from '../../../edge/account/history/history.ts';
import type { HistoryPort } from '../../../edge/account/history/port.ts';
import type { LedgerPort, Summary } from '../../../edge/account/ledger/port.ts';
import type { Entry } from '../../../edge/account/ledger/types.ts';
import type { AccountPort } from '../../../edge/account/port.ts';
import type { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import type { SagaPort } from '../../../edge/batch/port.ts';
import type { EdgeEnv } from '../../../edge/env.ts';
import { imagesIn } from '../../../shared/image-list.ts';
import type { KeyGrantsAsked } from '../../../shared/key-api.ts';
import { imageHeads } from '../../support/image-heads.ts';

export const bindings = env as unknown as EdgeEnv;
export const BASE = bindings.PUBLIC_BASE_URL;
export const HERO = '/api/v1/service-hero';

type Worker = { readonly fetch: (request: Request) => Promise<Response>; readonly queue: unknown };
export const worker = (exports as unknown as { default: Worker }).default;

export const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  worker.fetch(new Request(path.startsWith('http') ? path : BASE + path, init));

export type TestAccount = { readonly accountId: string; readonly keyId: string; readonly apiKey: string };
const admin = { authorization: `Bearer ${bindings.LOCAL_ADMIN_TOKEN}` };

export const newAccount = async (credits = 10): Promise<TestAccount> => {
  const response = await call('/api/local/accounts', {
    method: 'POST',
    headers: admin,
    body: JSON.stringify({ credits }),
  });
  expect(response.status).toBe(201);
  const made = (await response.json()) as { account_id: string; key_id: string; api_key: string };
  return { accountId: made.account_id, keyId: made.key_id, apiKey: made.api_key };
};

export const newKey = async (
  account: TestAccount,
  mode: 'live' | 'test' = 'live',
  grants: KeyGrantsAsked = {},
): Promise<TestAccount> => {
  const response = await call(`/api/local/accounts/${account.accountId}/keys`, {
    method: 'POST',
    headers: admin,
    body: JSON.stringify({ mode, ...grants }),
  });
  expect(response.status).toBe(201);
  const made = (await response.json()) as { key_id: string; api_key: string };
  return { accountId: account.accountId, keyId: made.key_id, apiKey: made.api_key };
};

export const revokeKey = (account: TestAccount): Promise<Response> =>
  call(`/api/local/accounts/${account.accountId}/keys/${account.keyId}`, { method: 'DELETE', headers: admin });

export const as = (
  account: { readonly apiKey: string },
  headers: Record<string, string> = {},
): Record<string, string> => ({ authorization: `Bearer ${account.apiKey}`, ...headers });

export const accountStub = (accountId: string): DurableObjectStub<Account> =>
  bindings.ACCOUNT.get(bindings.ACCOUNT.idFromName(accountId)) as unknown as DurableObjectStub<Account>;
export const sagaStub = (batchId: string): DurableObjectStub<BatchSaga> =>
  bindings.SAGA.get(bindings.SAGA.idFromName(batchId)) as unknown as DurableObjectStub<BatchSaga>;
export const accountOf = (account: { readonly accountId: string }): AccountPort =>
  accountStub(account.accountId) as unknown as AccountPort;
export const historyStub = (accountId: string): DurableObjectStub<History> =>
  bindings.HISTORY.get(bindings.HISTORY.idFromName(accountId)) as unknown as DurableObjectStub<History>;
export const historyOf = (account: { readonly accountId: string }): HistoryPort =>
  historyStub(account.accountId) as unknown as HistoryPort;
export const ledgerOf = (account: { readonly accountId: string }): LedgerPort => accountOf(account);
export const sagaOf = (batchId: string): SagaPort => sagaStub(batchId) as unknown as SagaPort;

/** Bytes that begin like the format and mean nothing further: origin is scripted and only sizes count. */
export const photo = (kind: 'jpg' | 'png' = 'jpg', bytes = 200): Uint8Array<ArrayBuffer> => {
  const head = imageHeads[kind === 'jpg' ? 'image/jpeg' : 'image/png'].subarray(0, kind === 'jpg' ? 4 : 16);
  const file = new Uint8Array(bytes).fill(7);
  file.set(head);
  return file;
};

export type TestFile = { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>; readonly part?: string };
export const uploadForm = (files: readonly TestFile[], fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, bytes, part = 'files' } of files)
    form.append(part, new Blob([bytes], { type: 'application/octet-stream' }), name);
  return form;
};
export const files = (count: number, name = 'shoe.jpg'): TestFile[] =>
  Array.from({ length: count }, () => ({ name, bytes: photo() }));

export const upload = (
  account: { readonly apiKey: string },
  body: FormData,
  headers: Record<string, string> = {},
): Promise<Response> => call(HERO, { method: 'POST', headers: as(account, headers), body });

export const createBatch = (
  account: { readonly apiKey: string },
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  call(HERO, {
    method: 'POST',
    headers: as(account, { 'content-type': 'application/json', ...headers }),
    body: JSON.stringify(body),
  });

export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string;
  readonly success: false;
  readonly errors?: readonly { field: string; code: string; detail: string }[];
};

/** The problem document of a failed answer, after checking that it is one and repeats the status. */
export const problemOf = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as Problem;
  expect(problem.status).toBe(response.status);
  expect(problem.success).toBe(false);
  expect(problem.request_id).toMatch(/^req_/);
  return problem;
};

export const storedKeys = async (prefix: string): Promise<string[]> =>
  (await bindings.BUCKET.list({ prefix })).objects.map(({ key }) => key);

export const entriesOf = async (account: { readonly accountId: string }): Promise<Entry[]> => {
  const found: Entry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await ledgerOf(account).entries({ cursor });
    found.unshift(...[...page.rows].reverse());
    if (page.next === null) return found;
    cursor = page.next;
  }
};

/** What an entry's credits do to the totals; those of a hold are negative. */
const movements: Record<Entry['kind'], readonly (readonly ['granted' | 'available' | 'held' | 'spent', 1 | -1])[]> = {
  grant: [
    ['granted', 1],
    ['available', 1],
  ],
  adjust: [
    ['granted', 1],
    ['available', 1],
  ],
  hold: [
    ['available', 1],
    ['held', -1],
  ],
  post: [
    ['held', -1],
    ['spent', 1],
  ],
  void: [
    ['held', -1],
    ['available', 1],
  ],
  release: [
    ['held', -1],
    ['available', 1],
  ],
};

/**
 * Adds up the ledger by its entries alone, apart from the machine, and compares: the sums, the running totals of each
 * line, no sequence missing, no image resolved twice. Answers the account's totals.
 */
export const audited = async (account: { readonly accountId: string }): Promise<Summary> => {
  const sums = { granted: 0, available: 0, held: 0, spent: 0 };
  const resolved = new Set<string>();
  for (const [i, entry] of (await entriesOf(account)).entries()) {
    expect(entry.sequence).toBe(i + 1);
    for (const [total, sign] of movements[entry.kind]) sums[total] += sign * entry.credits;
    const images = entry.images === null ? [entry.imageIndex ?? []].flat() : imagesIn(entry.images);
    if (entry.images !== null) expect(images).toHaveLength(entry.credits);
    for (const index of images) {
      const image = `${entry.batchId}/${index}`;
      expect(resolved.has(image), `${image} resolved twice`).toBe(false);
      resolved.add(image);
    }
    const { granted, available, held, spent } = entry;
    expect({ granted, available, held, spent }).toEqual(sums);
    expect(granted).toBe(available + held + spent);
  }
  const summary = await ledgerOf(account).summary();
  if (!summary) throw new Error('no such account');
  const { granted, available, held, spent } = summary;
  expect({ granted, available, held, spent }).toEqual(sums);
  return summary;
};
