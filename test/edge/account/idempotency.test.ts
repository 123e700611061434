import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, failing, fakeOrigin, withoutWaiting } from '../support/origin.ts';
import {
  audited,
  createBatch,
  files,
  historyOf,
  historyStub,
  ledgerOf,
  newAccount,
  newKey,
  photo,
  problemOf,
  sagaOf,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(10);
});
afterEach(() => vi.restoreAllMocks());

const keyed = (name: string) => ({ 'idempotency-key': name });
/** Lets time pass in the account's history. */
const later = (ms: number): Promise<void> =>
  runInDurableObject(historyStub(account.accountId), (history) => {
    const now = history.now();
    history.now = () => now + ms;
  });

describe('the same Idempotency-Key', () => {
  it('sent twice replays the answer and charges once', async () => {
    const first = await upload(account, uploadForm(files(2)), keyed('order-1'));
    const second = await upload(account, uploadForm(files(2)), keyed('order-1'));
    expect(second.status).toBe(200);
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(origin.jobs).toHaveLength(2);
    expect(await audited(account)).toMatchObject({ spent: 2 });
  });

  it('sent twice at once is answered by one and 409 by the other, and charged once', async () => {
    const answers = await Promise.all([
      upload(account, uploadForm(files(1)), keyed('order-2')),
      upload(account, uploadForm(files(1)), keyed('order-2')),
    ]);
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, 409]);
    const refused = answers.find((answer) => answer.status === 409);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it.each([
    ['another file', () => uploadForm([{ name: 'shoe.jpg', bytes: photo('jpg', 201) }])],
    ['another option', () => uploadForm(files(1), { format: 'png' })],
    ['one file more', () => uploadForm(files(2))],
  ])('with %s is a 422 and charges nothing more', async (_what, body) => {
    await upload(account, uploadForm(files(1)), keyed('order-3'));
    expect(await problemOf(await upload(account, body(), keyed('order-3')))).toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    });
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('of another API key is another request', async () => {
    const sibling = await newKey(account);
    await upload(account, uploadForm(files(1)), keyed('order-4'));
    expect(
      (await upload(sibling, uploadForm(files(1)), keyed('order-4'))).headers.get('idempotent-replayed'),
    ).toBeNull();
    expect(await audited(account)).toMatchObject({ spent: 2 });
  });

  it('replays a lasting failure, but lets a temporary one be tried again', async () => {
    origin.script = () => failing('no_product_found');
    const first = await problemOf(await upload(account, uploadForm(files(1)), keyed('wall')));
    const again = await problemOf(await upload(account, uploadForm(files(1)), keyed('wall')));
    expect(again).toEqual(first);
    expect(origin.jobs).toHaveLength(1);

    withoutWaiting();
    origin.script = () => 'vanish';
    expect((await upload(account, uploadForm(files(1)), keyed('down'))).status).toBe(503);
    origin.script = () => 'complete';
    expect((await upload(account, uploadForm(files(1)), keyed('down'))).status).toBe(200);
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('may be used again after a 402, once there are credits', async () => {
    const poor = await newAccount(1);
    expect((await upload(poor, uploadForm(files(2)), keyed('later'))).status).toBe(402);
    await ledgerOf(poor).grant({ id: 'top-up', credits: 1, reason: 'local' });
    expect((await upload(poor, uploadForm(files(2)), keyed('later'))).status).toBe(200);
  });

  it('is forgotten after a day', async () => {
    await upload(account, uploadForm(files(1)), keyed('daily'));
    await later(limits.idempotency.keptMs);
    expect((await upload(account, uploadForm(files(1)), keyed('daily'))).headers.get('idempotent-replayed')).toBeNull();
    expect(await audited(account)).toMatchObject({ spent: 2 });
  });

  it.each(['', 'k'.repeat(limits.idempotency.keyCharsMax + 1)])('of %j is refused', async (name) => {
    expect(await problemOf(await upload(account, uploadForm(files(1)), keyed(name)))).toMatchObject({
      status: 400,
      code: 'idempotency_key_invalid',
    });
  });

  it('makes one batch of two identical batch requests', async () => {
    const body = { images: [{ input_url: 'https://shop.example.org/a.jpg' }] };
    const [first, second] = [
      await createBatch(account, body, keyed('b')),
      await createBatch(account, body, keyed('b')),
    ];
    expect(first.status).toBe(202);
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(
      await problemOf(await createBatch(account, { ...body, options: { format: 'png' } }, keyed('b'))),
    ).toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('a retry after a crash', () => {
  /** A request that died: its record remains, whether or not its batch was opened. */
  const dies = async (name: string, batchId: string): Promise<void> =>
    void (await historyOf(account).beginRequest({
      keyId: account.keyId,
      idempotencyKey: name,
      batchId,
      owner: 'req_dead',
    }));

  it('is answered 409 while the first request may still be alive, then runs', async () => {
    await dies('crash', 'bat_01jd0000000000000000000001');
    expect((await upload(account, uploadForm(files(1)), keyed('crash'))).status).toBe(409);
    await later(edgeLimits.idempotency.leaseMs);
    expect((await upload(account, uploadForm(files(1)), keyed('crash'))).status).toBe(200);
    expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('answers from the batch that was charged already instead of charging again', async () => {
    const first = await upload(account, uploadForm(files(2)), keyed('lost-answer'));
    const { batch_id, results } = (await first.json()) as { batch_id: string; results: { image_id: string }[] };
    await runInDurableObject(
      historyStub(account.accountId),
      (_history, state) => void state.storage.sql.exec('update idempotency set answer = null'),
    );
    await later(edgeLimits.idempotency.leaseMs);
    const retry = await upload(account, uploadForm(files(2)), keyed('lost-answer'));
    expect(retry.status).toBe(200);
    const answer = (await retry.json()) as {
      batch_id: string;
      processed_count: number;
      results: { image_id: string }[];
    };
    expect(answer.batch_id).toBe(batch_id);
    expect(answer.results.map((result) => result.image_id)).toEqual(results.map((result) => result.image_id));
    expect(origin.jobs).toHaveLength(2);
    expect(await audited(account)).toMatchObject({ spent: 2, held: 0 });
  });

  it('with another body is a 422, though the first one died before its answer', async () => {
    await upload(account, uploadForm(files(1)), keyed('other'));
    await runInDurableObject(
      historyStub(account.accountId),
      (_history, state) => void state.storage.sql.exec('update idempotency set answer = null'),
    );
    await later(edgeLimits.idempotency.leaseMs);
    expect(await problemOf(await upload(account, uploadForm(files(2)), keyed('other')))).toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('of a batch request answers with the batch that was opened', async () => {
    const body = { images: [{ input_url: 'https://shop.example.org/a.jpg' }] };
    const first = (await (await createBatch(account, body, keyed('b-crash'))).json()) as { batch_id: string };
    await runInDurableObject(
      historyStub(account.accountId),
      (_history, state) => void state.storage.sql.exec('update idempotency set answer = null'),
    );
    await later(edgeLimits.idempotency.leaseMs);
    const retry = (await (await createBatch(account, body, keyed('b-crash'))).json()) as { batch_id: string };
    expect(retry.batch_id).toBe(first.batch_id);
    expect(await sagaOf(first.batch_id).snapshot()).toBeDefined();
  });
});
