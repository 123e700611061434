/** Stores that take a call and never answer: whoever waits is told in bounded time, and charged for nothing. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { photoUrls, shop } from '../batch/shop.ts';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin } from '../support/origin.ts';
import {
  audited,
  bindings,
  call,
  createBatch,
  files,
  newAccount,
  photo,
  problemOf,
  sagaStub,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

const { callMsMax } = edgeLimits.objects;
const { answerMsMax } = edgeLimits.objectCall;
const { sendMsMax } = edgeLimits.queue;

let account: TestAccount;
beforeEach(async () => {
  fakeOrigin(shop().answer);
  account = await newAccount(10);
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => void vi.restoreAllMocks());

/** Waits of these lengths are over at once; all others stay. */
const soon = (...lengthsMs: readonly number[]): void => {
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) =>
    real(callback, lengthsMs.includes(ms) ? 20 : ms)) as never);
};
const never = (): Promise<never> => new Promise(() => {});

const keyed = { 'idempotency-key': 'k' };
const unchanged = { available: 10, held: 0, spent: 0 };
const charged = { available: 9, held: 0, spent: 1 };

/** A file that goes into the store in two parts. */
const largeFile = () => ({ name: 'large.jpg', bytes: photo('jpg', edgeLimits.spool.blockBytes + 1) });

describe('an upload whose input the store of files takes and never confirms', () => {
  it.each([
    ['a small one', 'put', () => files(1)],
    ['one in parts, at its beginning', 'createMultipartUpload', () => [largeFile()]],
  ] as const)('%s: 503, uncharged, and the retry with its key is answered at once', async (_what, method, made) => {
    soon(callMsMax);
    const write = vi.spyOn(bindings.BUCKET, method).mockImplementation(never);
    const refused = await upload(account, uploadForm(made()), keyed);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([503, 'not_ready']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await audited(account)).toMatchObject(unchanged);
    write.mockRestore();
    expect((await upload(account, uploadForm(made()), keyed)).status).toBe(200);
    expect(await audited(account)).toMatchObject(charged);
  });

  it('one in parts, at a part: the same', async () => {
    soon(callMsMax);
    const real = bindings.BUCKET.createMultipartUpload.bind(bindings.BUCKET);
    const begin = vi.spyOn(bindings.BUCKET, 'createMultipartUpload').mockImplementation(async (...args) => {
      const made = await real(...args);
      return { ...made, uploadPart: never, abort: () => made.abort() } as unknown as R2MultipartUpload;
    });
    const refused = await upload(account, uploadForm([largeFile()]), keyed);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([503, 'not_ready']);
    begin.mockRestore();
    expect((await upload(account, uploadForm([largeFile()]), keyed)).status).toBe(200);
    expect(await audited(account)).toMatchObject(charged);
  });
});

describe('a batch object that takes a call and never answers', () => {
  it.each([
    ['its opening, which is then given up', 'open', 503, 'not_ready'],
    ['and what became of it', 'giveUp', 503, 'outcome_unknown'],
  ])('%s: the answer says which', async (_what, last, status, code) => {
    soon(answerMsMax);
    brokenCalls('SAGA', (method) => (method === 'open' || method === last ? 'silent' : undefined));
    const refused = await upload(account, uploadForm(files(1)), keyed);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([status, code]);
    vi.restoreAllMocks();
    fakeOrigin(shop().answer);
    expect((await upload(account, uploadForm(files(1)), keyed)).status).toBe(200);
    expect(await audited(account)).toMatchObject(charged);
  });
});

it('a download whose file the store does not give is answered 503, not kept waiting', async () => {
  const made = await upload(account, uploadForm(files(1)));
  const { results } = (await made.json()) as { results: { clean_url: string }[] };
  const url = results[0]?.clean_url ?? '';
  soon(callMsMax);
  const head = vi.spyOn(bindings.BUCKET, 'head').mockImplementation(never);
  expect((await call(url)).status).toBe(503);
  head.mockRestore();
  const read = vi.spyOn(bindings.BUCKET, 'get').mockImplementation(never);
  expect((await call(url)).status).toBe(503);
  read.mockRestore();
  expect((await call(url)).status).toBe(200);
});

it('a batch whose queue takes its images and never confirms is handed over again, and charged once', async () => {
  soon(sendMsMax);
  const send = vi.spyOn(bindings.JOBS, 'sendBatch').mockImplementationOnce(never);
  const accepted = await createBatch(account, { images: photoUrls(1) });
  expect(accepted.status).toBe(202);
  const { batch_id } = (await accepted.json()) as { batch_id: string };
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1), 5_000);
  await runInDurableObject(sagaStub(batch_id), (saga) => {
    const now = saga.now();
    saga.now = () => now + edgeLimits.batch.redispatchAfterMs;
  });
  await runDurableObjectAlarm(sagaStub(batch_id));
  await vi.waitFor(async () => expect(await audited(account)).toMatchObject(charged), 15_000);
  expect(send.mock.calls.length).toBeGreaterThan(1);
});
