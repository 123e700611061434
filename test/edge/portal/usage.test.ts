/** Usage by key and marketplace over a range of days: it adds up, agrees with ledger and log, and is bounded. */
import { runInDurableObject } from 'cloudflare:test';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rollUpDays } from '../../../edge/account/ledger/settled-days.ts';
import { rollUpRequests } from '../../../edge/account/requests/days.ts';
import { accountSchema } from '../../../edge/account/schema.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { isMigrated } from '../../../edge/sqlite/rows.ts';
import { utcDay } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { KeyCreated, LogPage, Spending, UsageReport } from '../../../shared/portal-api.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import { rowsOf } from '../support/rows.ts';
import {
  accountStub,
  as,
  audited,
  call,
  createBatch,
  files,
  historyOf,
  historyStub,
  ledgerOf,
  upload,
  uploadForm,
} from '../support/service.ts';
import { accountIdOf, answerOf, type Customer, registered } from './customer.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin(shop().answer);
});
afterEach(() => void vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const { keptDays, setsPerDayMax, groupsPerDayMax } = edgeLimits.usageSplit;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));

type Owner = { readonly customer: Customer; readonly accountId: string };
const owner = async (): Promise<Owner> => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  await ledgerOf({ accountId }).grant({ id: 'first', credits: 1_000, reason: 'local' });
  return { customer, accountId };
};
type Key = { readonly keyId: string; readonly apiKey: string };
const makeKey = async ({ customer }: Owner, label: string, mode = 'live'): Promise<Key> => {
  const made = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label, mode }));
  return { keyId: made.key.key_id, apiKey: made.secret };
};
const report = async ({ customer }: Owner, query: Record<string, string> = {}): Promise<UsageReport> => {
  const answer = await customer.call('GET', `/usage/report?${new URLSearchParams(query)}`);
  expect(answer.status, JSON.stringify(query)).toBe(200);
  return (await answer.json()) as UsageReport;
};
const partsOf = ({ parts }: UsageReport) =>
  Object.fromEntries(parts.map(({ id, completed, failed }) => [id, [completed, failed]]));
const rollUp = async ({ accountId }: Owner): Promise<void> => {
  await runInDurableObject(accountStub(accountId), (_object, { storage }) => rollUpDays(storage));
  await runInDurableObject(historyStub(accountId), (_object, { storage }) => {
    if (isMigrated(storage.sql)) rollUpRequests(storage);
  });
};
const at = ({ accountId }: Owner, ms: number): Promise<void> =>
  runInDurableObject(accountStub(accountId), (object) => {
    object.now = () => ms;
  });
type Run = { readonly keyId?: string; readonly marketplaces?: string; readonly mode?: 'live' | 'test' };
/** Images of one batch: the first `posted` are posted, the others voided. */
const run = async (of: Owner, how: Run, images: number, posted = images): Promise<void> => {
  const batchId = newId('batch', Date.now(), random);
  await ledgerOf(of).hold({ batchId, images, ...how });
  await ledgerOf(of).resolve(
    batchId,
    Array.from({ length: images }, (_, index) => ({ index, as: index < posted ? 'posted' : 'voided' })),
  );
};
const logged = (of: Owner, count: number) =>
  vi.waitFor(async () => expect((await historyOf(of).requests()).rows).toHaveLength(count), 5_000);

describe('a report of usage', () => {
  it('counts uploads and batches by key and marketplace, failed images beside, a repeated request once', async () => {
    const of = await owner();
    const [shopKey, feed, test] = [
      await makeKey(of, 'Shop'),
      await makeKey(of, 'Feed'),
      await makeKey(of, 'T', 'test'),
    ];
    origin.script = (job) => (job.input_url.includes('bad') ? failing('no_product_found') : 'complete');
    const twice = { 'idempotency-key': 'once' };
    for (let times = 0; times < 2; times++) await upload(shopKey, uploadForm(files(2), { marketplace: 'ebay' }), twice);
    await upload(shopKey, uploadForm(files(1), { marketplaces: 'walmart,amazon' }));
    await upload(feed, uploadForm(files(1), { marketplaces: 'amazon,walmart' }));
    await upload(feed, uploadForm(files(3)));
    await upload(test, uploadForm(files(2), { marketplace: 'etsy' }));
    const sent = await createBatch(feed, { images: photoUrls(2) });
    const { batch_id } = (await sent.json()) as { batch_id: string };
    origin.script = () => failing('no_product_found');
    await upload(shopKey, uploadForm(files(1)));
    await vi.waitFor(
      async () =>
        expect(
          await (await call(`/api/v1/service-hero/status/${batch_id}`, { headers: as(feed) })).json(),
        ).toMatchObject({ progress: { queued: 0, processing: 0 } }),
      5_000,
    );
    const { spent } = await audited(of);
    const check = async (): Promise<void> => {
      const byKey = await report(of, { by: 'key' });
      expect(byKey.total).toMatchObject({ completed: spent, credits: spent });
      expect(Object.values(partsOf(byKey)).reduce((sum, [done = 0]) => sum + done, 0)).toBe(spent);
      expect(partsOf(byKey)[shopKey.keyId]).toEqual([3, 1]);
      const byMarketplace = await report(of, { by: 'marketplace' });
      expect(partsOf(byMarketplace)).toMatchObject({ ebay: [2, 0], several: [2, 0] });
      expect(byMarketplace.total).toEqual(byKey.total);
      expect(byMarketplace.marketplaces).toContainEqual({ name: 'walmart', alone: 0, together: 2 });
      const amazon = await report(of, { marketplace: 'amazon', by: 'outcome' });
      expect(amazon.total).toMatchObject({ completed: spent - 2, failed: byKey.total.failed });
      expect(amazon.left_out).toEqual({ completed: 0, failed: 0, requests: 0 });
      expect((await report(of, { mode: 'test', by: 'marketplace' })).parts).toMatchObject([
        { id: 'etsy', completed: 2, failed: 0, credits: 0, amount_usd: '$0.00', requests: 1 },
      ]);
    };
    await check();
    await rollUp(of);
    await check();
    await rollUp(of);
    await check();
  });

  it('agrees with the ledger, the spending of the month and the log, through refunds of money', async () => {
    const of = await owner();
    const [one, two] = [await makeKey(of, 'One'), await makeKey(of, 'Two')];
    await upload(one, uploadForm(files(2), { marketplace: 'ebay' }));
    await upload(two, uploadForm(files(1)));
    await call('/api/v1/account', { headers: as(two) });
    await createBatch(two, { images: [] });
    await logged(of, 4);
    await ledgerOf(of).adjust({ id: 'refund', credits: -900, reason: 'refund' });
    const today = utcDay(Date.now());
    const month = today.slice(0, 7);
    const asked = { from: `${month}-01`, to: today, by: 'key' };
    const [shown, spending] = [
      await report(of, asked),
      await answerOf<Spending>(of.customer.call('GET', `/spending?month=${month}`)),
    ];
    expect(shown.total).toMatchObject({ credits: spending.credits, amount_usd: spending.amount_usd });
    expect(shown.parts.map(({ id, credits, amount_usd }) => ({ key_id: id, credits, amount_usd }))).toEqual(
      spending.keys.map(({ key_id, credits, amount_usd }) => ({ key_id, credits, amount_usd })),
    );
    for (const { keyId } of [one, two]) {
      const { rows } = await answerOf<LogPage>(of.customer.call('GET', `/logs?key=${keyId}`));
      const own = shown.parts.find(({ id }) => id === keyId);
      expect(own).toMatchObject({
        requests: rows.length,
        errors: rows.filter(({ status }) => status >= 400).length,
        credits: rows.reduce((sum, { credits }) => sum + credits, 0),
      });
      expect(own?.p95_ms).toBeGreaterThanOrEqual(0);
    }
    const ebay = await report(of, { ...asked, marketplace: 'ebay' });
    expect(ebay.total).toMatchObject({ completed: 2, requests: 1, errors: 0 });
  });

  it('puts an image on the UTC day on which it was posted', async () => {
    const of = await owner();
    const { keyId } = await makeKey(of, 'Shop');
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const [yesterday, today] = [utcDay(midnight - 1), utcDay(midnight)];
    for (const mode of ['live', 'test'] as const) {
      await at(of, midnight - 1);
      await run(of, { keyId, mode, marketplaces: 'amazon' }, 3);
      await at(of, midnight);
      await run(of, { keyId, mode, marketplaces: 'amazon' }, 2, 1);
      await rollUp(of);
      const days = async (from: string, to: string) =>
        (await report(of, { from, to, mode })).rows.map(({ start, end, completed, failed }) => [
          start,
          end,
          completed,
          failed,
        ]);
      expect(await days(yesterday, today)).toEqual([
        [today, today, 1, 1],
        [yesterday, yesterday, 3, 0],
      ]);
      expect(await days(yesterday, yesterday)).toEqual([[yesterday, yesterday, 3, 0]]);
      expect(await days(today, today)).toEqual([[today, today, 1, 1]]);
    }
  });

  it('puts long ranges together by week and by month, cut at the ends of the range', async () => {
    const of = await owner();
    const { keyId } = await makeKey(of, 'Shop');
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (let back = 380; back >= 0; back -= 20) {
      await at(of, today - back * DAY_MS);
      await run(of, { keyId, marketplaces: 'ebay' }, 1);
      await historyOf(of).logRequest({
        requestId: newId('request', today - back * DAY_MS, random),
        atMs: today - back * DAY_MS,
        keyId,
        method: 'POST',
        path: '/x',
        status: 200,
        images: 1,
        credits: 1,
        latencyMs: 1_000,
        errorCode: null,
        batchId: null,
        marketplaces: 'ebay',
      });
    }
    await rollUp(of);
    for (const [days, period, uses] of [
      [92, 'day', 5],
      [93, 'week', 5],
      [210, 'week', 11],
      [211, 'month', 11],
      [keptDays, 'month', 20],
    ] as const) {
      const from = utcDay(today - (days - 1) * DAY_MS);
      const shown = await report(of, { from, to: utcDay(today), by: 'key' });
      expect(shown).toMatchObject({ period, total: { completed: uses, requests: uses } });
      expect(shown.rows.reduce((sum, row) => sum + row.completed, 0)).toBe(uses);
      expect(shown.total.p50_ms).toBeGreaterThan(900);
      const [first, last] = [shown.periods[0], shown.periods.at(-1)];
      expect([first?.start, last?.end]).toEqual([from, utcDay(today)]);
      for (const [i, { start }] of shown.periods.entries())
        if (i > 0) expect(Date.parse(start)).toBe(Date.parse(shown.periods[i - 1]?.end ?? '') + DAY_MS);
    }
  });

  it('refuses what is no range that is kept, and says which is', async () => {
    const of = await owner();
    const day = (back: number) => utcDay(Date.now() - back * DAY_MS);
    for (const [from, to] of [
      [day(0), day(1)],
      [day(keptDays), day(0)],
      [day(1), day(-2)],
      ['2026-02-30', day(0)],
      ['yesterday', day(0)],
      [day(1), "2026-11-01'--"],
    ]) {
      const answer = await of.customer.call('GET', `/usage/report?from=${from}&to=${encodeURIComponent(to ?? '')}`);
      expect(answer.status, `${from} ${to}`).toBe(400);
      const { code, detail } = (await answer.json()) as { code: string; detail: string };
      expect(code).toBe('invalid_range');
      expect(detail).toContain(day(keptDays - 1));
      expect((await of.customer.call('GET', `/usage/report.csv?from=${from}&to=${to}`)).status).toBe(400);
    }
    for (const query of ['key=x', 'marketplace=moon', 'mode=both', 'by=day']) {
      const answer = await of.customer.call('GET', `/usage/report?${query}`);
      expect([answer.status, ((await answer.json()) as { code: string }).code], query).toEqual([
        400,
        'invalid_request',
      ]);
    }
    expect((await report(of)).from).toBe(day(29));
    expect((await report(of, { to: day(40) })).from).toBe(day(69));
  });

  it('is of the account alone', async () => {
    const [of, stranger] = [await owner(), await owner()];
    const { keyId } = await makeKey(of, 'Shop');
    await run(of, { keyId, marketplaces: 'ebay' }, 1);
    expect((await report(of)).total.completed).toBe(1);
    expect((await report(stranger, { key: keyId })).total).toMatchObject({ completed: 0, requests: 0 });
    expect((await stranger.customer.call('GET', '/usage/report', undefined, { cookie: '' })).status).toBe(401);
  });
});

describe('what cannot be split', () => {
  it('is a part of its own in the whole, and left out, and said so, where a key or a marketplace is asked for', async () => {
    const of = await owner();
    const { keyId } = await makeKey(of, 'Shop');
    await run(of, { keyId, marketplaces: 'ebay' }, 4);
    await run(of, { keyId }, 3, 2);
    await run(of, {}, 5);
    await rollUp(of);
    // Days whose lines were gone before there were groups.
    await runInDurableObject(accountStub(of.accountId), (_object, { storage }) =>
      storage.sql.exec('update settledDay set posted = posted + 10, voided = voided + 1'),
    );
    expect(partsOf(await report(of, { by: 'key' }))).toEqual({ [keyId]: [6, 1], unsplit: [15, 1] });
    expect(partsOf(await report(of, { by: 'marketplace' }))).toEqual({ ebay: [4, 0], unsplit: [17, 2] });
    expect((await report(of)).total).toMatchObject({ completed: 21, failed: 2 });
    const [ofKey, ofMarketplace, ofBoth] = [
      await report(of, { key: keyId }),
      await report(of, { marketplace: 'ebay' }),
      await report(of, { key: keyId, marketplace: 'ebay' }),
    ];
    expect([ofKey.total.completed, ofKey.left_out]).toEqual([6, { completed: 15, failed: 1, requests: 0 }]);
    expect([ofMarketplace.total.completed, ofMarketplace.left_out.completed]).toEqual([4, 17]);
    expect([ofBoth.total.completed, ofBoth.left_out.completed]).toEqual([4, 17]);
  });

  it('is of an account of the release before what its lines do not tell any more', async () => {
    const of = await owner();
    const { keyId } = await makeKey(of, 'Shop');
    await run(of, { keyId, marketplaces: 'ebay' }, 4, 3);
    await run(of, {}, 2);
    await rollUp(of);
    await runInDurableObject(accountStub(of.accountId), (_object, { storage }) => {
      const { sql } = storage;
      sql.exec('update settledDay set posted = posted + 10');
      sql.exec('drop table imageSplit');
      for (const table of ['hold', 'openHold']) sql.exec(`alter table ${table} drop column marketplaces`);
      storage.transactionSync(() => sql.exec(accountSchema.find((script) => script.includes('imageSplit')) ?? ''));
    });
    await run(of, { keyId, marketplaces: 'ebay' }, 1);
    expect(partsOf(await report(of, { by: 'key' }))).toEqual({ [keyId]: [4, 1], unsplit: [12, 0] });
    expect(partsOf(await report(of, { by: 'marketplace' }))).toEqual({ ebay: [1, 0], unsplit: [15, 1] });
    await rollUp(of);
    expect((await report(of)).total).toMatchObject({ completed: 16, failed: 1 });
  });

  it('are requests that the release before added up: no figure has them, and their number is told', async () => {
    const of = await owner();
    const key = await makeKey(of, 'Shop');
    await upload(key, uploadForm(files(1)));
    await logged(of, 1);
    await rollUp(of);
    await runInDurableObject(historyStub(of.accountId), (_history, { storage }) => {
      storage.sql.exec('update requestDay set requests = requests + 7, errors = errors + 2');
    });
    const shown = await report(of, { by: 'key' });
    expect([shown.total.requests, shown.total.errors, shown.left_out.requests]).toEqual([1, 0, 7]);
  });

  it('is what goes beyond the groups of a day; it still adds up, and keys are told apart the longest', async () => {
    const of = await owner();
    const [one, two] = [await makeKey(of, 'One'), await makeKey(of, 'Two')];
    for (let i = 0; i < setsPerDayMax + 3; i++) await run(of, { keyId: one.keyId, marketplaces: `m${i}` }, 1);
    await run(of, { keyId: two.keyId, marketplaces: 'ebay' }, 2);
    await rollUp(of);
    await run(of, { keyId: one.keyId, marketplaces: 'm0' }, 3);
    await run(of, { keyId: one.keyId, marketplaces: 'another' }, 1);
    for (let i = 0; i < groupsPerDayMax; i++) await run(of, { keyId: `k${i}`, marketplaces: 'ebay' }, 1);
    await rollUp(of);
    const rows = await runInDurableObject(
      accountStub(of.accountId),
      (_object, { storage }) => storage.sql.exec<{ n: number }>('select count(*) as n from imageSplit').one().n,
    );
    expect(rows).toBeLessThanOrEqual(groupsPerDayMax + 1);
    const byKey = await report(of, { by: 'key' });
    expect(byKey.total.completed).toBe((await audited(of)).spent);
    expect(partsOf(byKey)[one.keyId]).toEqual([setsPerDayMax + 7, 0]);
    expect(partsOf(byKey)[two.keyId]).toEqual([2, 0]);
    const { parts } = await report(of, { by: 'marketplace' });
    expect(parts).toContainEqual(expect.objectContaining({ id: 'm0', label: 'm0' }));
    expect(parts.length).toBeLessThanOrEqual(edgeLimits.portal.usageReport.partsMax + 2);
    expect(parts.reduce((sum, { completed }) => sum + completed, 0)).toBe(byKey.total.completed);
    expect((await report(of, { key: two.keyId, marketplace: 'ebay' })).left_out.completed).toBeGreaterThanOrEqual(2);
  });
});

describe('sums by key and marketplace', () => {
  it('go after their days, and stay when the owner has all data deleted', async () => {
    const of = await owner();
    const key = await makeKey(of, 'Shop');
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await upload(key, uploadForm(files(2), { marketplace: 'ebay' }));
    await logged(of, 1);
    const before = await report(of, { by: 'marketplace' });
    await historyOf(of).eraseThrough(Date.now() + 1_000);
    expect((await historyOf(of).requests()).rows).toEqual([]);
    expect(await report(of, { by: 'marketplace' })).toEqual(before);
    const rows = () =>
      Promise.all([
        runInDurableObject(
          accountStub(of.accountId),
          (_object, { storage }) => storage.sql.exec('select 1 from imageSplit').toArray().length,
        ),
        runInDurableObject(
          historyStub(of.accountId),
          (_object, { storage }) => storage.sql.exec('select 1 from requestSplit').toArray().length,
        ),
      ]);
    const later = async (days: number): Promise<void> => {
      const nowMs = today + days * DAY_MS;
      await runInDurableObject(accountStub(of.accountId), async (object) => {
        object.now = () => nowMs;
        await object.alarm();
      });
      await runInDurableObject(historyStub(of.accountId), async (object) => {
        object.now = () => nowMs;
        await object.alarm();
      });
    };
    await later(1);
    await later(keptDays);
    expect(await rows()).toEqual([1, 1]);
    await later(keptDays + 2);
    expect(await rows()).toEqual([0, 0]);
    expect(await ledgerOf(of).summary()).toMatchObject({ spent: 2 });
  });

  it('cost a batch of a live key no row, one of a test key one', async () => {
    const of = await owner();
    const settled = (mode: 'live' | 'test', marketplaces?: string) =>
      runInDurableObject(accountStub(of.accountId), (object, state) =>
        rowsOf(state, async () => {
          const batchId = newId('batch', Date.now(), random);
          await object.hold({ batchId, images: 50, mode, ...(marketplaces !== undefined && { marketplaces }) });
          for (let index = 0; index < 50; index++) await object.resolve(batchId, [{ index, as: 'posted' }]);
        }),
      );
    await settled('live');
    const [live, named] = [await settled('live'), await settled('live', 'amazon,ebay')];
    expect(named).toEqual(live);
    await settled('test', 'amazon');
    const test = await settled('test', 'amazon');
    // Without its four lines, which a test key has none of: 51 settlements, the hold, its close, and the sum.
    expect(test.written).toBeLessThan(live.written);
  });
});

describe('usage as CSV', () => {
  it('has the rows of the page, and runs no formula', async () => {
    const of = await owner();
    const key = await makeKey(of, '=cmd');
    await run(of, { keyId: key.keyId, marketplaces: 'ebay' }, 3, 2);
    for (const by of ['outcome', 'key', 'marketplace']) {
      const shown = await report(of, { by });
      const answer = await of.customer.call('GET', `/usage/report.csv?by=${by}`);
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="packshot-usage-live-${shown.from}-to-${shown.to}.csv"`,
      );
      const rows = parse(await answer.text(), { columns: true }) as Record<string, string>[];
      expect(
        rows.map(({ from, completed, failed, credits, amount_usd }) => [from, completed, failed, credits, amount_usd]),
      ).toEqual(
        shown.rows.map((row) => [
          row.start,
          String(row.completed),
          String(row.failed),
          String(row.credits),
          row.amount_usd,
        ]),
      );
      if (by === 'key') expect(rows).toMatchObject([{ key: key.keyId, name: "'=cmd" }]);
    }
  });
});
