/** Revoking a key ends its open batches and its links, whatever is killed or lost on the way. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { batchStatusSchema } from '../../../shared/api.ts';
import { newId } from '../../../shared/ids.ts';
import type { JobRequest } from '../../../shared/job.ts';
import { limits } from '../../../shared/limits.ts';
import { resolveOptions } from '../../../shared/options.ts';
import type { KeyCreated, LogDetail, LogPage } from '../../../shared/portal-api.ts';
import { photoUrls, type Shop, shop } from '../batch/shop.ts';
import { accountIdOf, answerOf, registered } from '../portal/customer.ts';
import { brokenCalls } from '../support/network.ts';
import { type Deed, type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  accountStub,
  as,
  audited,
  call,
  createBatch,
  files,
  HERO,
  ledgerOf,
  newAccount,
  newKey,
  problemOf,
  revokeKey,
  sagaOf,
  sagaStub,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
let outside: Shop;
let origin: FakeOrigin;
beforeEach(async () => {
  outside = shop();
  origin = fakeOrigin(outside.answer);
  account = await newAccount(200);
});
afterEach(() => void vi.restoreAllMocks());

const IMAGES = 100;
const hook = 'https://hooks.shop.com/packshot';

/** From the tenth job on, nodes keep jobs until `finish`. */
const busyNodes = () => {
  let finish = (): void => {};
  const finished = new Promise<Deed>((resolve) => {
    finish = () => resolve('complete');
  });
  const kept: JobRequest[] = [];
  let taken = 0;
  origin.script = (job) => {
    if (++taken <= 10) return 'complete';
    kept.push(job);
    return finished;
  };
  return { kept, finish };
};

const runningBatch = async (): Promise<{ batchId: string; nodes: ReturnType<typeof busyNodes> }> => {
  const nodes = busyNodes();
  const answer = await createBatch(account, { images: photoUrls(IMAGES), webhook_url: hook });
  expect(answer.status).toBe(202);
  const { batch_id: batchId } = (await answer.json()) as { batch_id: string };
  await vi.waitFor(() => expect(nodes.kept.length).toBeGreaterThan(3), 15_000);
  return { batchId, nodes };
};

const ended = async (batchId: string) =>
  vi.waitFor(async () => {
    const batch = await sagaOf(batchId).snapshot();
    expect(batch?.completedAtMs).not.toBeNull();
    if (!batch) throw new Error('no batch');
    return batch;
  }, 20_000);

const revocations = (): Promise<number> =>
  runInDurableObject(
    accountStub(account.accountId),
    (_account, state) => state.storage.sql.exec('select 1 from revocation').toArray().length,
  );
/** Lets the account's clock run to its next round and fires its alarm. */
const nextRound = async (): Promise<void> => {
  await runInDurableObject(accountStub(account.accountId), (object) => {
    const now = object.now();
    object.now = () => now + edgeLimits.revocation.roundCapMs;
  });
  await runDurableObjectAlarm(accountStub(account.accountId));
};

/** What every one of these batches comes to: what was begun is charged, nothing else, and the webhook says why. */
const expectEndedByRevocation = async (batchId: string): Promise<void> => {
  const batch = await ended(batchId);
  const completed = batch.images.filter(({ outcome }) => outcome?.status === 'completed').length;
  const stopped = batch.images.filter(
    ({ outcome }) => outcome?.status === 'failed' && outcome.code === 'batch_stopped',
  );
  expect(batch.endReason).toBe('key_revoked');
  expect(completed).toBeGreaterThanOrEqual(10);
  expect(stopped.length).toBeGreaterThan(IMAGES / 4);
  expect(completed + stopped.length).toBe(IMAGES);
  await vi.waitFor(async () => {
    expect(await audited(account)).toMatchObject({ available: 200 - completed, held: 0, spent: completed });
  }, 15_000);
  await vi.waitFor(() => expect(outside.hooks).toHaveLength(1), 15_000);
  const [{ headers, body } = { headers: {}, body: '' }] = outside.hooks;
  const { secret } = await accountOf(account).webhookSecret();
  const told = batchStatusSchema.parse(new Webhook(secret).verify(body, headers));
  expect(told).toMatchObject({ status: 'completed_with_errors', end_reason: 'key_revoked' });
  expect(body).not.toContain('/downloads/');
};

describe('revoking a key while its batch of 100 runs', () => {
  it('voids what was not begun, settles what was, and says why in status and webhook', async () => {
    const { batchId, nodes } = await runningBatch();
    await revokeKey(account);
    await vi.waitFor(async () => expect((await sagaOf(batchId).snapshot())?.endReason).toBe('key_revoked'), 5_000);
    const meanwhile = await sagaOf(batchId).snapshot();
    expect(meanwhile).toMatchObject({ status: 'processing', counts: { queued: 0 } });
    expect(meanwhile?.counts.processing).toBeGreaterThan(3);
    const calls = origin.jobs.length;
    nodes.finish();
    await expectEndedByRevocation(batchId);
    expect(origin.jobs.length - calls).toBeLessThanOrEqual(edgeLimits.batch.concurrencyMax);
    expect(await revocations()).toBe(0);
  });

  it('does so when the answer of the revocation is lost', async () => {
    const { batchId, nodes } = await runningBatch();
    brokenCalls('ACCOUNT', (method, calls) => (method === 'revokeKey' && calls === 1 ? 'lost' : undefined));
    expect(await (await revokeKey(account)).json()).toEqual({ result: 'already_revoked' });
    await vi.waitFor(async () => expect((await sagaOf(batchId).snapshot())?.endReason).toBe('key_revoked'), 5_000);
    nodes.finish();
    await expectEndedByRevocation(batchId);
  });

  it.each(['never_arrives', 'lost'] as const)(
    'does so when the edge is reset between the revocation and the end of the batch, its first calls %s',
    async (mishap) => {
      const { batchId, nodes } = await runningBatch();
      const saga = sagaStub(batchId);
      brokenCalls('SAGA', (method, calls) =>
        method === 'endForKey' && calls <= edgeLimits.objectCall.triesMax ? mishap : undefined,
      );
      await revokeKey(account);
      await vi.waitFor(async () => {
        const { rounds } = await runInDurableObject(accountStub(account.accountId), (_account, state) =>
          state.storage.sql.exec<{ rounds: number }>('select rounds from revocation').one(),
        );
        expect(rounds).toBe(1);
      }, 10_000);
      await evictDurableObject(accountStub(account.accountId));
      await evictDurableObject(saga);
      await nextRound();
      await vi.waitFor(async () => expect((await sagaOf(batchId).snapshot())?.endReason).toBe('key_revoked'), 5_000);
      nodes.finish();
      await expectEndedByRevocation(batchId);
      await vi.waitFor(async () => expect(await revocations()).toBe(0));
    },
  );

  it('leaves the batches of other keys alone', async () => {
    const other = await newKey(account);
    const { batchId, nodes } = await runningBatch();
    await revokeKey(other);
    await vi.waitFor(async () => expect(await revocations()).toBe(0));
    nodes.finish();
    expect(await ended(batchId)).toMatchObject({ status: 'completed', endReason: null });
    expect(await audited(account)).toMatchObject({ available: 100, held: 0, spent: IMAGES });
  });
});

describe('a batch that was ended', () => {
  it('begins nothing again: an image whose runner died, or that no node took, fails and costs nothing', async () => {
    const batchId = newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)));
    const options = resolveOptions({});
    if (!options.ok) throw new Error('defaults do not resolve');
    const opened = await sagaOf(batchId).open({
      batchId,
      accountId: account.accountId,
      keyId: account.keyId,
      requestId: 'req_1',
      fingerprint: 'f',
      mode: 'live',
      options: options.value,
      webhookUrl: null,
      style: 'batch',
      deadlineAtMs: Date.now() + limits.batch.deadlineMs,
      images: [0, 1, 2].map((i) => ({ originalName: `${i}`, filename: `${i}`, inputUrl: `https://busy.test/${i}` })),
    });
    expect(opened.result).toBe('opened');
    // The consumer must not take the images first.
    origin.script = () => ({ busy: 100 });
    const started = [];
    for (const index of [0, 1, 2]) {
      const { result } = await sagaOf(batchId).start(index);
      started.push(result);
    }
    expect(await sagaOf(batchId).endForKey(account.keyId)).toBe('ended');
    expect(await sagaOf(batchId).endForKey(account.keyId)).toBe('ended');
    await sagaOf(batchId).postpone(0, Date.now() + 1_000, 'wait');
    await runInDurableObject(sagaStub(batchId), (saga) => {
      const now = saga.now();
      saga.now = () => now + edgeLimits.batch.redispatchAfterMs;
    });
    expect(await sagaOf(batchId).start(1)).not.toMatchObject({ result: 'run' });
    await runDurableObjectAlarm(sagaStub(batchId));
    const batch = await ended(batchId);
    expect(started).toContain('run');
    expect(batch.images.map(({ outcome }) => outcome?.status === 'failed' && outcome.code)).toEqual(
      Array(3).fill('batch_stopped'),
    );
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ available: 200, held: 0, spent: 0 }));
  });
});

describe('a request that came in before its key was revoked', () => {
  it('and asks for its credits after that is refused as revoked, and holds nothing', async () => {
    const form = uploadForm(files(2));
    const whole = new Request('https://x.example', { method: 'POST', body: form });
    const bytes = new Uint8Array(await whole.clone().arrayBuffer());
    let resume = (): void => {};
    const waits = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.slice(0, 250));
        await waits;
        controller.enqueue(bytes.slice(250));
        controller.close();
      },
    });
    const headers = as(account, { 'content-type': whole.headers.get('content-type') ?? '' });
    const answer = call(HERO, { method: 'POST', headers, body });
    await vi.waitFor(async () => expect((await accountOf(account).listKeys())[0]?.lastUsedAtMs).not.toBeNull());
    await revokeKey(account);
    resume();
    expect(await problemOf(await answer)).toMatchObject({ status: 401, code: 'key_revoked' });
    expect(await audited(account)).toMatchObject({ available: 200, held: 0, entries: 1 });
    expect(await ledgerOf(account).holds()).toEqual([]);
  });
});

describe('links of a revoked key', () => {
  const made = async (key: { readonly apiKey: string } = account) => {
    const answer = await upload(key, uploadForm(files(1)));
    const { batch_id, results } = (await answer.json()) as {
      batch_id: string;
      results: { clean_url: string; preview_url: string }[];
    };
    const [result] = results;
    if (!result) throw new Error('no result');
    return { batchId: batch_id, urls: [result.clean_url, result.preview_url] };
  };

  it('that nobody has fetched yet are dead at once, those fetched before within a minute', async () => {
    const [fetched, fresh] = [await made(), await made()];
    for (const url of fetched.urls) expect((await call(url)).status).toBe(200);
    await revokeKey(account);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(
      () => now + limits.downloads.deadWithinMs - edgeLimits.links.cachedSeconds * 1_000,
    );
    for (const url of [...fetched.urls, ...fresh.urls]) {
      for (const method of ['GET', 'HEAD']) expect((await call(url, { method })).status).toBe(410);
      expect(await problemOf(await call(url))).toMatchObject({ code: 'download_revoked' });
      expect((await call(url, { headers: { 'if-none-match': '*' } })).status).toBe(410);
      expect((await call(url, { headers: { range: 'bytes=0-1' } })).status).toBe(410);
    }
  });

  it('are dead, and the owner of the account still gets what was paid for, in the portal', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    await accountOf({ accountId }).grant({ id: 'g', credits: 5, reason: 'promotion' });
    const { key, secret } = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'k', mode: 'live' }));
    const { urls } = await made({ apiKey: secret });
    await customer.call('POST', `/keys/${key.key_id}/revoke`, {});
    for (const url of urls) expect((await call(url)).status).toBe(410);
    const [row] = (await answerOf<LogPage>(customer.call('GET', '/logs'))).rows;
    const { images } = await answerOf<LogDetail>(customer.call('GET', `/logs/${row?.request_id}`));
    for (const url of [images[0]?.download_url, images[0]?.preview_url])
      expect((await call(url ?? '')).status).toBe(200);
  });

  it('are not served while nobody can say whether the key is good', async () => {
    const { urls } = await made();
    brokenCalls('SAGA', (method) => (method === 'owner' ? 'refused' : undefined));
    for (const url of urls) expect(await problemOf(await call(url))).toMatchObject({ status: 503, code: 'not_ready' });
    vi.restoreAllMocks();
    for (const url of urls) expect((await call(url)).status).toBe(200);
  });
});
