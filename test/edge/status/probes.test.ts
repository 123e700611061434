/** Every component of the status page fails when its own part of the service does, and no other does. */

import { createScheduledController } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../edge/index.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { statusReader } from '../../../edge/status/answer.ts';
import { systemClock } from '../../../shared/clock.ts';
import {
  type ComponentState,
  STATUS_PATH,
  type StatusAnswer,
  type StatusComponent,
  statusComponentNames,
} from '../../../shared/status.ts';
import { rows } from '../portal/customer.ts';
import { brokenCalls } from '../support/network.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import { BASE, bindings, call } from '../support/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 10, 22, 12, 0, 0);
const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
let origin: FakeOrigin;
/** False: nobody reaches the public address. */
let isReachable: boolean;

beforeEach(async () => {
  isReachable = true;
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  origin = fakeOrigin(async (url, init) => {
    if (!isReachable || !url.startsWith(BASE)) throw new TypeError('Network connection lost.');
    return call(url, init);
  });
  for (const table of ['status_probes', 'status_days', 'status_incidents'])
    await bindings.DB.prepare(`delete from ${table}`).run();
  await bindings.DB.prepare('update status_now set answer = null').run();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  const { objects } = await bindings.BUCKET.list();
  if (objects.length > 0) await bindings.BUCKET.delete(objects.map(({ key }) => key));
});

const scheduled = (): Promise<void> => worker.scheduled(createScheduledController({ cron: '* * * * *' }));
/** `minutes` runs, one a minute. */
const pass = async (minutes: number): Promise<void> => {
  for (let i = 0; i < minutes; i++) {
    later(MINUTE);
    await scheduled();
  }
};
/** Of an isolate that has read nothing yet. */
const newReader = (): (() => Promise<StatusAnswer>) => {
  const read = statusReader(bindings.DB, systemClock);
  return () => read(() => {});
};
const answerNow = (): Promise<StatusAnswer> => newReader()();
const statesNow = async (): Promise<Record<StatusComponent, ComponentState>> =>
  Object.fromEntries((await answerNow()).components.map(({ id, state }) => [id, state])) as never;
const allBut = (state: ComponentState, ...but: StatusComponent[]) =>
  Object.fromEntries(statusComponentNames.map((id) => [id, but.includes(id) ? state : 'operational']));

const brokenDb = () =>
  vi.spyOn(bindings.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1_ERROR: internal error');
  });
const databaseDown = (beganMs: number, endedMs: number) => ({
  component: 'database',
  kind: 'down',
  began_at: new Date(beganMs).toISOString(),
  ended_at: new Date(endedMs).toISOString(),
});

/** Calls that are taken and never answered. Whoever waits for one with a limit is past it at once; what it gets ends that. */
const silent = (...methods: readonly (readonly [of: object, name: string])[]): { readonly limitsMs: number[] } => {
  const after = systemClock.after;
  const limitsMs: number[] = [];
  let isAsked = false;
  const never = (): Promise<never> => {
    isAsked = true;
    return new Promise(() => {});
  };
  const statement = { bind: () => statement, run: never, first: never, all: never };
  for (const [of, name] of methods)
    vi.spyOn(of as Record<string, () => unknown>, name).mockImplementation(
      name === 'prepare' ? () => statement : never,
    );
  vi.spyOn(systemClock, 'after').mockImplementation((ms, callback) => {
    if (isAsked) limitsMs.push(ms);
    const cancel = after(isAsked ? 0 : ms, callback);
    isAsked = false;
    return cancel;
  });
  return { limitsMs };
};
const silentDb = () => silent([bindings.DB, 'prepare'], [bindings.DB, 'batch']);

const failing = (name: 'put' | 'get' | 'delete') =>
  vi.spyOn(bindings.BUCKET, name).mockRejectedValue(new Error('R2: internal error'));

describe('the probes', () => {
  it('find every component well, leave no file, and charge nobody', async () => {
    await pass(1);
    expect(await statesNow()).toEqual(allBut('operational'));
    expect((await bindings.BUCKET.list()).objects).toEqual([]);
    expect(origin.jobs).toEqual([]);
    expect(origin.checkedBytes).toEqual([49_639]);
  });

  it('look through the pipeline every five minutes only', async () => {
    await pass(10);
    expect(origin.checks).toHaveLength(2);
    const [{ n } = { n: 0 }] = await rows<{ n: number }>(
      "select count(*) as n from status_probes where component = 'api'",
    );
    expect(n).toBe(10);
  });

  it.each([
    [
      'the public address',
      ['api'],
      (): void => {
        isReachable = false;
      },
    ],
    ['the accounts’ objects', ['ledger'], (): unknown => brokenCalls('ACCOUNT', () => 'refused')],
    ['the batches’ objects', ['ledger'], (): unknown => brokenCalls('SAGA', () => 'refused')],
    ['writing files', ['storage', 'pipeline'], (): unknown => failing('put')],
    ['reading files', ['storage'], (): unknown => failing('get')],
    ['deleting files', ['storage', 'pipeline'], (): unknown => failing('delete')],
    ['the queue', ['queue'], (): unknown => vi.spyOn(bindings.JOBS, 'metrics').mockRejectedValue(new Error('away'))],
    [
      'a node’s database',
      ['nodes'],
      (): void => {
        origin.givesLines = false;
      },
    ],
    [
      'the nodes’ model',
      ['pipeline'],
      (): void => {
        origin.checkScript = () => 'vanish';
      },
    ],
    [
      'a model that finds no product',
      ['pipeline'],
      (): void => {
        origin.checkScript = () => ({
          check: { width: 9, height: 9, product_box: null, matte_confidence: 0.1, findings: [], processing_ms: 1 },
        });
      },
    ],
  ] as const)('say so when %s is broken: %j', async (_what, components, breakIt) => {
    breakIt();
    await pass(6);
    expect(await statesNow()).toEqual(allBut('down', ...components));
    const { incidents, state } = await answerNow();
    expect(state).toBe('down');
    expect(incidents.map(({ component, kind, ended_at }) => [component, kind, ended_at]).sort()).toEqual(
      components.map((component) => [component, 'down', null]).sort(),
    );
  });

  it('call it slow when images wait in the queue, and when the nodes have no time for a check', async () => {
    vi.spyOn(bindings.JOBS, 'metrics').mockImplementation(async () => ({
      backlogCount: 3,
      backlogBytes: 99,
      oldestMessageTimestamp: new Date(Date.now() - 3 * MINUTE),
    }));
    origin.checkScript = () => ({ busy: 5 });
    await pass(1);
    expect(await statesNow()).toEqual(allBut('degraded', 'queue', 'pipeline'));
  });

  it('an outage is one incident with its beginning and end, and counts in its day', async () => {
    await pass(2);
    const beganMs = Date.now() + MINUTE;
    isReachable = false;
    await pass(3);
    isReachable = true;
    await pass(2);
    const { incidents, components } = await answerNow();
    expect(incidents).toEqual([
      {
        component: 'api',
        kind: 'down',
        began_at: new Date(beganMs).toISOString(),
        ended_at: new Date(beganMs + 3 * MINUTE).toISOString(),
      },
    ]);
    const api = components.find(({ id }) => id === 'api');
    expect(api).toMatchObject({ state: 'operational', days: [{ date: '2026-11-22', ok: 4, slow: 0, failed: 3 }] });
  });
});

describe('what is told', () => {
  it('is unknown once the probes stop, and never good again by itself', async () => {
    await pass(1);
    later(3.5 * MINUTE);
    expect((await answerNow()).state).toBe('operational');
    later(1);
    const states = await statesNow();
    expect(states).toEqual({ ...allBut('unknown', ...statusComponentNames), pipeline: 'operational' });
    later(HOUR);
    expect((await answerNow()).state).toBe('unknown');
    expect((await statesNow()).pipeline).toBe('unknown');
  });

  it('names the database as down when it cannot be read, and keeps the rest as it was', async () => {
    await pass(1);
    const read = newReader();
    expect((await read()).state).toBe('operational');
    brokenDb();
    later(edgeLimits.status.rememberedMs);
    const answer = await read();
    expect(answer.components.filter(({ state }) => state !== 'operational').map(({ id }) => id)).toEqual(['database']);
    expect(answer.state).toBe('down');
  });

  it('has an outage of its own database in its history, once that is back', async () => {
    await pass(2);
    const beganMs = Date.now() + MINUTE;
    const broken = brokenDb();
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await pass(4);
    expect(log).toHaveBeenCalledTimes(4);
    broken.mockRestore();
    await pass(2);
    const { incidents, components } = await answerNow();
    expect(incidents).toEqual([databaseDown(beganMs, beganMs + 4 * MINUTE)]);
    expect(components.find(({ id }) => id === 'database')?.days).toMatchObject([{ ok: 4, failed: 4 }]);
    expect(components.find(({ id }) => id === 'api')?.days).toMatchObject([{ ok: 8, failed: 0 }]);
    expect((await bindings.BUCKET.list()).objects).toEqual([]);
  });

  it('has an outage that is longer than one run can write, each probe at its own time', async () => {
    await pass(1);
    const beganMs = Date.now() + MINUTE;
    const minutes = Math.ceil((2.5 * edgeLimits.status.writtenMax) / 6);
    const waiting = Array.from({ length: minutes }, (_, i) => beganMs + i * MINUTE).flatMap((atMs) =>
      statusComponentNames
        .filter((component) => component !== 'pipeline')
        .map((component) => ({ component, atMs, result: component === 'database' ? 'failed' : 'ok', tookMs: 5 })),
    );
    await bindings.BUCKET.put('status/unwritten.json', JSON.stringify(waiting));
    later(minutes * MINUTE);
    await pass(1);
    expect((await statesNow()).api).toBe('operational');
    expect((await answerNow()).incidents).toMatchObject([{ component: 'database', ended_at: null }]);
    await pass(1);
    expect((await answerNow()).incidents).toHaveLength(1);
    await pass(1);
    const { incidents, components } = await answerNow();
    expect(incidents).toEqual([databaseDown(beganMs, beganMs + minutes * MINUTE)]);
    const days = components.find(({ id }) => id === 'database')?.days ?? [];
    expect(days.reduce((sum, { ok, failed }) => [sum[0]! + ok, sum[1]! + failed], [0, 0])).toEqual([4, minutes]);
    expect((await bindings.BUCKET.list()).objects).toEqual([]);
  });

  it('looks through the pipeline every five minutes only, also while the database is down', async () => {
    await pass(1);
    brokenDb();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await pass(11);
    expect(origin.checks.length).toBeLessThanOrEqual(4);
  });

  it('keeps what waits where it can neither be read nor written, and has it once both are back', async () => {
    await pass(2);
    const beganMs = Date.now() + MINUTE;
    const broken = brokenDb();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await pass(2);
    const get = failing('get');
    await pass(1);
    get.mockRestore();
    broken.mockRestore();
    await pass(1);
    expect((await answerNow()).incidents).toEqual([databaseDown(beganMs, beganMs + 3 * MINUTE)]);
  });

  it('has an outage in which the database takes calls and answers none', async () => {
    await pass(2);
    const beganMs = Date.now() + MINUTE;
    const { limitsMs } = silentDb();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await pass(3);
    const { probeMsMax, storeMsMax } = edgeLimits.status;
    expect(new Set(limitsMs)).toEqual(new Set([storeMsMax, probeMsMax]));
    vi.restoreAllMocks();
    origin = fakeOrigin(async (url, init) => call(url, init));
    await pass(1);
    expect((await answerNow()).incidents).toEqual([databaseDown(beganMs, beganMs + 3 * MINUTE)]);
  });

  it('is written while the store of files takes calls and answers none', async () => {
    await pass(1);
    silent([bindings.BUCKET, 'get'], [bindings.BUCKET, 'put'], [bindings.BUCKET, 'delete']);
    await pass(2);
    expect(await statesNow()).toMatchObject({ storage: 'down', api: 'operational', database: 'operational' });
  });

  it('is what was read last while the database is slow to answer, then that it is slow', async () => {
    await pass(1);
    const read = newReader();
    expect((await read()).state).toBe('operational');
    later(edgeLimits.status.rememberedMs);
    const { limitsMs } = silentDb();
    const [first, second] = [read(), read()];
    expect((await second).state).toBe('operational');
    const { state, components } = await first;
    expect([state, limitsMs]).toEqual(['degraded', [edgeLimits.status.readMsMax]]);
    expect(components.filter((one) => one.state !== 'operational').map(({ id }) => id)).toEqual(['database']);
    await read();
    expect(limitsMs).toHaveLength(1);
  });

  it('is an answer in bounded time, too, when the first read of an isolate is slow', async () => {
    await pass(1);
    silentDb();
    const { components } = await answerNow();
    expect(components.map(({ state }) => state).filter((state) => state !== 'unknown')).toEqual(['degraded']);
  });

  it('is the late answer of a slow read, once that is there', async () => {
    await pass(1);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const kept: Promise<unknown>[] = [];
    const read = statusReader(bindings.DB, systemClock);
    const row = await bindings.DB.prepare('select answer from status_now').first();
    vi.spyOn(bindings.DB, 'prepare').mockReturnValue({ first: () => promise } as never);
    const after = vi.spyOn(systemClock, 'after').mockImplementation((_ms, callback) => {
      callback();
      return () => {};
    });
    expect((await read((work) => kept.push(work))).state).toBe('degraded');
    after.mockRestore();
    resolve(row);
    await Promise.all(kept);
    expect((await read((work) => kept.push(work))).state).toBe('operational');
    expect(kept).toHaveLength(1);
  });

  it('is read from the database once in ten seconds by one isolate, however many ask', async () => {
    await pass(1);
    const read = newReader();
    const prepare = vi.spyOn(bindings.DB, 'prepare');
    for (let i = 0; i < 50; i++) await read();
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('is public, may be read by any page, and holds no address, node or account', async () => {
    await pass(1);
    const answer = await call(STATUS_PATH, { headers: { origin: 'https://elsewhere.example' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toBe(`public, max-age=${edgeLimits.status.cacheSeconds}`);
    const text = await answer.text();
    for (const secret of ['127.0.0.1', 'http', 'acc_', 'chk_', 'status-probe', 'local-'])
      expect(text.includes(secret), secret).toBe(false);
  });
});

describe('the tables', () => {
  it('keep single probes for two days, sums for 90, and incidents for 90', async () => {
    await pass(1);
    const nowMs = Date.now();
    const insert = async (sql: string, ...values: (string | number)[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    const DAY = 24 * HOUR;
    for (const days of [1, 3]) await insert("insert into status_probes values ('api', ?, 'ok', 5)", nowMs - days * DAY);
    for (const days of [89, 91])
      await insert(
        "insert into status_days values ('api', ?, 1, 0, 0, 5)",
        new Date(nowMs - days * DAY).toISOString().slice(0, 10),
      );
    for (const days of [89, 91])
      await insert(
        "insert into status_incidents values ('api', ?, 'down', ?)",
        nowMs - days * DAY - 9,
        nowMs - days * DAY,
      );
    await pass(1);
    expect(await rows("select at from status_probes where component = 'api' and at < ?", nowMs - HOUR)).toHaveLength(1);
    expect(await rows("select day from status_days where component = 'api'")).toHaveLength(2);
    expect(await rows('select began_at from status_incidents')).toHaveLength(1);
  });
});
