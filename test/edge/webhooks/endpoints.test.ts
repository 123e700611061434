/** Endpoints of an account: each event to each of them, whatever is slow, dead, deleted or cut off meanwhile. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginAttempt, dueDeliveries } from '../../../edge/account/webhook-deliveries/rows.ts';
import type { WebhookEndpoint } from '../../../edge/account/webhook-endpoints/port.ts';
import { balanceLowSchema, batchStatusSchema } from '../../../shared/api.ts';
import { newId, webhookEventId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { WebhookEventType } from '../../../shared/webhook-events.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { brokenCalls, type Mishap } from '../support/network.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  call,
  createBatch,
  files,
  historyOf,
  historyStub,
  ledgerOf,
  newAccount,
  newKey,
  sagaOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

type Received = { readonly host: string; readonly id: string; readonly body: string; readonly headers: Headers };
type Answer = number | Promise<number>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
let account: TestAccount;
/** As it is, whatever becomes of calls to it. */
let history: ReturnType<typeof historyStub>;
let origin: FakeOrigin;
let received: Received[];
/** What a receiver answers, by its host; 200 where nothing is said. */
let answers: Map<string, (attempt: number) => Answer>;

beforeEach(async () => {
  received = [];
  answers = new Map();
  const outside = shop();
  origin = fakeOrigin(async (url, init) => {
    const { hostname } = new URL(url);
    if (!hostname.endsWith('.hooks.com')) return outside.answer(url, init);
    const headers = new Headers(init.headers);
    received.push({ host: hostname, id: headers.get('webhook-id') ?? '', body: String(init.body), headers });
    const attempt = received.filter(({ host }) => host === hostname).length;
    return new Response(null, { status: await (answers.get(hostname)?.(attempt) ?? 200) });
  });
  account = await newAccount(60);
  history = historyStub(account.accountId);
});
afterEach(() => void vi.restoreAllMocks());

const urlOf = (name: string): string => `https://${name}.hooks.com/in`;
const receivedBy = (name: string): Received[] => received.filter(({ host }) => host === `${name}.hooks.com`);
const addEndpoint = async (
  name: string,
  { events = ['batch.completed'], mode = 'live' }: { events?: WebhookEventType[]; mode?: 'live' | 'test' } = {},
): Promise<string> => {
  const endpointId = newId('webhookEndpoint', Date.now(), random);
  const added = await accountOf(account).addWebhookEndpoint({ endpointId, url: urlOf(name), events, mode });
  expect(added.result).toBe('saved');
  return endpointId;
};
const endpoint = async (endpointId: string): Promise<WebhookEndpoint | undefined> =>
  (await accountOf(account).webhookEndpoints()).find((one) => one.endpointId === endpointId);
const begin = async (key: { readonly apiKey: string } = account, more: object = {}, images = 1): Promise<string> => {
  const answer = await createBatch(key, { images: photoUrls(images), ...more });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { batch_id: string }).batch_id;
};
const end = async (batchId: string): Promise<string> => {
  expect((await sagaOf(batchId).snapshot({ waitMs: 20_000 }))?.completedAtMs).not.toBeNull();
  return batchId;
};
const ended = async (...of: Parameters<typeof begin>): Promise<string> => end(await begin(...of));
const toHave = (name: string, count: number) =>
  vi.waitFor(() => expect(receivedBy(name)).toHaveLength(count), { timeout: 8_000, interval: 20 });
const idsOf = (name: string): string[] => receivedBy(name).map(({ id }) => id);

type Row = Record<string, SqlStorageValue>;
const rowsIn = (of: 'account' | 'history', sql: string): Promise<Row[]> =>
  runInDurableObject(of === 'account' ? accountStub(account.accountId) : (history as never), (_object, { storage }) =>
    storage.sql.exec(sql).toArray(),
  );
const pending = (): Promise<Row[]> => rowsIn('history', 'select * from webhookDelivery order by dueAtMs');
const pendingOf = async (endpointId: string): Promise<Row[]> =>
  (await pending()).filter((row) => row['endpointId'] === endpointId);
const outbox = (): Promise<Row[]> => rowsIn('account', 'select * from webhookEvent');
/** Nothing is left to hand over or to deliver. */
const allDone = () =>
  vi.waitFor(async () => expect([await outbox(), await pending()]).toEqual([[], []]), { timeout: 8_000, interval: 20 });
/** The alarm of the account's history as if so much later. */
const fire = (laterMs = 0): Promise<void> =>
  runInDurableObject(history, async (object) => {
    const nowMs = Date.now() + laterMs;
    object.now = () => nowMs;
    await object.alarm();
  });
/** Hour by hour; each time the endpoint's attempts that are due have ended. */
const failThrough = async (endpointId: string, fromHours: number, toHours: number): Promise<void> => {
  for (let hours = fromHours + 1; hours <= toHours; hours += 1) {
    await fire(hours * HOUR_MS);
    await vi.waitFor(async () => {
      const due = (await pendingOf(endpointId)).filter((row) => Number(row['dueAtMs']) <= Date.now() + hours * HOUR_MS);
      expect(due).toEqual([]);
    });
  }
};
const fireAccount = (laterMs = 0): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), async (object) => {
    const nowMs = Date.now() + laterMs;
    object.now = () => nowMs;
    await object.alarm();
    object.now = () => Date.now();
  });

describe('the end of a batch', () => {
  it('is told once to each endpoint, signed, with the event id and the body of its webhook_url', async () => {
    await addEndpoint('one');
    await addEndpoint('two');
    const batchId = await ended(account, { webhook_url: urlOf('own') }, 2);
    for (const name of ['one', 'two', 'own']) await toHave(name, 1);
    const { secret } = await accountOf(account).webhookSecret();
    const bodies = ['one', 'two', 'own'].map((name) => {
      const [hook] = receivedBy(name);
      const told = new Webhook(secret).verify(hook?.body ?? '', Object.fromEntries(hook?.headers ?? []));
      return batchStatusSchema.parse(told);
    });
    const lasting = bodies.map(({ images, ...rest }) => ({ ...rest, images: images.map(({ status }) => status) }));
    expect(lasting[0]).toMatchObject({ batch_id: batchId, status: 'completed', progress: { completed: 2 } });
    expect(lasting).toEqual([lasting[0], lasting[0], lasting[0]]);
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set([webhookEventId(batchId)]));
    await allDone();
    await fire(HOUR_MS);
    expect(received).toHaveLength(3);
  });

  it('is told whatever its outcome, and of an upload that is answered as a batch; not of one that has its answer', async () => {
    await addEndpoint('one');
    const failed = await ended(account, { images: [{ input_url: 'https://photos.shop.com/missing.jpg' }] });
    await toHave('one', 1);
    expect(JSON.parse(receivedBy('one')[0]?.body ?? '')).toMatchObject({ batch_id: failed, status: 'failed' });
    const answer = await upload(account, uploadForm(files(2)), { prefer: 'respond-async' });
    const { batch_id } = (await answer.json()) as { batch_id: string };
    await toHave('one', 2);
    expect((await upload(account, uploadForm(files(1)))).status).toBe(200);
    await allDone();
    expect(idsOf('one')).toEqual([failed, batch_id].map(webhookEventId));
  });

  it('goes to endpoints of the mode of its key', async () => {
    await addEndpoint('live');
    await addEndpoint('trial', { mode: 'test' });
    const live = await ended();
    const trial = await ended(await newKey(account, 'test'));
    await toHave('live', 1);
    await toHave('trial', 1);
    await allDone();
    expect([idsOf('live'), idsOf('trial')]).toEqual([[webhookEventId(live)], [webhookEventId(trial)]]);
  });

  it('goes to an endpoint that was added while the batch ran, and to none that was disabled by then', async () => {
    const early = await addEndpoint('early');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    origin.script = () => held.then(() => 'complete' as const);
    const batchId = await begin();
    await addEndpoint('late');
    await accountOf(account).changeWebhookEndpoint(early, { isEnabled: false });
    release();
    await end(batchId);
    await toHave('late', 1);
    await allDone();
    expect(receivedBy('early')).toEqual([]);
  });

  it('is told once where the batch names the same address itself, however that is written', async () => {
    await addEndpoint('same');
    await addEndpoint('other');
    const batchId = await ended(account, { webhook_url: 'https://SAME.hooks.com:443/in' });
    await toHave('other', 1);
    await toHave('same', 1);
    await allDone();
    await fire(HOUR_MS);
    expect(idsOf('same')).toEqual([webhookEventId(batchId)]);
  });

  it('costs an account without an endpoint no row', async () => {
    await ended();
    expect(await outbox()).toEqual([]);
    expect(await rowsIn('account', "select seq from sqlite_sequence where name = 'webhookEvent'")).toEqual([]);
  });
});

describe('an event is not lost', () => {
  it('by a crash between the end of the batch and its delivery, nor told twice for it', async () => {
    await addEndpoint('one');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    let mishap: Mishap | undefined = 'never_arrives';
    brokenCalls('HISTORY', (method) => (method === 'takeWebhookEvents' ? mishap : undefined));
    const batchId = await ended();
    await vi.waitFor(async () => expect(await outbox()).toHaveLength(1), 5_000);
    await fireAccount(1_000);
    await evictDurableObject(accountStub(account.accountId));
    expect(receivedBy('one')).toEqual([]);
    // The answer to the next one is lost: the account hands the event over once more.
    mishap = 'lost';
    await fireAccount(HOUR_MS);
    await toHave('one', 1);
    expect(await outbox()).toHaveLength(1);
    mishap = undefined;
    await fireAccount(2 * HOUR_MS);
    await allDone();
    await fire(HOUR_MS);
    expect(idsOf('one')).toEqual([webhookEventId(batchId)]);
  });

  it('by a crash in the middle of a delivery: another follows when that must be over', async () => {
    const endpointId = await addEndpoint('one');
    answers.set('one.hooks.com', () => 500);
    const batchId = await ended();
    await toHave('one', 1);
    await vi.waitFor(async () => expect(Number((await pending())[0]?.['dueAtMs'])).toBeLessThan(Date.now() + 6_000));
    // As a crash leaves it: begun, and nobody knows how it ended.
    await runInDurableObject(history, (_object, { storage }) =>
      storage.sql.exec('update webhookDelivery set attempts = 2, dueAtMs = ?', Date.now() + 20_000),
    );
    await evictDurableObject(historyStub(account.accountId));
    answers.clear();
    await fire(21_000);
    await toHave('one', 2);
    await allDone();
    expect(idsOf('one')).toEqual([webhookEventId(batchId), webhookEventId(batchId)]);
    const { rows } = await historyOf(account).attempts({ endpointId });
    expect(rows.map(({ outcome }) => outcome)).toEqual(['delivered', 'failed']);
  });

  it('by crashes in every attempt for minutes: the attempts are spread over the day as failed ones are', async () => {
    await addEndpoint('one');
    answers.set('one.hooks.com', () => 500);
    await ended();
    await toHave('one', 1);
    await vi.waitFor(async () => expect(Number((await pending())[0]?.['dueAtMs'])).toBeLessThan(Date.now() + 6_000));
    const begun = await runInDurableObject(history, (_object, { storage: { sql } }) => {
      const times: number[] = [];
      for (let nowMs = Date.now() + 10_000; ; ) {
        const [due] = dueDeliveries(sql, nowMs, new Map());
        // Begun, and never heard of again.
        const delivery = due && beginAttempt(sql, due, 0, nowMs);
        if (!delivery) return times;
        times.push(nowMs);
        nowMs = delivery.dueAtMs;
      }
    });
    expect(begun.length).toBeGreaterThanOrEqual(8);
    expect(begun.at(-1)! - begun[0]!).toBeGreaterThan(0.9 * limits.webhook.windowMs);
    expect(await pending()).toEqual([]);
  });

  it('and is given up after a day and a bounded number of attempts', async () => {
    await addEndpoint('one');
    answers.set('one.hooks.com', () => 503);
    await ended();
    await toHave('one', 1);
    for (let hours = 0; hours < 60 && (await pending()).length > 0; hours += 1) {
      const before = received.length;
      await fire(hours * HOUR_MS);
      await vi.waitFor(async () => {
        const [row] = await pending();
        expect(row === undefined || Number(row['dueAtMs']) > Date.now() + hours * HOUR_MS).toBe(true);
      });
      expect(received.length - before).toBeLessThanOrEqual(2);
    }
    expect(await pending()).toEqual([]);
    expect(received.length).toBeGreaterThan(5);
    expect(received.length).toBeLessThanOrEqual(limits.webhook.attemptsMax);
  });
});

describe('an endpoint that does not answer', () => {
  it('holds up no other, nor its account: beside it each event arrives, in places of its own', async () => {
    let open = (): void => {};
    const never = new Promise<number>((resolve) => {
      open = () => resolve(200);
    });
    await addEndpoint('slow');
    await addEndpoint('well');
    answers.set('slow.hooks.com', () => never);
    const { concurrencyMax } = limits.webhookEndpoints;
    const batches: string[] = [];
    for (let i = 0; i < concurrencyMax + 2; i++) batches.push(await ended());
    await toHave('well', batches.length);
    expect(new Set(idsOf('well'))).toEqual(new Set(batches.map(webhookEventId)));
    expect(receivedBy('slow')).toHaveLength(concurrencyMax);
    expect(await ledgerOf(account).summary()).toMatchObject({ held: 0, spent: batches.length });
    open();
    await toHave('slow', batches.length);
    await allDone();
  });

  it('is disabled after three days without a success, and its owner is told once', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const dead = await addEndpoint('dead');
    const well = await addEndpoint('well');
    answers.set('dead.hooks.com', () => 500);
    await ended();
    await toHave('dead', 1);
    const settled = () =>
      vi.waitFor(async () => {
        const health = await rowsIn('history', 'select * from webhookHealth where disabledAtMs is not null');
        expect(health).toEqual([]);
      });
    const days = limits.webhookEndpoints.failingMsMax / DAY_MS;
    let batches = 1;
    for (let day = 1; day <= days; day++) {
      await failThrough(dead, (day - 1) * 24, day * 24);
      expect((await endpoint(dead))?.disabled).toBeNull();
      await ended();
      batches += 1;
      // Nothing is under way when the clock jumps: it would be taken for lost.
      await toHave('well', batches);
      await vi.waitFor(async () => expect(await pendingOf(well)).toEqual([]));
    }
    await fireAccount();
    await vi.waitFor(async () => {
      await fire(days * DAY_MS + 2 * HOUR_MS);
      expect((await endpoint(dead))?.disabled).toMatchObject({ why: 'failing' });
    }, 8_000);
    await settled();
    expect((await endpoint(well))?.disabled).toBeNull();
    expect(await pendingOf(dead)).toEqual([]);
    const heard = receivedBy('dead').length;
    await ended();
    await toHave('well', batches + 1);
    expect(receivedBy('dead')).toHaveLength(heard);
  });

  it('for a day, and again after a week of silence, stays enabled and gets that event', async () => {
    const seldom = await addEndpoint('seldom');
    answers.set('seldom.hooks.com', () => 500);
    await ended();
    await ended();
    await toHave('seldom', 2);
    await failThrough(seldom, 0, 25);
    expect(await pendingOf(seldom)).toEqual([]);
    const heard = receivedBy('seldom').length;
    expect(heard).toBeGreaterThan(limits.webhookEndpoints.failuresMin);
    const eventAt = 8 * 24;
    await fire(eventAt * HOUR_MS);
    await ended();
    await fireAccount();
    await toHave('seldom', heard + 1);
    answers.delete('seldom.hooks.com');
    await fire((eventAt + 1) * HOUR_MS);
    await toHave('seldom', heard + 2);
    await allDone();
    expect((await endpoint(seldom))?.disabled).toBeNull();
  });

  it('with 410 at an address that its owner changed meanwhile stays enabled, and the new address is told', async () => {
    const moved = await addEndpoint('old');
    let say = (_status: number): void => {};
    const held = new Promise<number>((resolve) => {
      say = resolve;
    });
    answers.set('old.hooks.com', () => held);
    await ended();
    await toHave('old', 1);
    await accountOf(account).changeWebhookEndpoint(moved, { url: urlOf('new') });
    say(410);
    await vi.waitFor(async () => {
      await fire(HOUR_MS);
      expect(receivedBy('new')).toHaveLength(1);
    }, 8_000);
    await allDone();
    expect((await endpoint(moved))?.disabled).toBeNull();
  });

  it('and is removed meanwhile leaves nothing behind', async () => {
    const removed = await addEndpoint('one');
    let say = (_status: number): void => {};
    const held = new Promise<number>((resolve) => {
      say = resolve;
    });
    answers.set('one.hooks.com', () => held);
    await ended();
    await toHave('one', 1);
    await accountOf(account).removeWebhookEndpoint(removed);
    await history.forgetWebhookEndpoint(removed);
    say(500);
    await vi.waitFor(async () =>
      expect((await historyOf(account).attempts({ endpointId: removed })).rows).toHaveLength(1),
    );
    expect(await rowsIn('history', 'select * from webhookHealth')).toEqual([]);
  });

  it('with 410 is disabled at once; enabled again, it gets what happens from then on', async () => {
    const gone = await addEndpoint('gone');
    answers.set('gone.hooks.com', () => 410);
    await ended();
    await vi.waitFor(async () => expect((await endpoint(gone))?.disabled).toMatchObject({ why: 'gone' }), 8_000);
    await ended();
    expect(receivedBy('gone')).toHaveLength(1);
    answers.clear();
    expect(await accountOf(account).changeWebhookEndpoint(gone, { isEnabled: true })).toMatchObject({
      result: 'saved',
      endpoint: { disabled: null },
    });
    const later = await ended();
    await toHave('gone', 2);
    expect(idsOf('gone')[1]).toBe(webhookEventId(later));
  });

  it('is not disabled for what its owner has changed since', async () => {
    const before = Date.now() - 1;
    const id = await addEndpoint('one');
    expect(await accountOf(account).disableWebhookEndpoint(id, { why: 'gone', atMs: before })).toBe('superseded');
    const disabling = { why: 'gone', atMs: Date.now() + 1 } as const;
    expect(await accountOf(account).disableWebhookEndpoint(id, disabling)).toBe('disabled');
    expect(await accountOf(account).disableWebhookEndpoint(id, disabling)).toBe('disabled');
    await accountOf(account).changeWebhookEndpoint(id, { isEnabled: true });
    expect(await accountOf(account).disableWebhookEndpoint(id, { why: 'gone', atMs: before })).toBe('superseded');
  });
});

describe('what is deleted leaves nothing on its way', () => {
  const stuck = async (): Promise<string> => {
    await addEndpoint('one');
    answers.set('one.hooks.com', () => 500);
    const batchId = await ended();
    await toHave('one', 1);
    await vi.waitFor(async () => expect((await pending())[0]?.['firstAtMs']).not.toBeNull());
    return batchId;
  };
  it('a batch: its deliveries and their log', async () => {
    const batchId = await stuck();
    expect(JSON.stringify(await pending())).toContain(batchId);
    expect((await call(`/api/v1/batches/${batchId}`, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    await vi.waitFor(async () => {
      expect(await pending()).toEqual([]);
      expect(await rowsIn('history', 'select * from webhookAttempt')).toEqual([]);
    });
    answers.clear();
    await fire(HOUR_MS);
    expect(receivedBy('one')).toHaveLength(1);
  });

  it('a batch whose event is still in the account: nothing is sent of it', async () => {
    await addEndpoint('one');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const batchId = await begin();
    await end(batchId);
    await allDone();
    const told = receivedBy('one').length;
    expect((await call(`/api/v1/batches/${batchId}`, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    const [{ endpointId } = { endpointId: '' }] = await accountOf(account).webhookEndpoints();
    await historyOf(account).takeWebhookEvents(account.accountId, [
      {
        sequence: 1_000,
        eventId: webhookEventId(batchId),
        type: 'batch.completed',
        batchId,
        body: null,
        endpoints: [endpointId],
        atMs: Date.now(),
      },
    ]);
    await fire(1_000);
    await allDone();
    expect(receivedBy('one')).toHaveLength(told);
  });

  it('an image: no body of its batch is kept', async () => {
    const batchId = await stuck();
    const snapshot = await sagaOf(batchId).snapshot();
    const imageId = `img_${batchId.slice(4)}_0000`;
    expect(snapshot?.images).toHaveLength(1);
    await call(`/api/v1/batches/${batchId}/images/${imageId}`, { method: 'DELETE', headers: as(account) });
    await vi.waitFor(async () =>
      expect(await rowsIn('history', 'select body from webhookAttempt where body is not null')).toEqual([]),
    );
    expect((await pending()).map(({ body }) => body)).toEqual([null]);
  });

  it('an endpoint: what was on its way to it', async () => {
    await stuck();
    const [{ endpointId } = { endpointId: '' }] = await accountOf(account).webhookEndpoints();
    expect(await accountOf(account).removeWebhookEndpoint(endpointId)).toBe(true);
    answers.clear();
    await fire(HOUR_MS);
    await allDone();
    expect(receivedBy('one')).toHaveLength(1);
  });

  it('all data of the account: its deliveries, and events that were not handed over', async () => {
    await stuck();
    await accountOf(account).eraseData();
    await vi.waitFor(async () => {
      await fireAccount();
      expect([await outbox(), await pending()]).toEqual([[], []]);
    }, 8_000);
  });
});

describe('a low balance', () => {
  const settleOne = (batchId: string) => ledgerOf(account).resolve(batchId, [{ index: 0, as: 'posted' }]);

  it('is one event for 50 movements at once, to endpoints that want it', async () => {
    await addEndpoint('money', { events: ['balance.low'] });
    await addEndpoint('batches');
    await accountOf(account).setBalanceAlert(30);
    const batches = Array.from({ length: 50 }, () => newId('batch', Date.now(), random));
    await Promise.all(batches.map((batchId) => ledgerOf(account).hold({ batchId, images: 1 })));
    await Promise.all(batches.map(settleOne));
    await toHave('money', 1);
    await allDone();
    await fire(HOUR_MS);
    expect(receivedBy('batches')).toEqual([]);
    const [hook, ...more] = receivedBy('money');
    expect(more).toEqual([]);
    const { secret } = await accountOf(account).webhookSecret();
    const told = balanceLowSchema.parse(
      new Webhook(secret).verify(hook?.body ?? '', Object.fromEntries(hook?.headers ?? [])),
    );
    expect(told).toMatchObject({
      id: hook?.id,
      type: 'balance.low',
      data: { account_id: account.accountId, balance: 30, balance_usd: '$7.50', level: 30 },
    });
  });

  it('is told again after the balance has been above the level, with another id', async () => {
    await addEndpoint('money', { events: ['balance.low'] });
    await accountOf(account).setBalanceAlert(59);
    const spend = async (): Promise<void> => {
      const batchId = newId('batch', Date.now(), random);
      await ledgerOf(account).hold({ batchId, images: 1 });
      await settleOne(batchId);
    };
    await spend();
    await spend();
    await ledgerOf(account).grant({ id: 'more', credits: 2, reason: 'local' });
    await spend();
    await toHave('money', 2);
    await allDone();
    expect(new Set(idsOf('money')).size).toBe(2);
  });
});

describe('bounds', () => {
  const eventAt = (sequence: number, endpoints: readonly string[]) => ({
    sequence,
    // Their order is not that of their times.
    eventId: `evt_${10_000_000 - sequence}`,
    type: 'balance.low' as const,
    batchId: null,
    body: '{}',
    endpoints,
    atMs: Date.now() + 10 * HOUR_MS + sequence * 1_000,
  });

  it('beyond its number of an endpoint the oldest deliveries are dropped, and no other endpoint’s', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const [one, two] = [await addEndpoint('one'), await addEndpoint('two')];
    const { pendingMax } = limits.webhookEndpoints;
    const deliveries = historyOf(account);
    await deliveries.takeWebhookEvents(account.accountId, [eventAt(1, [two])]);
    const events = Array.from({ length: pendingMax + 3 }, (_, i) => eventAt(i + 2, [one]));
    await deliveries.takeWebhookEvents(account.accountId, events);
    // Taken before: nothing comes twice.
    await deliveries.takeWebhookEvents(account.accountId, events);
    const states = await deliveries.webhookEndpointStates();
    expect(states.map(({ endpointId, pending: count }) => [endpointId, count]).sort()).toEqual(
      [
        [one, pendingMax],
        [two, 1],
      ].sort(),
    );
    const [oldest] = await rowsIn(
      'history',
      `select eventId as id from webhookDelivery where endpointId = '${one}' order by atMs limit 1`,
    );
    expect(oldest?.['id']).toBe(events[3]?.eventId);
  });

  it('an account has so many endpoints, each address once for a mode', async () => {
    for (let i = 0; i < limits.webhookEndpoints.perAccountMax; i++) await addEndpoint(`e${i}`);
    const more = { endpointId: newId('webhookEndpoint', Date.now(), random), events: ['batch.completed'] as const };
    const add = (url: string, mode: 'live' | 'test') => accountOf(account).addWebhookEndpoint({ ...more, url, mode });
    expect(await add(urlOf('more'), 'live')).toEqual({ result: 'too_many' });
    const [first] = await accountOf(account).webhookEndpoints();
    await accountOf(account).removeWebhookEndpoint(first?.endpointId ?? '');
    expect(await add('https://E1.hooks.com/in', 'live')).toEqual({ result: 'exists' });
    expect(await add(urlOf('e1'), 'test')).toMatchObject({ result: 'saved' });
    expect(await add(urlOf('e1'), 'test')).toMatchObject({ result: 'saved' });
    expect(await accountOf(account).webhookEndpoints()).toHaveLength(limits.webhookEndpoints.perAccountMax);
  });
});
