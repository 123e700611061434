/** What its owner deletes is gone from the store and from every table; the ledger keeps its amounts. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { batchStatusSchema } from '../../../shared/api.ts';
import { errors } from '../../../shared/errors.ts';
import { imageId, newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { accountIdOf, answerOf, PASSWORD, registered } from '../portal/customer.ts';
import { brokenCalls } from '../support/network.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  audited,
  bindings,
  call,
  createBatch,
  HERO,
  historyOf,
  historyStub,
  newAccount,
  newKey,
  photo,
  problemOf,
  sagaOf,
  sagaStub,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';
import { type Shop, shop } from './shop.ts';

let account: TestAccount;
let outside: Shop;
let origin: FakeOrigin;
beforeEach(async () => {
  outside = shop();
  origin = fakeOrigin(outside.answer);
  account = await newAccount(100);
});
afterEach(() => void vi.restoreAllMocks());

/** In every name and address that the tests send. */
const MARK = 'zebra';
const names = (count: number) => Array.from({ length: count }, (_, i) => `${MARK}-${i}.jpg`);
const photos = (count: number) => uploadForm(names(count).map((name) => ({ name, bytes: photo() })));
const urls = (count: number) => names(count).map((name) => ({ input_url: `https://photos.shop.com/${name}` }));

type Uploaded = {
  readonly batch_id: string;
  readonly results: readonly { readonly image_id: string; readonly clean_url: string; readonly preview_url: string }[];
};
const uploaded = async (count = 1, headers: Record<string, string> = {}): Promise<Uploaded> => {
  const answer = await upload(account, photos(count), headers);
  expect(answer.status).toBe(200);
  return answer.json();
};
const batchOf = async (count: number, more: object = {}): Promise<string> => {
  const answer = await createBatch(account, { images: urls(count), ...more });
  const { batch_id } = (await answer.json()) as { batch_id: string };
  await vi.waitFor(async () => expect((await sagaOf(batch_id).snapshot())?.completedAtMs).not.toBeNull(), 20_000);
  return batch_id;
};
const remove = (path: string, key: { readonly apiKey: string } = account): Promise<Response> =>
  call(`/api/v1/batches/${path}`, { method: 'DELETE', headers: as(key) });
const status = (batchId: string, key: { readonly apiKey: string } = account): Promise<Response> =>
  call(`${HERO}/status/${batchId}`, { headers: as(key) });

const allScopes = ['images:write', 'batches:read', 'account:read', 'admin'] as const;
/** By a key of the account that may. */
const removeData = async (of: TestAccount = account): Promise<Response> => {
  const admin = await newKey(of, 'live', { scopes: [...allScopes] });
  return call('/api/v1/account/data', { method: 'DELETE', headers: as(admin) });
};

/** All rows of all tables of an object. */
const tables = (stub: DurableObjectStub): Promise<Record<string, unknown[]>> =>
  runInDurableObject(stub, (_object, { storage }) => {
    const named = storage.sql
      .exec<{ name: string }>(
        "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
      )
      .toArray();
    return Object.fromEntries(
      named.map(({ name }) => [name, storage.sql.exec(`select * from "${name}"`).toArray() as unknown[]]),
    );
  });
/** Tables that say something that is looked for. */
const tablesWith = async (text: string, ...stubs: DurableObjectStub[]): Promise<string[]> => {
  const all = await Promise.all(stubs.map(tables));
  return all.flatMap((one) =>
    Object.entries(one).flatMap(([name, rows]) => (JSON.stringify(rows).includes(text) ? [name] : [])),
  );
};
const objectsOf = async (batchId: string): Promise<string[]> =>
  (await bindings.BUCKET.list()).objects.map(({ key }) => key).filter((key) => key.includes(batchId));
const all = (batchId: string): DurableObjectStub[] => [
  accountStub(account.accountId),
  historyStub(account.accountId),
  sagaStub(batchId),
];
const logged = (rows: number) =>
  vi.waitFor(async () => expect((await historyOf(account).requests()).rows).toHaveLength(rows), 5_000);

/** Lets the saga's clock run on and fires its alarm. */
const sagaAfter = async (batchId: string, ms: number): Promise<void> => {
  await runInDurableObject(sagaStub(batchId), (saga) => {
    const now = saga.now();
    saga.now = () => now + ms;
  });
  await runDurableObjectAlarm(sagaStub(batchId));
};

describe('a batch that its owner deletes', () => {
  it('leaves no object and no row but amounts and its id', async () => {
    const { batch_id, results } = await uploaded(3, { 'idempotency-key': 'order' });
    await logged(1);
    expect((await objectsOf(batch_id)).length).toBe(9);
    expect(await tablesWith(MARK, ...all(batch_id))).toEqual(expect.arrayContaining(['requestPart', 'idempotency']));
    expect(await tablesWith('aaaaaaaa', ...all(batch_id))).toContain('image');
    expect((await remove(batch_id)).status).toBe(204);
    expect(await objectsOf(batch_id)).toEqual([]);
    for (const trace of [MARK, 'aaaaaaaa', 'downloads', 'product_box', 'matte', 'shop.com'])
      expect(await tablesWith(trace, ...all(batch_id)), trace).toEqual([]);
    await logged(1);
    const left = (await historyOf(account).requests()).rows;
    expect(left.map(({ method }) => method)).toEqual(['DELETE']);
    expect(origin.erased).toEqual(results.map(({ image_id }) => image_id));
    expect(await audited(account)).toMatchObject({ available: 97, held: 0, spent: 3 });
    const days = await historyOf(account).requestsByDay(0);
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
  });

  it('answers 410 from then on: its status, its links, its repetition, which opens and charges nothing', async () => {
    const { batch_id, results } = await uploaded(1, { 'idempotency-key': 'order' });
    const [{ clean_url, preview_url } = { clean_url: '', preview_url: '' }] = results;
    for (const url of [clean_url, preview_url]) expect((await call(url)).status).toBe(200);
    expect((await remove(batch_id)).status).toBe(204);
    expect(await problemOf(await status(batch_id))).toMatchObject({ status: 410, code: 'batch_deleted' });
    for (const url of [clean_url, preview_url])
      expect(await problemOf(await call(url))).toMatchObject({ status: 410, code: 'result_deleted' });
    for (const body of [photos(1), photos(2)]) {
      const again = await upload(account, body, { 'idempotency-key': 'order' });
      expect(await problemOf(again)).toMatchObject({ status: 410, code: 'batch_deleted' });
    }
    expect((await remove(batch_id)).status).toBe(204);
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0, entries: 3 });
    expect(await storedKeys('inputs/')).toEqual([]);
  });

  it('answers a repetition whose first answer was never kept with 410 too', async () => {
    const { batch_id } = await uploaded(1, { 'idempotency-key': 'lost' });
    await runInDurableObject(historyStub(account.accountId), (_history, { storage }) => {
      storage.sql.exec('update idempotency set answer = null, leaseUntilMs = 0');
    });
    expect((await remove(batch_id)).status).toBe(204);
    for (let i = 0; i < 2; i++) {
      const again = await upload(account, photos(1), { 'idempotency-key': 'lost' });
      expect(await problemOf(again)).toMatchObject({ status: 410, code: 'batch_deleted' });
    }
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0, entries: 3 });
  });

  it('loses the files of every marketplace, and a webhook that is still due has nothing to tell', async () => {
    outside.hookStatuses = [500];
    const options = { marketplaces: ['amazon', 'walmart', 'zalando'] };
    const batchId = await batchOf(2, { options, webhook_url: 'https://hooks.shop.com/x' });
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1), 5_000);
    expect((await objectsOf(batchId)).length).toBe(2 * (1 + 3 + 1));
    expect((await remove(batchId)).status).toBe(204);
    expect(await objectsOf(batchId)).toEqual([]);
    await sagaAfter(batchId, 60_000);
    expect(outside.hooks).toHaveLength(1);
  });

  it('is refused while images are on their way, and nothing of it is lost', async () => {
    let finish = (): void => {};
    const held = new Promise<'complete'>((resolve) => {
      finish = () => resolve('complete');
    });
    origin.script = () => held;
    const answer = await createBatch(account, { images: urls(2) });
    const { batch_id } = (await answer.json()) as { batch_id: string };
    expect(await problemOf(await remove(batch_id))).toMatchObject({ status: 409, code: 'images_in_progress' });
    expect(await problemOf(await remove(`${batch_id}/images/${imageId(batch_id, 0)}`))).toMatchObject({ status: 409 });
    expect(await problemOf(await removeData(account))).toMatchObject({ status: 409, code: 'images_in_progress' });
    finish();
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ spent: 2, held: 0 }), 15_000);
    expect((await objectsOf(batch_id)).length).toBe(6);
  });

  it('can be deleted only by the key that made it', async () => {
    const { batch_id } = await uploaded();
    const [sibling, stranger] = [await newKey(account), await newAccount(1)];
    for (const other of [sibling, stranger]) {
      expect(await problemOf(await remove(batch_id, other))).toMatchObject({ status: 404, code: 'batch_not_found' });
      expect(await problemOf(await status(batch_id, other))).toMatchObject({ code: 'batch_not_found' });
    }
    const unknown = newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)));
    for (const wrong of [unknown, 'bat_x', `${batch_id}x`])
      expect(await problemOf(await remove(wrong))).toMatchObject({ status: 404 });
    for (const wrong of [imageId(batch_id, 1), imageId(unknown, 0), 'img_x'])
      expect(await problemOf(await remove(`${batch_id}/images/${wrong}`))).toMatchObject({ code: 'image_not_found' });
    expect((await objectsOf(batch_id)).length).toBe(3);
    expect((await remove(batch_id)).status).toBe(204);
    for (const other of [sibling, stranger])
      expect(await problemOf(await status(batch_id, other))).toMatchObject({ code: 'batch_not_found' });
  });
});

describe('a deletion that is broken off', () => {
  it('answers 202 while origin is away, is 410 at once, and is done by the alarm after a restart', async () => {
    const { batch_id, results } = await uploaded(2);
    origin.takesErasures = false;
    const answer = await remove(batch_id);
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ success: true, batch_id, status: 'deleting' });
    expect(await problemOf(await status(batch_id))).toMatchObject({ status: 410 });
    expect((await remove(batch_id)).status).toBe(202);
    await evictDurableObject(sagaStub(batch_id));
    origin.takesErasures = true;
    await sagaAfter(batch_id, edgeLimits.removal.retryCapMs);
    expect(origin.erased).toEqual(results.map(({ image_id }) => image_id));
    expect((await remove(batch_id)).status).toBe(204);
  });

  it('is done although the history does not hear of it at first', async () => {
    const { batch_id } = await uploaded(1, { 'idempotency-key': 'order' });
    const { calls } = brokenCalls('HISTORY', (method, n) =>
      method === 'eraseBatch' && n <= edgeLimits.objectCall.triesMax ? 'never_arrives' : undefined,
    );
    expect((await remove(batch_id)).status).toBe(202);
    expect(calls.get('eraseBatch')).toBe(edgeLimits.objectCall.triesMax);
    vi.restoreAllMocks();
    origin = fakeOrigin(outside.answer);
    await sagaAfter(batch_id, edgeLimits.removal.retryCapMs);
    expect(await tablesWith(MARK, ...all(batch_id))).toEqual([]);
    expect((await remove(batch_id)).status).toBe(204);
  });

  it('is bounded, and goes on by the alarm, for a batch of 1,000 images', async () => {
    account = await newAccount(1_000);
    const batchId = await batchOf(1);
    for (let i = 0; i < 2_500; i += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, j) =>
          bindings.BUCKET.put(`results/${batchId}/${String(i + j).padStart(4, '0')}.jpg`, 'x'),
        ),
      );
    const listed: number[] = [];
    const list = bindings.BUCKET.list.bind(bindings.BUCKET);
    vi.spyOn(bindings.BUCKET, 'list').mockImplementation(async (options) => {
      const page = await list(options);
      listed.push(page.objects.length);
      return page;
    });
    expect((await remove(batchId)).status).toBe(202);
    for (let i = 0; i < 3; i++) await runDurableObjectAlarm(sagaStub(batchId));
    expect(Math.max(...listed)).toBe(edgeLimits.removal.objectsPerCall);
    vi.restoreAllMocks();
    fakeOrigin(outside.answer);
    expect((await remove(batchId)).status).toBe(204);
    expect((await list({ prefix: `results/${batchId}/` })).objects).toEqual([]);
  }, 60_000);

  it('deletes once more what a node that was late stored after it', async () => {
    const { batch_id } = await uploaded();
    expect((await remove(batch_id)).status).toBe(204);
    await bindings.BUCKET.put(`results/${batch_id}/0000.jpg`, 'late');
    expect(edgeLimits.removal.againAfterMs).toBeGreaterThan(
      edgeLimits.objects.presignedSeconds * 1_000 + limits.upload.waitMsMax,
    );
    await sagaAfter(batch_id, edgeLimits.removal.againAfterMs);
    expect(await objectsOf(batch_id)).toEqual([]);
    const { removal } = await tables(sagaStub(batch_id));
    expect(removal).toEqual([]);
  });
});

describe('a single result that its owner deletes', () => {
  it('is gone with its input and preview, while the others stay', async () => {
    const { batch_id, results } = await uploaded(3, { 'idempotency-key': 'order' });
    const gone = results[1];
    if (!gone) throw new Error('no second result');
    expect((await remove(`${batch_id}/images/${gone.image_id}`)).status).toBe(204);
    expect((await objectsOf(batch_id)).filter((key) => key.includes('/0001'))).toEqual([]);
    expect(await objectsOf(batch_id)).toHaveLength(6);
    for (const url of [gone.clean_url, gone.preview_url])
      expect(await problemOf(await call(url))).toMatchObject({ status: 410, code: 'result_deleted' });
    expect(await tablesWith(`${MARK}-1`, ...all(batch_id))).toEqual([]);
    expect(await tablesWith(`${MARK}-2`, ...all(batch_id))).toContain('requestPart');
    const shown = batchStatusSchema.parse(await (await status(batch_id)).json());
    expect(shown.images.map(({ status: state }) => state)).toEqual(['completed', 'deleted', 'completed']);
    expect(shown).toMatchObject({ progress: { completed: 3 }, charged_images: 3, refunded_images: 0 });
    const again = await upload(account, photos(3), { 'idempotency-key': 'order' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const replayed = (await again.json()) as { results: { image_id: string; error?: { code: string } }[] };
    expect(replayed.results.map(({ error }) => error?.code)).toEqual([undefined, 'result_deleted', undefined]);
    expect(origin.erased).toEqual([gone.image_id]);
    expect(await audited(account)).toMatchObject({ spent: 3, held: 0 });
    expect((await remove(`${batch_id}/images/${gone.image_id}`)).status).toBe(204);
    expect((await remove(batch_id)).status).toBe(204);
    expect(await objectsOf(batch_id)).toEqual([]);
  });
});

describe('a single image that its owner deletes, of an upload of which every file failed', () => {
  it('loses its name in the answer that is kept, which goes on saying why', async () => {
    origin.script = () => failing('no_product_found');
    const first = await problemOf(await upload(account, photos(2), { 'idempotency-key': 'order' }));
    expect(first).toMatchObject({ status: 422, code: 'no_product_found' });
    await logged(1);
    const batchId = (await historyOf(account).requests()).rows[0]?.batchId ?? '';
    expect(await tablesWith(`${MARK}-1`, ...all(batchId))).toContain('idempotency');
    expect((await remove(`${batchId}/images/${imageId(batchId, 1)}`)).status).toBe(204);
    expect(await tablesWith(`${MARK}-1`, ...all(batchId))).toEqual([]);
    const again = await upload(account, photos(2), { 'idempotency-key': 'order' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const told = (await again.json()) as { code: string; errors: { field: string; code: string; detail: string }[] };
    expect(told.code).toBe('no_product_found');
    const { title: detail } = errors.no_product_found;
    expect(told.errors).toEqual([0, 1].map((i) => ({ field: `files[${i}]`, code: 'no_product_found', detail })));
  });
});

describe("the deletion of an account's data", () => {
  const finished = () =>
    vi.waitFor(async () => expect((await accountOf(account).erasure())?.doneAtMs).not.toBeNull(), 15_000);

  it('takes the batches of all keys and the log, and leaves the ledger', async () => {
    const other = await newKey(account, 'test');
    const first = await uploaded(2, { 'idempotency-key': 'order' });
    const second = (await (await upload(other, photos(1))).json()) as Uploaded;
    const third = await batchOf(2);
    await logged(3);
    expect((await removeData()).status).toBe(202);
    await finished();
    for (const id of [first.batch_id, second.batch_id, third]) {
      expect(await objectsOf(id)).toEqual([]);
      expect(await tablesWith(MARK, ...all(id))).toEqual([]);
      expect(await tablesWith('shop.com', ...all(id))).toEqual([]);
    }
    const again = await upload(account, photos(2), { 'idempotency-key': 'order' });
    expect(await problemOf(again)).toMatchObject({ status: 410, code: 'batch_deleted' });
    expect(await audited(account)).toMatchObject({ available: 96, held: 0, spent: 4 });
    const methods = (await historyOf(account).requests()).rows.map(({ method, status: code }) => `${method} ${code}`);
    expect(methods.toSorted()).toEqual(['DELETE 202', 'POST 410']);
  });

  it('is for a key with the scope admin, and not for any that makes images', async () => {
    const { batch_id } = await uploaded();
    const refused = await call('/api/v1/account/data', { method: 'DELETE', headers: as(account) });
    expect(await problemOf(refused)).toMatchObject({ status: 403, code: 'key_scope_missing' });
    expect((await objectsOf(batch_id)).length).toBe(3);
  });

  it('goes on after a restart, and leaves what came after it was asked for', async () => {
    const before = await uploaded();
    brokenCalls('SAGA', (method, n) => (method === 'remove' && n <= 4 ? 'lost' : undefined));
    expect((await removeData()).status).toBe(202);
    await vi.waitFor(async () => {
      const { erasure } = await tables(accountStub(account.accountId));
      expect(erasure?.[0]).toMatchObject({ tries: 1 });
    }, 10_000);
    vi.restoreAllMocks();
    fakeOrigin(outside.answer);
    await evictDurableObject(accountStub(account.accountId));
    const after = await uploaded();
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => Date.now() + edgeLimits.removal.retryCapMs;
    });
    await runDurableObjectAlarm(accountStub(account.accountId));
    await finished();
    expect(await objectsOf(before.batch_id)).toEqual([]);
    expect((await objectsOf(after.batch_id)).length).toBe(3);
  });

  it('is done when the last file is gone, and sets the alarm of a batch again that has none', async () => {
    const { batch_id } = await uploaded();
    vi.spyOn(bindings.BUCKET, 'list').mockRejectedValue(new Error('We encountered an internal error. (10001)'));
    expect((await removeData()).status).toBe(202);
    const tried = (tries: number) =>
      vi.waitFor(async () => {
        const { erasure } = await tables(accountStub(account.accountId));
        expect(erasure?.[0]).toMatchObject({ tries, doneAtMs: null });
      }, 10_000);
    await tried(1);
    vi.restoreAllMocks();
    fakeOrigin(outside.answer);
    expect((await objectsOf(batch_id)).length).toBe(3);
    await runInDurableObject(sagaStub(batch_id), (_saga, { storage }) => storage.deleteAlarm());
    const accountLater = async (ms: number): Promise<void> => {
      await runInDurableObject(accountStub(account.accountId), (object) => {
        object.now = () => Date.now() + ms;
      });
      await runDurableObjectAlarm(accountStub(account.accountId));
    };
    await accountLater(edgeLimits.removal.retryCapMs);
    await tried(2);
    await sagaAfter(batch_id, edgeLimits.removal.retryCapMs);
    expect(await objectsOf(batch_id)).toEqual([]);
    await accountLater(2 * edgeLimits.removal.retryCapMs);
    await finished();
  });

  it('can be asked for in the portal, with the password', async () => {
    const customer = await registered();
    account = { ...account, accountId: await accountIdOf(customer) };
    const { secret } = await answerOf<{ secret: string }>(customer.call('POST', '/keys', { label: 'k', mode: 'test' }));
    account = { ...account, apiKey: secret };
    const { batch_id } = await uploaded();
    expect((await customer.call('POST', '/account/data/delete', { password: 'wrong password' })).status).toBe(400);
    expect((await objectsOf(batch_id)).length).toBe(3);
    expect((await customer.call('POST', '/account/data/delete', { password: PASSWORD })).status).toBe(202);
    await finished();
    expect(await objectsOf(batch_id)).toEqual([]);
    expect(await answerOf(customer.call('GET', '/account/data'))).toMatchObject({ done_at: expect.any(String) });
  });

  it('comes with the deletion of the account itself', async () => {
    const customer = await registered();
    account = { ...account, accountId: await accountIdOf(customer) };
    const { secret } = await answerOf<{ secret: string }>(customer.call('POST', '/keys', { label: 'k', mode: 'test' }));
    account = { ...account, apiKey: secret };
    const { batch_id } = await uploaded();
    const gone = await customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 });
    expect(gone.status).toBe(200);
    await finished();
    expect(await objectsOf(batch_id)).toEqual([]);
  });
});

const HOOK = 'https://hooks.shop.com/in';
const attemptsNoted = (rows: number) =>
  vi.waitFor(async () => expect((await historyOf(account).attempts()).rows).toHaveLength(rows), 5_000);

describe('the attempts at a webhook', () => {
  it('go with the batch that they told of', async () => {
    const batchId = await batchOf(2, { webhook_url: HOOK });
    await attemptsNoted(1);
    expect(await tablesWith('hooks.shop.com', ...all(batchId))).toContain('webhookAttempt');
    expect((await remove(batchId)).status).toBe(204);
    for (const trace of [MARK, 'hooks.shop.com']) expect(await tablesWith(trace, ...all(batchId)), trace).toEqual([]);
  });

  it('lose their bodies with one of its images, and go with the data of the account, tests among them', async () => {
    const batchId = await batchOf(2, { webhook_url: HOOK });
    await attemptsNoted(1);
    expect((await remove(`${batchId}/images/${imageId(batchId, 0)}`)).status).toBe(204);
    const [row] = (await historyOf(account).attempts()).rows;
    expect((await historyOf(account).attempt(row?.attemptId ?? ''))?.body).toBeNull();
    await historyOf(account).noteAttempt({ ...row!, attemptId: `${row?.attemptId}0`, batchId: null, body: '{}' });
    expect((await removeData()).status).toBe(202);
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(accountStub(account.accountId));
      expect((await accountOf(account).erasure())?.doneAtMs).not.toBeNull();
    }, 10_000);
    expect((await historyOf(account).attempts()).rows).toEqual([]);
  });
});
