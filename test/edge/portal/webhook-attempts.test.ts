/** Deliveries in the portal: every attempt with what came of it, resending, tests, and whose they are. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeptAttempt } from '../../../edge/account/webhook-attempts/port.ts';
import type { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { batchStatusSchema } from '../../../shared/api.ts';
import { newId, webhookEventId } from '../../../shared/ids.ts';
import type {
  KeyCreated,
  WebhookAttemptDetail,
  WebhookAttemptPage,
  WebhookSecret,
  WebhookSent,
} from '../../../shared/portal-api.ts';
import { photoUrls, type Shop, shop } from '../batch/shop.ts';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin } from '../support/origin.ts';
import { as, call, createBatch, historyOf, historyStub, sagaOf, sagaStub } from '../support/service.ts';
import { accountIdOf, answerOf, type Customer, registered } from './customer.ts';

const SECRET_URL = 'https://hooks.shop.com/in?token=s3cret';

let outside: Shop;
beforeEach(() => {
  outside = shop();
  fakeOrigin(outside.answer);
});
afterEach(() => void vi.restoreAllMocks());

const customerWithKey = async () => {
  const customer = await registered();
  const { secret: apiKey } = await answerOf<KeyCreated>(
    customer.call('POST', '/keys', { label: 'Shop', mode: 'test' }),
  );
  return { customer, apiKey, accountId: await accountIdOf(customer) };
};
const batchWithHook = async (apiKey: string, url: string | undefined = SECRET_URL): Promise<string> => {
  const answer = await createBatch({ apiKey }, { images: photoUrls(1), ...(url && { webhook_url: url }) });
  expect(answer.status).toBe(202);
  const { batch_id } = (await answer.json()) as { batch_id: string };
  expect((await sagaOf(batch_id).snapshot({ waitMs: 20_000 }))?.completedAtMs).not.toBeNull();
  return batch_id;
};
const attempts = async (customer: Customer, query = ''): Promise<WebhookAttemptPage> =>
  answerOf<WebhookAttemptPage>(customer.call('GET', `/webhook-attempts${query}`));
const attemptsOf = (customer: Customer, count: number, query = '') =>
  vi.waitFor(async () => {
    const { rows } = await attempts(customer, query);
    expect(rows).toHaveLength(count);
    return rows;
  }, 5_000);
const resend = (customer: Customer, batchId: string) =>
  customer.call('POST', '/webhook-attempts/resend', { batch_id: batchId });
const sendTest = (customer: Customer, url: string) => customer.call('POST', '/webhook-attempts/test', { url });

const nextAlarm = async (batchId: string): Promise<void> => {
  await runInDurableObject(sagaStub(batchId), async (saga: BatchSaga, state: DurableObjectState) => {
    const alarm = await state.storage.getAlarm();
    if (alarm !== null) saga.now = () => Math.max(alarm, Date.now());
  });
  await runDurableObjectAlarm(sagaStub(batchId));
};

describe('the log of deliveries', () => {
  it('has every attempt with its time, status, milliseconds, event id and the body that was signed', async () => {
    outside.hookStatuses = [500, 200];
    const { customer, apiKey } = await customerWithKey();
    const batchId = await batchWithHook(apiKey);
    await attemptsOf(customer, 1);
    await nextAlarm(batchId);
    const rows = await attemptsOf(customer, 2, `?batch_id=${batchId}`);
    expect(rows).toMatchObject([
      { outcome: 'delivered', status: 200, failure: null, sent_by: 'schedule', batch_id: batchId },
      { outcome: 'failed', status: 500, failure: null, sent_by: 'schedule', event_id: webhookEventId(batchId) },
    ]);
    for (const row of rows) expect(row.duration_ms).toBeGreaterThanOrEqual(0);
    const shown = await answerOf<WebhookAttemptDetail>(
      customer.call('GET', `/webhook-attempts/${rows[0]?.attempt_id}`),
    );
    expect(shown.body).toBe(outside.hooks[1]?.body);
    expect(shown).toMatchObject({ is_cut: false, attempt: { body_bytes: outside.hooks[1]?.body.length } });
  });

  it('is filtered by outcome and paged by a cursor', async () => {
    const { customer, accountId } = await customerWithKey();
    const at = Date.now();
    for (let i = 0; i < edgeLimits.webhookAttempts.pageRowsMax + 2; i++)
      await historyOf({ accountId }).noteAttempt(kept(at + i, i % 2 === 0 ? 'delivered' : 'failed'));
    const first = await attempts(customer);
    expect(first.rows).toHaveLength(edgeLimits.webhookAttempts.pageRowsMax);
    const second = await attempts(customer, `?cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ rows: [{}, {}], next_cursor: null });
    for (const outcome of ['delivered', 'failed'] as const) {
      const { rows } = await attempts(customer, `?outcome=${outcome}`);
      expect(new Set(rows.map((row) => row.outcome))).toEqual(new Set([outcome]));
    }
    expect((await customer.call('GET', '/webhook-attempts?outcome=maybe')).status).toBe(400);
  });

  it('keeps a bounded number for a bounded time, each with the beginning of its body', async () => {
    const { rowsMax, keptMs, bodyCharsMax } = edgeLimits.webhookAttempts;
    const { accountId } = await customerWithKey();
    const history = historyOf({ accountId });
    const at = Date.now();
    await runInDurableObject(historyStub(accountId), async (object) => {
      for (let i = 0; i < rowsMax + 3; i++) await object.noteAttempt(kept(at + i, 'failed', 'x'.repeat(10)));
    });
    const count = () =>
      runInDurableObject(historyStub(accountId), (_object, { storage }) =>
        Number(storage.sql.exec('select count(*) as n from webhookAttempt').one()['n']),
      );
    expect(await count()).toBe(rowsMax);
    const long = kept(at + rowsMax + 10, 'failed', 'ü'.repeat(bodyCharsMax + 1));
    await history.noteAttempt(long);
    await history.noteAttempt(long);
    expect(await count()).toBe(rowsMax);
    expect((await history.attempt(long.attemptId))?.body).toHaveLength(bodyCharsMax);
    await runInDurableObject(historyStub(accountId), (object) => {
      object.now = () => at + 2 * keptMs;
    });
    for (let i = 0; i < 5 && (await count()) > 0; i++) await runDurableObjectAlarm(historyStub(accountId));
    expect(await count()).toBe(0);
  });

  it('shows no query of an address, and nowhere keeps one', async () => {
    const { customer, apiKey, accountId } = await customerWithKey();
    await batchWithHook(apiKey);
    const [row] = await attemptsOf(customer, 1);
    expect(row?.url).toBe('https://hooks.shop.com/in?…');
    const stored = await runInDurableObject(historyStub(accountId), (_object, { storage }) =>
      JSON.stringify(storage.sql.exec('select * from webhookAttempt').toArray()),
    );
    expect(stored).not.toContain('s3cret');
  });

  it('that is away delays no delivery and repeats none', async () => {
    const { customer, apiKey } = await customerWithKey();
    brokenCalls('HISTORY', (method) => (method === 'noteAttempt' ? 'never_arrives' : undefined));
    const batchId = await batchWithHook(apiKey);
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
    await nextAlarm(batchId);
    expect(outside.hooks).toHaveLength(1);
    expect((await attempts(customer)).rows).toEqual([]);
  });
});

const kept = (atMs: number, outcome: KeptAttempt['outcome'], body = '{}'): KeptAttempt => ({
  attemptId: newId('webhookAttempt', atMs, (n) => crypto.getRandomValues(new Uint8Array(n))),
  atMs,
  batchId: null,
  eventId: 'evt_x',
  url: 'https://hooks.shop.com/in',
  sentBy: 'test',
  outcome,
  status: outcome === 'delivered' ? 200 : null,
  failure: outcome === 'delivered' ? null : 'timeout',
  ms: 3,
  bodyBytes: new TextEncoder().encode(body).length,
  body,
});

describe('a delivery that is sent again', () => {
  it('has the same event id, a signature of now, and a line of its own', async () => {
    const { customer, apiKey } = await customerWithKey();
    const batchId = await batchWithHook(apiKey);
    await attemptsOf(customer, 1);
    const answer = await resend(customer, batchId);
    expect(answer.status).toBe(200);
    expect((await answer.json()) as WebhookSent).toMatchObject({
      attempt: { sent_by: 'resend', outcome: 'delivered' },
    });
    const [first, second] = outside.hooks;
    expect(second?.url).toBe(SECRET_URL);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { secret } = await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'));
    const told = batchStatusSchema.parse(new Webhook(secret).verify(second?.body ?? '', second?.headers ?? {}));
    expect(told.batch_id).toBe(batchId);
    expect(await attemptsOf(customer, 2)).toMatchObject([{ sent_by: 'resend' }, { sent_by: 'schedule' }]);
  });

  it('ends the retries where it is accepted, and is no retry where it fails', async () => {
    outside.hookStatuses = [500, 500, 200];
    const { customer, apiKey } = await customerWithKey();
    const batchId = await batchWithHook(apiKey);
    await attemptsOf(customer, 1);
    const due = () =>
      runInDurableObject(sagaStub(batchId), (_saga, { storage }) =>
        JSON.parse(String(storage.sql.exec('select webhook from batch').one()['webhook'])),
      );
    const before = await due();
    expect(before).toMatchObject({ state: 'due', attempts: 1 });
    expect(await (await resend(customer, batchId)).json()).toMatchObject({
      attempt: { outcome: 'failed', status: 500 },
    });
    expect(await due()).toEqual(before);
    await resend(customer, batchId);
    expect(await due()).toEqual({ state: 'delivered' });
    await nextAlarm(batchId);
    expect(outside.hooks).toHaveLength(3);
  });

  it('is bounded by the minute for each account', async () => {
    const { customer, apiKey } = await customerWithKey();
    const batchId = await batchWithHook(apiKey);
    const { max } = edgeLimits.portal.resentWebhooks;
    const statuses = [];
    for (let i = 0; i < max + 1; i++) statuses.push((await resend(customer, batchId)).status);
    expect(statuses).toEqual([...Array(max).fill(200), 429]);
    expect(outside.hooks).toHaveLength(max + 1);
  });

  it('is refused for a batch that was deleted, that names no address, or that is not the account’s', async () => {
    const { customer, apiKey } = await customerWithKey();
    const batchId = await batchWithHook(apiKey);
    const silent = await batchWithHook(apiKey, '');
    expect(await (await resend(customer, silent)).json()).toMatchObject({ code: 'no_webhook' });
    const stranger = await registered();
    const refused = await resend(stranger, batchId);
    const unknown = await resend(
      stranger,
      newId('batch', Date.now(), (n) => new Uint8Array(n)),
    );
    expect([refused.status, await refused.text()]).toEqual([404, await unknown.text()]);
    const sent = outside.hooks.length;
    const removed = await call(`/api/v1/batches/${batchId}`, { method: 'DELETE', headers: as({ apiKey }) });
    expect(removed.status).toBe(204);
    expect(await (await resend(customer, batchId)).json()).toMatchObject({ code: 'batch_deleted' });
    expect(outside.hooks).toHaveLength(sent);
  });
});

describe('a test event', () => {
  it('that cannot be noted is sent all the same, once', async () => {
    const { customer } = await customerWithKey();
    brokenCalls('HISTORY', (method) => (method === 'noteAttempt' ? 'never_arrives' : undefined));
    expect((await sendTest(customer, SECRET_URL)).status).toBe(200);
    expect(outside.hooks).toHaveLength(1);
  });

  it('is signed, says that it is a test, and is in the log', async () => {
    const { customer } = await customerWithKey();
    const answer = await sendTest(customer, SECRET_URL);
    expect(answer.status).toBe(200);
    const [hook] = outside.hooks;
    const { secret } = await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'));
    const told = new Webhook(secret).verify(hook?.body ?? '', hook?.headers ?? {});
    expect(told).toMatchObject({ test: true, images: [], charged_images: 0 });
    batchStatusSchema.parse(told);
    expect(await attemptsOf(customer, 1)).toMatchObject([{ sent_by: 'test', batch_id: null, outcome: 'delivered' }]);
  });

  it.each(['http://127.0.0.1/x', 'https://[::1]/', 'file:///etc/passwd', 'https://a:b@shop.com/', 'hooks'])(
    'to %s is refused, and nothing is sent',
    async (url) => {
      const { customer } = await customerWithKey();
      expect((await sendTest(customer, url)).status).toBe(400);
      expect(outside.hooks).toEqual([]);
    },
  );

  it('is bounded by the minute for each account', async () => {
    const { customer } = await customerWithKey();
    const { max } = edgeLimits.portal.testWebhooks;
    const statuses = [];
    for (let i = 0; i < max + 1; i++) statuses.push((await sendTest(customer, SECRET_URL)).status);
    expect(statuses).toEqual([...Array(max).fill(200), 429]);
    expect(outside.hooks).toHaveLength(max);
  });
});

it('an account sees no attempt of another, by list, by batch or by id', async () => {
  const { customer, apiKey } = await customerWithKey();
  const batchId = await batchWithHook(apiKey);
  const [row] = await attemptsOf(customer, 1);
  const stranger = await registered();
  for (const query of ['', `?batch_id=${batchId}`]) expect((await attempts(stranger, query)).rows).toEqual([]);
  expect((await stranger.call('GET', `/webhook-attempts/${row?.attempt_id}`)).status).toBe(404);
});
