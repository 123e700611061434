/** `input_authorization`: which requests carry it, where it lies meanwhile, and that nothing tells it. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import { batchCreatedSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  accountStub,
  as,
  audited,
  bindings,
  call,
  createBatch,
  newAccount,
  photo,
  problemOf,
  sagaOf,
  sagaStub,
  type TestAccount,
} from '../support/service.ts';
import { shop } from './shop.ts';

const TOKEN = 'of-the-private-shop';
const AUTHORIZATION = `Bearer ${TOKEN}`;
const url = (name: string) => `https://photos.shop.com/${name}.jpg`;
const WEBHOOK = 'https://hooks.shop.com/done';

type Sent = { readonly url: string; readonly authorization: string | null };
let origin: FakeOrigin;
let account: TestAccount;
/** Every request to the outside, name resolution included. */
let sent: Sent[];
let atPhoto: (url: string) => Promise<unknown>;
let outside: ReturnType<typeof shop>;
let printed: string;
beforeEach(async () => {
  outside = shop();
  sent = [];
  printed = '';
  atPhoto = async () => undefined;
  for (const kind of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, kind).mockImplementation((...words: unknown[]) => {
      printed += JSON.stringify(words);
    });
  origin = fakeOrigin(async (at, init) => {
    sent.push({ url: at, authorization: new Headers(init.headers).get('authorization') });
    if (at.startsWith('https://photos.')) await atPhoto(at);
    return outside.answer(at, init);
  });
  account = await newAccount(20);
});
afterEach(() => {
  expect(printed).not.toContain(TOKEN);
  vi.restoreAllMocks();
});

const photosSent = (): Sent[] => sent.filter(({ url: at }) => at.startsWith('https://photos.'));
const created = async (response: Response): Promise<string> => {
  expect(response.status).toBe(202);
  return batchCreatedSchema.parse(await response.json()).batch_id;
};
const statusOf = async (batchId: string): Promise<{ text: string; status: string }> => {
  const response = await call(`/api/v1/service-hero/status/${batchId}?wait=20`, { headers: as(account) });
  const text = await response.text();
  return { text, status: JSON.parse(text).status };
};

/** Every row of every table of an object's database. */
const rowsIn = (stub: DurableObjectStub): Promise<Record<string, unknown[]>> =>
  runInDurableObject(stub as DurableObjectStub<never>, (_, { storage: { sql } }: DurableObjectState) => {
    const tables = [
      ...sql.exec(`select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'`),
    ];
    return Object.fromEntries(tables.map(({ name }) => [name, [...sql.exec(`select * from "${name}"`)]]));
  });
const sealedIn = async (batchId: string): Promise<unknown[]> =>
  (await rowsIn(sagaStub(batchId)))['inputAuthorization'] ?? [];

describe('the photos of a private store', () => {
  it('are fetched with the header of their batch, and nothing else outside gets it', async () => {
    const images = ['a', 'b', 'c'].map((name) => ({ input_url: url(name) }));
    const batchId = await created(
      await createBatch(account, { images, input_authorization: AUTHORIZATION, webhook_url: WEBHOOK }),
    );
    expect((await statusOf(batchId)).status).toBe('completed');
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
    expect(photosSent().map((one) => one.authorization)).toEqual([AUTHORIZATION, AUTHORIZATION, AUTHORIZATION]);
    const others = sent.filter(({ url: at }) => !at.startsWith('https://photos.'));
    expect(others.length).toBeGreaterThan(0);
    expect(JSON.stringify(others)).not.toContain(TOKEN);
    expect(JSON.stringify(origin.jobs)).not.toContain(TOKEN);
  });

  it('lies sealed while the batch runs, and is gone when its last image is decided', async () => {
    let look: () => void = () => {};
    const looked = new Promise<void>((resolve) => {
      look = resolve;
    });
    atPhoto = () => looked;
    const images = ['a', 'b'].map((name) => ({ input_url: url(name) }));
    const batchId = await created(await createBatch(account, { images, input_authorization: AUTHORIZATION }));
    const sealed = JSON.stringify(await rowsIn(sagaStub(batchId)));
    expect(sealed).not.toContain(TOKEN);
    expect(sealed).not.toContain(btoa(AUTHORIZATION).slice(0, 20));
    expect(await sealedIn(batchId)).toHaveLength(1);
    look();
    expect((await statusOf(batchId)).status).toBe('completed');
    expect(await sealedIn(batchId)).toEqual([]);
    expect(photosSent().every(({ authorization }) => authorization === AUTHORIZATION)).toBe(true);
  });

  it('is gone with a batch whose images all failed, and with one that was never opened', async () => {
    origin.script = () => failing('unreadable_image');
    const body = { input_url: url('a'), input_authorization: AUTHORIZATION };
    const failed = await created(await createBatch(account, body));
    expect((await statusOf(failed)).status).toBe('failed');
    expect(await sealedIn(failed)).toEqual([]);
    const poor = await newAccount(0);
    expect((await createBatch(poor, body)).status).toBe(402);
    expect(JSON.stringify(await rowsIn(accountStub(poor.accountId)))).not.toContain('eyJ');
  });

  it('is told by no answer, webhook, log, object of the account or stored file', async () => {
    const body = { images: [{ input_url: url('a') }], input_authorization: AUTHORIZATION, webhook_url: WEBHOOK };
    const keyed = { 'idempotency-key': 'private-1' };
    const response = await createBatch(account, body, keyed);
    const answer = await response.clone().text();
    const batchId = await created(response);
    const { text } = await statusOf(batchId);
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
    const events = await call('/api/v1/webhook-events', { headers: as(account) });
    const snapshot = JSON.stringify(await sagaOf(batchId).snapshot());
    const rows = JSON.stringify([await rowsIn(sagaStub(batchId)), await rowsIn(accountStub(account.accountId))]);
    const listed = await bindings.BUCKET.list({ include: ['customMetadata', 'httpMetadata'] });
    for (const told of [
      answer,
      text,
      await events.text(),
      snapshot,
      rows,
      JSON.stringify(outside.hooks),
      JSON.stringify(listed),
    ]) {
      expect(told).not.toContain(TOKEN);
      expect(told).not.toContain('sealedAuthorization');
    }
  });

  it('are the same request under one Idempotency-Key with a token that was renewed', async () => {
    const body = { images: [{ input_url: url('a') }], input_authorization: AUTHORIZATION };
    const keyed = { 'idempotency-key': 'private-2' };
    const batchId = await created(await createBatch(account, body, keyed));
    for (const other of [body, { ...body, input_authorization: 'Bearer renewed' }])
      expect(await created(await createBatch(account, other, keyed))).toBe(batchId);
    const others = { ...body, images: [{ input_url: url('b') }] };
    expect(await problemOf(await createBatch(account, others, keyed))).toMatchObject({ code: 'idempotency_mismatch' });
    expect((await statusOf(batchId)).status).toBe('completed');
    expect(photosSent().map(({ authorization }) => authorization)).toEqual([AUTHORIZATION]);
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('are not fetched without it where it cannot be opened', async () => {
    const start = BatchSaga.prototype.start;
    vi.spyOn(BatchSaga.prototype, 'start').mockImplementation(async function (this: BatchSaga, index) {
      const reply = await start.call(this, index);
      if (reply.result !== 'run') return reply;
      return { ...reply, job: { ...reply.job, sealedAuthorization: 'sealed with a secret that is gone' } };
    });
    const body = { images: [{ input_url: url('a') }], input_authorization: AUTHORIZATION };
    const batchId = await created(await createBatch(account, body));
    await vi.waitFor(() => expect(printed).toContain('input_authorization_unreadable'));
    const image = async () => (await sagaOf(batchId).snapshot())?.images[0];
    await vi.waitFor(async () => expect(await image()).toMatchObject({ status: 'queued', outcome: null }));
    expect(photosSent()).toEqual([]);
    expect(await audited(account)).toMatchObject({ spent: 0, held: 1 });
  });

  it('are checked with it, free', async () => {
    const response = await call('/api/v1/check', {
      method: 'POST',
      headers: as(account, { 'content-type': 'application/json' }),
      body: JSON.stringify({ input_url: url('a'), input_authorization: AUTHORIZATION }),
    });
    expect(response.status).toBe(200);
    expect(photosSent()).toEqual([{ url: url('a'), authorization: AUTHORIZATION }]);
    expect(await response.text()).not.toContain(TOKEN);
  });
});

describe('a request is refused before anything is held or fetched', () => {
  const images = (...urls: string[]) => ({ images: urls.map((input_url) => ({ input_url })) });
  it.each([
    ['two hosts', images(url('a'), 'https://other.shop.com/a.jpg'), AUTHORIZATION],
    ['two ports', images(url('a'), 'https://photos.shop.com:8443/a.jpg'), AUTHORIZATION],
    ['no TLS', images('http://photos.shop.com/a.jpg'), AUTHORIZATION],
    ['no address', images('photos of the shop'), AUTHORIZATION],
    ['a private address', images('https://10.0.0.1/a.jpg'), AUTHORIZATION],
    ['a line break', images(url('a')), `${AUTHORIZATION}\r\nX-Other: 1`],
    ['a letter beyond ASCII', images(url('a')), `${AUTHORIZATION}é`],
    ['a space at its end', images(url('a')), `${AUTHORIZATION} `],
    ['no characters', images(url('a')), ''],
    ['too many characters', images(url('a')), `${AUTHORIZATION}${'x'.repeat(limits.inputUrl.authorizationCharsMax)}`],
  ])('that has it with %s', async (_, body, authorization) => {
    const response = await createBatch(account, { ...body, input_authorization: authorization });
    const text = await response.clone().text();
    expect(await problemOf(response)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ field: 'input_authorization', code: 'invalid_request' }],
    });
    expect(text).not.toContain(TOKEN);
    expect(sent.filter(({ url: at }) => !at.includes('dns-query'))).toEqual([]);
    expect(await audited(account)).toMatchObject({ held: 0, spent: 0 });
  });

  it('that sends files, which are not fetched', async () => {
    const form = new FormData();
    form.append('input_authorization', AUTHORIZATION);
    form.append('files', new Blob([photo()]), 'a.jpg');
    const response = await call('/api/v1/service-hero', { method: 'POST', headers: as(account), body: form });
    expect(await problemOf(response)).toMatchObject({ code: 'invalid_options' });
  });
});
