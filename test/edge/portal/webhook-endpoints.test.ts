/** Endpoints in the portal: managed by their owner alone, checked, written down, tested, and sent to again. */
import { runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointDisabledTeller } from '../../../edge/portal/endpoint-disabled.ts';
import { balanceLowSchema } from '../../../shared/api.ts';
import { webhookEventId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type {
  AuditPage,
  KeyCreated,
  WebhookAttemptDetail,
  WebhookAttemptPage,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookSecret,
} from '../../../shared/portal-api.ts';
import { photoUrls, type Shop, shop } from '../batch/shop.ts';
import { fakeOrigin } from '../support/origin.ts';
import { accountStub, bindings, createBatch, historyStub, ledgerOf, sagaOf } from '../support/service.ts';
import { accountIdOf, answerOf, type Customer, mailsTo, PASSWORD, registered } from './customer.ts';

const SECRET_URL = 'https://hooks.shop.com/in?token=s3cret';

let outside: Shop;
let customer: Customer;
let accountId: string;
beforeEach(async () => {
  outside = shop();
  fakeOrigin(outside.answer);
  customer = await registered();
  accountId = await accountIdOf(customer);
});
afterEach(() => void vi.restoreAllMocks());

const both = ['batch.completed', 'balance.low'];
const add = (body: object = {}) =>
  customer.call('POST', '/webhook-endpoints', { url: SECRET_URL, events: both, mode: 'live', ...body });
const added = async (body: object = {}): Promise<WebhookEndpoint> => {
  const answer = await add(body);
  expect(answer.status).toBe(201);
  return (await answer.json()) as WebhookEndpoint;
};
const list = async (of: Customer = customer): Promise<readonly WebhookEndpoint[]> =>
  (await answerOf<WebhookEndpointList>(of.call('GET', '/webhook-endpoints'))).endpoints;
const change = (id: string, body: object, of: Customer = customer) =>
  of.call('PATCH', `/webhook-endpoints/${id}`, body);
const audited = async (): Promise<(readonly [string, string | null])[]> =>
  (await answerOf<AuditPage>(customer.call('GET', '/audit'))).rows
    .filter(({ action }) => action.startsWith('webhooks.'))
    .map(({ action, detail }) => [action, detail]);
const attempts = async (query = ''): Promise<WebhookAttemptPage['rows']> =>
  (await answerOf<WebhookAttemptPage>(customer.call('GET', `/webhook-attempts${query}`))).rows;
const batch = async (): Promise<string> => {
  const { secret: apiKey } = await answerOf<KeyCreated>(
    customer.call('POST', '/keys', { label: 'Shop', mode: 'test' }),
  );
  const answer = await createBatch({ apiKey }, { images: photoUrls(1) });
  const { batch_id } = (await answer.json()) as { batch_id: string };
  expect((await sagaOf(batch_id).snapshot({ waitMs: 20_000 }))?.completedAtMs).not.toBeNull();
  return batch_id;
};
const hooksOf = (count: number) =>
  vi.waitFor(() => expect(outside.hooks).toHaveLength(count), { timeout: 8_000, interval: 20 });

describe('an endpoint', () => {
  it('is added, changed, disabled, enabled and removed, each in the audit log without what may be a secret', async () => {
    const made = await added();
    expect(made).toMatchObject({ url: SECRET_URL, mode: 'live', events: both, enabled: true, pending: 0 });
    expect(await list()).toEqual([made]);
    const changed = await change(made.endpoint_id, { events: ['balance.low'], url: 'https://hooks.shop.com/new' });
    expect(await changed.json()).toMatchObject({ events: ['balance.low'], url: 'https://hooks.shop.com/new' });
    const disabled = await (await change(made.endpoint_id, { enabled: false })).json();
    expect(disabled).toMatchObject({ enabled: false, disabled: { why: 'owner' } });
    expect(await (await change(made.endpoint_id, { enabled: true })).json()).toMatchObject({ enabled: true });
    for (let i = 0; i < 2; i++)
      expect((await customer.call('POST', `/webhook-endpoints/${made.endpoint_id}/remove`, {})).status).toBe(200);
    expect(await list()).toEqual([]);
    expect(await audited()).toEqual([
      ['webhooks.endpoint_removed', 'https://hooks.shop.com/new'],
      ['webhooks.endpoint_enabled', 'https://hooks.shop.com/new'],
      ['webhooks.endpoint_disabled', 'https://hooks.shop.com/new'],
      ['webhooks.endpoint_changed', 'https://hooks.shop.com/new'],
      ['webhooks.endpoint_added', 'live: https://hooks.shop.com/in?…'],
    ]);
    const mails = (await mailsTo(customer)).filter(({ subject }) => subject.includes('webhook endpoint'));
    expect(mails).toHaveLength(2);
    expect(JSON.stringify(mails)).not.toContain('s3cret');
  });

  it.each([
    [{ url: 'http://127.0.0.1/x' }, 400, 'invalid_request'],
    [{ url: 'https://[::1]/' }, 400, 'invalid_request'],
    [{ url: 'https://a:b@shop.com/' }, 400, 'invalid_request'],
    [{ url: 'hooks' }, 400, 'invalid_request'],
    [{ url: `https://shop.com/${'x'.repeat(limits.webhook.urlCharsMax)}` }, 400, 'invalid_request'],
    [{ events: [] }, 400, 'invalid_request'],
    [{ events: ['image.completed'] }, 400, 'invalid_request'],
    [{ mode: 'both' }, 400, 'invalid_request'],
    [{ mode: 'test' }, 400, 'invalid_request'],
    [{ more: 1 }, 400, 'invalid_request'],
  ])('with %j is refused, and so is one that is changed to it', async (body, status, code) => {
    const answer = await add(body);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
    expect(await list()).toEqual([]);
    if ('mode' in body) return;
    const { endpoint_id } = await added();
    expect((await change(endpoint_id, body)).status).toBe(400);
    expect(await list()).toMatchObject([{ url: SECRET_URL, events: both }]);
  });

  it('is one of five, with an address of its own', async () => {
    for (let i = 0; i < limits.webhookEndpoints.perAccountMax; i++) await added({ url: `https://hooks.shop.com/${i}` });
    expect(await (await add()).json()).toMatchObject({ code: 'too_many_endpoints' });
    const [first, second] = await list();
    const taken = await change(first?.endpoint_id ?? '', { url: second?.url });
    expect([taken.status, ((await taken.json()) as { code: string }).code]).toEqual([409, 'endpoint_exists']);
  });

  it('is nobody else’s', async () => {
    const { endpoint_id } = await added();
    const stranger = await registered();
    expect(await list(stranger)).toEqual([]);
    expect((await change(endpoint_id, { enabled: false }, stranger)).status).toBe(404);
    await stranger.call('POST', `/webhook-endpoints/${endpoint_id}/remove`, {});
    const test = await stranger.call('POST', '/webhook-attempts/test', { endpoint_id, event: 'balance.low' });
    expect(test.status).toBe(404);
    expect(await list()).toMatchObject([{ endpoint_id, enabled: true }]);
    expect(outside.hooks).toEqual([]);
  });
});

describe('a delivery to an endpoint', () => {
  it('is in the log under it, and is sent again to where the endpoint is now, with the same event id', async () => {
    outside.hookStatuses = [500, 200];
    const { endpoint_id } = await added({ mode: 'test', events: ['batch.completed'] });
    const batchId = await batch();
    await hooksOf(1);
    const [row] = await vi.waitFor(async () => {
      const found = await attempts(`?endpoint_id=${endpoint_id}`);
      expect(found).toMatchObject([
        { endpoint_id, event: 'batch.completed', batch_id: batchId, outcome: 'failed', sent_by: 'schedule' },
      ]);
      return found;
    });
    await vi.waitFor(async () =>
      expect(await list()).toMatchObject([{ pending: 1, failing_since: expect.any(String) }]),
    );
    await change(endpoint_id, { url: 'https://hooks.shop.com/moved' });
    const sent = await customer.call('POST', '/webhook-attempts/resend', { attempt_id: row?.attempt_id });
    expect(await sent.json()).toMatchObject({ attempt: { sent_by: 'resend', outcome: 'delivered', endpoint_id } });
    const [first, second] = outside.hooks;
    expect(second?.url).toBe('https://hooks.shop.com/moved');
    expect([first, second].map((hook) => hook?.headers['webhook-id'])).toEqual(Array(2).fill(webhookEventId(batchId)));
    // Accepted by hand: nothing is left to be sent by itself.
    expect(await list()).toMatchObject([{ pending: 0, failing_since: null }]);
    expect(await attempts('?endpoint_id=whe_00000000000000000000000000')).toEqual([]);
    expect((await customer.call('GET', '/webhook-attempts?endpoint_id=x')).status).toBe(400);
    const stranger = await registered();
    const refused = await stranger.call('POST', '/webhook-attempts/resend', { attempt_id: row?.attempt_id });
    expect(refused.status).toBe(404);
    await customer.call('POST', `/webhook-endpoints/${endpoint_id}/remove`, {});
    const removed = await customer.call('POST', '/webhook-attempts/resend', { attempt_id: row?.attempt_id });
    expect(await removed.json()).toMatchObject({ code: 'endpoint_removed' });
  });

  it('of a low balance is sent again with the same body', async () => {
    outside.hookStatuses = [500, 200];
    const { endpoint_id } = await added();
    await ledgerOf({ accountId }).grant({ id: 'first', credits: 10, reason: 'local' });
    await customer.call('POST', '/balance-alert', { level: 9 });
    const batchId = 'bat_01k9zq4v7m8n2p5r6s7t8v9w0x';
    await ledgerOf({ accountId }).hold({ batchId, images: 1 });
    await ledgerOf({ accountId }).resolve(batchId, [{ index: 0, as: 'posted' }]);
    await hooksOf(1);
    const [row] = await vi.waitFor(async () => {
      const found = await attempts(`?endpoint_id=${endpoint_id}`);
      expect(found).toMatchObject([{ event: 'balance.low', batch_id: null }]);
      return found;
    });
    const sent = await customer.call('POST', '/webhook-attempts/resend', { attempt_id: row?.attempt_id });
    expect(await sent.json()).toMatchObject({ attempt: { event: 'balance.low', outcome: 'delivered' } });
    expect(outside.hooks[1]?.body).toBe(outside.hooks[0]?.body);
    expect(outside.hooks[1]?.headers['webhook-id']).toBe(outside.hooks[0]?.headers['webhook-id']);
  });

  it('as a test is signed, says so, and is in the log under the endpoint', async () => {
    const { endpoint_id } = await added();
    const { secret } = await answerOf<WebhookSecret>(customer.call('GET', '/webhook-secret'));
    for (const event of both) {
      const sent = await customer.call('POST', '/webhook-attempts/test', { endpoint_id, event });
      expect(await sent.json()).toMatchObject({ attempt: { sent_by: 'test', outcome: 'delivered', event } });
    }
    const [ended, low] = outside.hooks.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
    expect(ended).toMatchObject({ test: true, images: [] });
    expect(low).toMatchObject({ test: true, type: 'balance.low' });
    balanceLowSchema.parse(low);
    const [row] = await attempts(`?endpoint_id=${endpoint_id}`);
    const shown = await answerOf<WebhookAttemptDetail>(customer.call('GET', `/webhook-attempts/${row?.attempt_id}`));
    expect(JSON.parse(shown.body ?? '')).toMatchObject({ test: true });
    const again = await customer.call('POST', '/webhook-attempts/resend', { attempt_id: row?.attempt_id });
    expect(again.status).toBe(404);
  });
});

describe('an endpoint that is dead', () => {
  it('is disabled, and its owner hears of it once: by one mail and one line of the audit log', async () => {
    outside.hookStatuses = [410];
    const { endpoint_id } = await added({ mode: 'test', events: ['batch.completed'] });
    await batch();
    await vi.waitFor(
      async () => expect(await list()).toMatchObject([{ endpoint_id, enabled: false, disabled: { why: 'gone' } }]),
      { timeout: 8_000, interval: 50 },
    );
    const told = async () => (await mailsTo(customer)).filter(({ subject }) => subject.endsWith('was disabled'));
    await vi.waitFor(async () => expect(await told()).toHaveLength(1));
    const [{ disabled } = { disabled: null }] = await list();
    // As after a crash between the mail and the note of it.
    const audit = async (): Promise<void> => {};
    const tell = endpointDisabledTeller(bindings, audit);
    const endpoint = { endpointId: endpoint_id, url: 'x', why: 'gone', atMs: Date.parse(disabled?.at ?? '') } as const;
    await tell(accountId, endpoint);
    expect(await told()).toHaveLength(1);
    expect((await told())[0]?.body).toContain('https://hooks.shop.com/in?…');
    expect(await audited()).toContainEqual(['webhooks.endpoint_disabled', 'answered 410: https://hooks.shop.com/in?…']);
  });

  it('is told of after a failure of the mail, and is given up in the end', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    outside.hookStatuses = [410];
    await bindings.DB.exec(
      `create trigger down before insert on outbox when new.once is not null begin select raise(abort, 'down'); end`,
    );
    await added({ mode: 'test', events: ['batch.completed'] });
    await batch();
    await vi.waitFor(async () => expect(await list()).toMatchObject([{ enabled: false }]), 8_000);
    const left = () =>
      runInDurableObject(historyStub(accountId), (_object, { storage }) =>
        storage.sql.exec('select tries from webhookHealth').toArray(),
      );
    await vi.waitFor(async () => expect(await left()).toEqual([{ tries: 1 }]));
    await bindings.DB.exec('drop trigger down');
    await runInDurableObject(historyStub(accountId), async (object) => {
      object.now = () => Date.now() + 10 * 60_000;
      await object.alarm();
    });
    expect(await left()).toEqual([]);
    const mails = (await mailsTo(customer)).filter(({ subject }) => subject.endsWith('was disabled'));
    expect(mails).toHaveLength(1);
  });
});

it('an account that is deleted has no endpoint, and nothing on its way to one', async () => {
  outside.hookStatuses = [500];
  await added({ mode: 'test', events: ['batch.completed'] });
  await batch();
  await hooksOf(1);
  const answer = await customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 });
  expect(answer.status).toBe(200);
  await vi.waitFor(async () => {
    const history = await runInDurableObject(historyStub(accountId), (_object, { storage }) =>
      storage.sql.exec('select * from webhookDelivery').toArray(),
    );
    const account = await runInDurableObject(accountStub(accountId), (_object, { storage }) => [
      ...storage.sql.exec('select * from webhookEndpoint').toArray(),
      ...storage.sql.exec('select * from webhookEvent').toArray(),
    ]);
    expect([history, account]).toEqual([[], []]);
  }, 8_000);
});
