/** One try at a time owns the record of an Idempotency-Key; tries that lost it change nothing of another's. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Caller } from '../../../edge/account/authenticate.ts';
import { endClaim } from '../../../edge/batch/claim.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { failed } from '../../../edge/responses/answer.ts';
import { failure } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { resolveOptions } from '../../../shared/options.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  as,
  audited,
  bindings,
  call,
  createBatch,
  files,
  HERO,
  historyOf,
  historyStub,
  newAccount,
  photo,
  problemOf,
  sagaOf,
  storedKeys,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
beforeEach(async () => {
  fakeOrigin(shop().answer);
  account = await newAccount(10);
});
afterEach(() => void vi.restoreAllMocks());

const keyed = { 'idempotency-key': 'order' };
const newBatchId = (): string => newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)));
const later = (ms: number): Promise<void> =>
  runInDurableObject(historyStub(account.accountId), (history) => {
    const now = history.now();
    history.now = () => now + ms;
  });

/** An upload whose body stops after the first bytes, until `go`: then the rest comes, or it breaks off. */
const stalledUpload = async (form: FormData) => {
  const whole = new Request('https://x.example', { method: 'POST', body: form });
  const bytes = new Uint8Array(await whole.clone().arrayBuffer());
  let resume: (how: 'ends' | 'breaks') => void = () => {};
  const stalls = new Promise<'ends' | 'breaks'>((resolve) => {
    resume = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.slice(0, 250));
      if ((await stalls) === 'breaks') return controller.error(new Error('the client hung up'));
      controller.enqueue(bytes.slice(250));
      controller.close();
    },
  });
  const headers = as(account, { ...keyed, 'content-type': whole.headers.get('content-type') ?? '' });
  const answer = call(HERO, { method: 'POST', headers, body });
  await vi.waitFor(
    async () =>
      expect(
        await runInDurableObject(historyStub(account.accountId), (_history, state) =>
          state.storage.sql.exec(`select * from sqlite_master where name = 'idempotency'`).toArray(),
        ),
      ).toHaveLength(1),
    5_000,
  );
  await vi.waitFor(async () => {
    const begun = await runInDurableObject(
      historyStub(account.accountId),
      (_history, state) => state.storage.sql.exec('select 1 from idempotency').toArray().length,
    );
    expect(begun).toBe(1);
  }, 5_000);
  return { answer, go: resume };
};

it('a first try that stalls past its lease and breaks frees nothing of the second one, and a third replays it', async () => {
  const first = await stalledUpload(uploadForm(files(1)));
  await later(edgeLimits.idempotency.leaseMs);
  const second = await upload(account, uploadForm(files(1)), keyed);
  expect(second.status).toBe(200);
  first.go('breaks');
  await first.answer.catch(() => {});
  const third = await upload(account, uploadForm(files(1)), keyed);
  expect(third.headers.get('idempotent-replayed')).toBe('true');
  expect(await third.json()).toEqual(await second.json());
  expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
});

it('a first try that goes on after it was taken over opens nothing, and deletes its own inputs only', async () => {
  const first = await stalledUpload(uploadForm(files(1)));
  await later(edgeLimits.idempotency.leaseMs);
  const second = (await (await upload(account, uploadForm(files(1)), keyed)).json()) as { batch_id: string };
  first.go('ends');
  expect(await problemOf(await first.answer)).toMatchObject({ status: 409, code: 'idempotency_in_flight' });
  expect(await audited(account)).toMatchObject({ spent: 1, held: 0, entries: 3 });
  expect(await storedKeys(`inputs/${second.batch_id}/`)).toHaveLength(1);
});

const resolved = resolveOptions({});
if (!resolved.ok) throw new Error('defaults do not resolve');

it('a retry with five images for three, after a try that died asking for its hold, leaves no hold behind', async () => {
  const batchId = newBatchId();
  await historyOf(account).beginRequest({ keyId: account.keyId, idempotencyKey: 'order', batchId, owner: 'req_dead' });
  await later(edgeLimits.idempotency.leaseMs);
  const answer = await createBatch(account, { images: photoUrls(5) }, keyed);
  expect(answer.status).toBe(202);
  const late = {
    batchId,
    accountId: account.accountId,
    keyId: account.keyId,
    requestId: 'req_dead',
    fingerprint: 'three images',
    mode: 'live',
    options: resolved.value,
    webhookUrl: null,
    style: 'batch',
    deadlineAtMs: Date.now() + limits.batch.deadlineMs,
    images: [0, 1, 2].map((i) => ({
      originalName: `${i}`,
      filename: `${i}`,
      inputUrl: `https://photos.shop.com/${i}`,
    })),
  } as const;
  // The dead try's own call arrives at last.
  expect(await sagaOf(batchId).open(late)).toEqual({ result: 'given_up' });
  await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ spent: 5, held: 0 }), 15_000);
});

it('a retry within 20 s of the death of a first try succeeds, and runs what that one had opened', async () => {
  const batchId = newBatchId();
  const form = () => uploadForm(files(2));
  const asked = await upload(account, form(), keyed);
  const { batch_id } = (await asked.json()) as { batch_id: string };
  const fingerprint = (await sagaOf(batch_id).snapshot())?.fingerprint ?? '';
  await historyOf(account).beginRequest({ keyId: account.keyId, idempotencyKey: 'died', batchId, owner: 'req_dead' });
  for (const index of [0, 1]) await bindings.BUCKET.put(`inputs/${batchId}/000${index}`, photo());
  await sagaOf(batchId).open({
    batchId,
    accountId: account.accountId,
    keyId: account.keyId,
    requestId: 'req_dead',
    fingerprint,
    mode: 'live',
    options: resolved.value,
    webhookUrl: null,
    style: 'upload',
    deadlineAtMs: Date.now() + limits.upload.waitMsMax,
    images: ['a.jpg', 'b.jpg'].map((name) => ({ originalName: name, filename: name, inputUrl: null })),
  });
  expect((await upload(account, form(), { 'idempotency-key': 'died' })).status).toBe(409);
  await later(20_000 - 1_000);
  const answer = await upload(account, form(), { 'idempotency-key': 'died' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ batch_id: batchId, processed_count: 2 });
  expect(await audited(account)).toMatchObject({ spent: 4, held: 0 });
});

it('a retry for whose body there is no room leaves the batch of the try that died to the next one', async () => {
  const batchId = newBatchId();
  const record = (owner: string, id = newBatchId()) => ({
    keyId: account.keyId,
    idempotencyKey: 'order',
    batchId: id,
    owner,
  });
  const idempotency = historyOf(account);
  await idempotency.beginRequest(record('req_dead', batchId));
  await later(edgeLimits.idempotency.leaseMs);
  expect(await idempotency.beginRequest(record('req_2'))).toEqual({ result: 'taken_over', batchId });
  const claim = { batchId, record: record('req_2', batchId), resumes: true, stop: () => {} };
  const caller = { account: { idempotency } } as unknown as Caller;
  const refused = { answer: failed(failure('not_ready')) };
  await endClaim(caller, claim, { requestId: 'req_2', batchId, idempotencyKey: 'order' }, Promise.resolve(refused));
  expect(await idempotency.beginRequest(record('req_3'))).toEqual({ result: 'taken_over', batchId });
});

it('a record from before there were owners can be taken over, and its request may still end it', async () => {
  const batchId = newBatchId();
  const old = { keyId: account.keyId, idempotencyKey: 'order', batchId } as never;
  expect(await historyOf(account).beginRequest(old)).toEqual({ result: 'fresh' });
  expect(await historyOf(account).renewRequest(old)).toBe(true);
  await later(edgeLimits.idempotency.leaseMs);
  expect((await upload(account, uploadForm(files(1)), keyed)).status).toBe(200);
  expect(await historyOf(account).renewRequest(old)).toBe(false);
  await historyOf(account).dropRequest(old);
  expect((await upload(account, uploadForm(files(1)), keyed)).headers.get('idempotent-replayed')).toBe('true');
  expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
});

/** An upload whose body stalls, once it has renewed its lease some times: every 20 ms. */
const renewingUpload = async () => {
  const { History } = await import('../../../edge/account/history/history.ts');
  const renewed = vi.spyOn(History.prototype, 'renewRequest');
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) =>
    real(callback, ms === edgeLimits.idempotency.renewEveryMs ? 20 : ms)) as never);
  const first = await stalledUpload(uploadForm(files(1)));
  await vi.waitFor(() => expect(renewed.mock.calls.length).toBeGreaterThan(2), 5_000);
  return { first, renewed };
};

it('a try renews its lease while its body comes in', async () => {
  const { first } = await renewingUpload();
  first.go('ends');
  expect((await first.answer).status).toBe(200);
});

it('a try that hangs renews its lease no longer than a try may last, and its retry takes over', async () => {
  const { first, renewed } = await renewingUpload();
  const began = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => began + edgeLimits.idempotency.renewForMsMax);
  let before = -1;
  await vi.waitFor(
    () => {
      const calls = renewed.mock.calls.length;
      const isOver = calls === before;
      before = calls;
      expect(isOver).toBe(true);
    },
    { timeout: 5_000, interval: 200 },
  );
  clock.mockRestore();
  await later(edgeLimits.idempotency.renewForMsMax + edgeLimits.idempotency.leaseMs);
  expect((await upload(account, uploadForm(files(1)), keyed)).status).toBe(200);
  first.go('ends');
  expect((await first.answer).status).toBe(409);
  expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
});
