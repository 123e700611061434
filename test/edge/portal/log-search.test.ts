/** Searching the log: by everything that a line says, bounded, paged, and as CSV. */
import { runInDurableObject } from 'cloudflare:test';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestRow } from '../../../edge/account/requests/port.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { logCsv } from '../../../edge/portal/log-search.ts';
import { imageId, newId } from '../../../shared/ids.ts';
import type { KeyCreated, LogPage } from '../../../shared/portal-api.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { fakeOrigin } from '../support/origin.ts';
import { as, call, createBatch, files, historyOf, historyStub, photo, upload, uploadForm } from '../support/service.ts';
import { accountIdOf, answerOf, type Customer, registered } from './customer.ts';

beforeEach(() => void fakeOrigin(shop().answer));
afterEach(() => void vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const line = (atMs: number, more: Partial<RequestRow> = {}): RequestRow => ({
  requestId: newId('request', atMs, random),
  atMs,
  keyId: 'key_1',
  method: 'POST',
  path: '/api/v1/service-hero',
  status: 200,
  images: 1,
  credits: 1,
  latencyMs: 5,
  errorCode: null,
  batchId: null,
  ...more,
});

const customerWithKey = async () => {
  const customer = await registered();
  const made = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'Shop', mode: 'test' }));
  return { customer, apiKey: made.secret, keyId: made.key.key_id, accountId: await accountIdOf(customer) };
};
const found = async (customer: Customer, query: string): Promise<LogPage> => {
  const answer = await customer.call('GET', `/logs?${query}`);
  expect(answer.status, query).toBe(200);
  return (await answer.json()) as LogPage;
};
const logged = (customer: Customer, count: number) =>
  vi.waitFor(async () => expect((await found(customer, '')).rows).toHaveLength(count), 5_000);
const csvOf = async (customer: Customer, query: string): Promise<Record<string, string>[]> =>
  parse(await (await customer.call('GET', `/logs.csv?${query}`)).text(), { columns: true });

describe('a search of the log', () => {
  it('finds by file name, key, status, error code and marketplace, what was uploaded and what was sent by URL', async () => {
    const { customer, apiKey, keyId } = await customerWithKey();
    const named = [{ name: 'Red Shoe.jpg', bytes: photo() }];
    await upload({ apiKey }, uploadForm(named, { marketplaces: 'ebay,etsy' }));
    await createBatch({ apiKey }, { images: photoUrls(2) });
    await createBatch({ apiKey }, { images: [] });
    await logged(customer, 3);
    const count = async (query: string) => (await found(customer, query)).rows.length;
    const [shoe] = (await found(customer, 'name=red%20sh')).rows;
    expect(shoe).toMatchObject({ names: ['Red Shoe.jpg'], marketplaces: ['ebay', 'etsy'] });
    for (const [query, rows] of [
      ['name=1.jpg', 1],
      ['name=%25', 0],
      ['marketplace=etsy', 1],
      ['marketplace=amazon', 1],
      ['marketplace=meta', 0],
      [`key=${keyId}`, 3],
      ['status=client_error', 1],
      ['error=invalid_request', 1],
      ['error=no_product_found', 0],
      ['status=success&marketplace=ebay&name=shoe', 1],
      ['status=client_error&marketplace=ebay', 0],
    ] as const)
      expect(await count(query), query).toBe(rows);
    for (const query of [
      'key=x',
      'status=odd',
      'error=none',
      'marketplace=moon',
      'from=1.1.',
      'cursor=x',
      `name=${'x'.repeat(101)}`,
    ])
      expect((await customer.call('GET', `/logs?${query}`)).status, query).toBe(400);
    expect((await found(await registered(), 'name=shoe')).rows).toEqual([]);
  });

  it('takes days by UTC, both included', async () => {
    const { customer, accountId } = await customerWithKey();
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    for (const at of [-DAY_MS - 10, -DAY_MS, -10, 0]) await historyOf({ accountId }).logRequest(line(midnight + at));
    const count = async (query: string) => (await found(customer, query)).rows.length;
    const [today, yesterday] = [day(midnight), day(midnight - DAY_MS)];
    expect(await count(`from=${yesterday}&to=${yesterday}`)).toBe(2);
    expect(await count(`from=${today}`)).toBe(1);
    expect(await count(`to=${yesterday}`)).toBe(3);
  });

  it('looks through a bounded number of rows a call, and goes on from there without missing or repeating one', async () => {
    const { customer, accountId } = await customerWithKey();
    const { scanRowsMax } = edgeLimits.requestLog;
    const at = Date.now() - 3_600_000;
    await historyOf({ accountId }).logRequest(line(at, { names: 'needle.jpg' }));
    await runInDurableObject(historyStub(accountId), (_history, { storage }) => {
      storage.sql.exec(`with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${scanRowsMax + 50})
        insert into request select '7' || printf('%025d', i), 'req_' || i, ${at}, 'key', 'POST', '/x', 200, 1, 1, 10, null, null, null, null from n`);
    });
    const first = await found(customer, 'name=needle');
    expect(first.rows).toEqual([]);
    const second = await found(customer, `name=needle&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ rows: [{ names: ['needle.jpg'] }], next_cursor: null });
    const ids = new Set<string>();
    let rows = 0;
    for (let cursor: string | null = ''; cursor !== null && rows < 500; ) {
      const page: LogPage = await found(customer, `status=success&cursor=${cursor}`);
      rows += page.rows.length;
      for (const row of page.rows) ids.add(row.request_id);
      cursor = page.next_cursor;
    }
    expect(ids.size).toBe(rows);
  });

  it('finds no name of an image once it was deleted', async () => {
    const { customer, apiKey } = await customerWithKey();
    const answer = await upload({ apiKey }, uploadForm(files(2, 'zebra.jpg')));
    const { batch_id } = (await answer.json()) as { batch_id: string };
    await logged(customer, 1);
    expect((await found(customer, 'name=zebra')).rows).toHaveLength(1);
    const path = `/api/v1/batches/${batch_id}/images/${imageId(batch_id, 0)}`;
    expect((await call(path, { method: 'DELETE', headers: as({ apiKey }) })).status).toBe(204);
    expect((await found(customer, 'name=zebra')).rows).toEqual([]);
  });
});

describe('the log as CSV', () => {
  it('has what was searched for, and runs no formula', async () => {
    const { customer, apiKey } = await customerWithKey();
    await upload({ apiKey }, uploadForm([{ name: '=cmd|1.jpg', bytes: photo() }], { marketplace: 'ebay' }));
    await upload({ apiKey }, uploadForm(files(1)));
    await logged(customer, 2);
    expect(await csvOf(customer, '')).toHaveLength(2);
    expect(await csvOf(customer, 'marketplace=ebay')).toMatchObject([{ names: "'=cmd|1.jpg", marketplaces: 'ebay' }]);
    expect(await csvOf(await registered(), '')).toEqual([]);
    expect((await customer.call('GET', '/logs.csv?from=x')).status).toBe(400);
  });

  it('is cut at its limit, and says so', async () => {
    const { accountId } = await customerWithKey();
    const history = historyOf({ accountId });
    for (let i = 0; i < 5; i++) await history.logRequest(line(Date.now() + i));
    const text = await new Response(logCsv(history, {}, 3)).text();
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(4);
    expect(rows[3]?.['at']).toContain('INCOMPLETE');
    expect(await new Response(logCsv(history, {}, 5)).text()).not.toContain('INCOMPLETE');
  });

  it('goes on over scans that find nothing', async () => {
    const found = { ...line(Date.now()), requestId: 'req_found' };
    let scans = 0;
    const sparse = {
      requests: async () => {
        scans++;
        return scans % 4 === 0 ? { rows: [found], next: scans < 12 ? 'x' : null } : { rows: [], next: 'x' };
      },
    };
    const rows = parse(await new Response(logCsv(sparse, {})).text(), { columns: true });
    expect([scans, rows]).toMatchObject([12, [{ request_id: 'req_found' }, {}, {}]]);
  });
});
