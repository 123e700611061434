/** The feed for a developer who listens: every end once, in order, signed, of this account alone, and bounded. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchStatusSchema, webhookEventsSchema } from '../../../shared/api.ts';
import { limits } from '../../../shared/limits.ts';
import { photoUrls, type Shop, shop } from '../batch/shop.ts';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  call,
  createBatch,
  files,
  newAccount,
  newKey,
  problemOf,
  sagaOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
let outside: Shop;
beforeEach(async () => {
  outside = shop();
  fakeOrigin(outside.answer);
  account = await newAccount(50);
});
afterEach(() => void vi.restoreAllMocks());

const events = async (after?: string, wait = 0, key: { readonly apiKey: string } = account) => {
  const query = `wait=${wait}${after === undefined ? '' : `&after=${after}`}`;
  const answer = await call(`/api/v1/webhook-events?${query}`, { headers: as(key) });
  expect(answer.status).toBe(200);
  return webhookEventsSchema.parse(await answer.json());
};
const ended = async (key: { readonly apiKey: string } = account, more: object = {}): Promise<string> => {
  const answer = await createBatch(key, { images: photoUrls(1), ...more });
  const { batch_id } = (await answer.json()) as { batch_id: string };
  await vi.waitFor(async () => expect((await sagaOf(batch_id).snapshot())?.completedAtMs).not.toBeNull(), 10_000);
  return batch_id;
};
const batchesOf = (page: Awaited<ReturnType<typeof events>>): string[] =>
  page.events.map(({ body }) => batchStatusSchema.parse(JSON.parse(body)).batch_id);
/** What came since, however it is spread over answers. */
const all = async (after: string, count: number, key?: { readonly apiKey: string }): Promise<string[]> => {
  const found: string[] = [];
  let next = after;
  await vi.waitFor(async () => {
    const page = await events(next, 0, key);
    found.push(...batchesOf(page));
    next = page.next;
    expect(found.length).toBeGreaterThanOrEqual(count);
  }, 10_000);
  return found;
};

describe('the feed', () => {
  it('has each end once and in order, with or without a webhook_url, signed as its delivery is', async () => {
    const { next, secret, events: none } = await events();
    expect(none).toEqual([]);
    const first = await ended(account, { webhook_url: 'https://hooks.shop.com/x' });
    const second = await ended();
    await upload(account, uploadForm(files(1)));
    expect(await all(next, 2)).toEqual([first, second]);
    const page = await events(next);
    const [event] = page.events;
    if (!event) throw new Error('no event');
    expect(new Webhook(secret).verify(event.body, event.headers)).toMatchObject({ batch_id: first });
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1));
    expect(event.headers['webhook-id']).toBe(outside.hooks[0]?.headers['webhook-id']);
    expect((await events(page.next)).events).toEqual([]);
  });

  it("signs with a secret of the key's own, which is not the account's and stays the same", async () => {
    const { secret } = await events();
    const own = await accountOf(account).webhookSecret();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(own.secret);
    expect((await events()).secret).toBe(secret);
    expect((await events(undefined, 0, await newKey(account))).secret).not.toBe(secret);
  });

  it('answers a listener who waits as soon as a batch ends', async () => {
    const { next } = await events();
    const waiting = events(next, 25);
    const batchId = await ended();
    expect(batchesOf(await waiting)).toEqual([batchId]);
  });

  it('is of the account and the mode of its key alone', async () => {
    const [test, stranger] = [await newKey(account, 'test'), await newAccount(5)];
    const [live, tested, other] = [
      await events(),
      await events(undefined, 0, test),
      await events(undefined, 0, stranger),
    ];
    const [a, b, c] = [await ended(), await ended(test), await ended(stranger)];
    expect(await all(live.next, 1)).toEqual([a]);
    expect(await all(tested.next, 1, test)).toEqual([b]);
    expect(await all(other.next, 1, stranger)).toEqual([c]);
  });

  it('loses and doubles nothing when settlements are repeated, answers are lost and the account restarts', async () => {
    const { next } = await events();
    brokenCalls('ACCOUNT', (method, calls) => (method === 'settle' && calls % 2 === 1 ? 'lost' : undefined));
    const made = [await ended(), await ended(), await ended()];
    vi.restoreAllMocks();
    fakeOrigin(outside.answer);
    await evictDurableObject(accountStub(account.accountId));
    expect(await all(next, 3)).toEqual(made);
    expect(batchesOf(await events(next))).toEqual(made);
  });

  it('costs nothing while nobody listens, is bounded, and says when something is missing', async () => {
    await ended();
    const rows = () =>
      runInDurableObject(
        accountStub(account.accountId),
        (_account, { storage }) => storage.sql.exec<{ n: number }>('select count(*) as n from event').one().n,
      );
    expect(await rows()).toBe(0);
    const { next } = await events();
    const { keptMs, eventsMax } = limits.webhookEvents;
    await runInDurableObject(accountStub(account.accountId), (_account, { storage }) => {
      storage.sql.exec(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${eventsMax + 5})
         insert into event (batchId, mode, atMs) select 'bat_' || i, 'live', ${Date.now()} from n`,
      );
    });
    await ended();
    expect(await rows()).toBe(eventsMax);
    expect(await events(next)).toMatchObject({ missing: true });
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => Date.now() + keptMs + 60_000;
    });
    expect(await events('99999')).toMatchObject({ missing: true });
  });

  it('leaves out a batch that was deleted, and refuses what is no cursor', async () => {
    const { next } = await events();
    const gone = await ended();
    const kept = await ended();
    expect((await call(`/api/v1/batches/${gone}`, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    expect(await all(next, 1)).toEqual([kept]);
    for (const query of ['after=x', 'after=-1', 'wait=26', 'wait=x'])
      expect(await problemOf(await call(`/api/v1/webhook-events?${query}`, { headers: as(account) }))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
  });
});
