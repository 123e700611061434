/** Calls between our objects fail by themselves: deployments and moved machines reset objects. Nobody pays for that. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { brokenCalls } from '../support/network.ts';
import { fakeOrigin, withoutWaiting } from '../support/origin.ts';
import {
  as,
  audited,
  call,
  createBatch,
  files,
  newAccount,
  problemOf,
  upload,
  uploadForm,
} from '../support/service.ts';
import { photoUrls, shop } from './shop.ts';

afterEach(() => void vi.restoreAllMocks());

type Unknown = { code: string; batch_id: string; status_url: string; retryable: boolean };
type Status = { charged_images: number; refunded_images: number; progress: { completed: number; failed: number } };

describe('one lost answer', () => {
  it('to record() in an upload of three files: the upload succeeds, and each is charged once', async () => {
    fakeOrigin();
    const account = await newAccount(10);
    brokenCalls('SAGA', (method, calls) => (method === 'record' && calls === 2 ? 'lost' : undefined));
    const answer = await upload(account, uploadForm(files(3)));
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { processed_count: number }).processed_count).toBe(3);
    expect(await audited(account)).toMatchObject({ available: 7, held: 0, spent: 3 });
  });

  it('to open() of a batch: it is accepted, runs and is charged once', async () => {
    fakeOrigin(shop().answer);
    const account = await newAccount(10);
    brokenCalls('SAGA', (method, calls) => (method === 'open' && calls === 1 ? 'lost' : undefined));
    const answer = await createBatch(account, { images: photoUrls(4) });
    expect(answer.status).toBe(202);
    const { batch_id } = (await answer.json()) as { batch_id: string };
    vi.restoreAllMocks();
    fakeOrigin(shop().answer);
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ held: 0, spent: 4 }), 15_000);
    expect(batch_id).toMatch(/^bat_/);
  });

  it.each([
    'authenticate',
    'hold',
    'settle',
    'releaseSlot',
    'beginRequest',
    'renewRequest',
    'finishRequest',
    'logRequest',
  ])('to %s() of the account: the upload is answered and charged once', async (lost) => {
    fakeOrigin();
    const account = await newAccount(10);
    brokenCalls('ACCOUNT', (method, calls) => (method === lost && calls === 1 ? 'lost' : undefined));
    expect((await upload(account, uploadForm(files(2)), { 'idempotency-key': lost })).status).toBe(200);
    vi.restoreAllMocks();
    expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2 });
  });

  it.each(['open', 'record', 'snapshot'])(
    'to %s() of the batch: the upload is answered and charged once',
    async (lost) => {
      fakeOrigin();
      const account = await newAccount(10);
      brokenCalls('SAGA', (method, calls) => (method === lost && calls === 1 ? 'lost' : undefined));
      expect((await upload(account, uploadForm(files(2)))).status).toBe(200);
      expect(await audited(account)).toMatchObject({ available: 8, held: 0, spent: 2 });
    },
  );
});

describe('a batch that cannot be reached after it was opened', () => {
  const statusOf = async (account: { apiKey: string }, url: string): Promise<Status> => {
    const answer = await call(url, { headers: as(account) });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Status;
  };

  it.each([
    [{}, false],
    [{ 'idempotency-key': 'order-1' }, true],
  ])(
    'is named in the answer of its upload, with its status; the same may be sent again only with a key (%j)',
    async (headers, retryable) => {
      fakeOrigin();
      withoutWaiting();
      const account = await newAccount(10);
      brokenCalls('SAGA', (method) =>
        method === 'record' ? 'lost' : method === 'snapshot' ? 'never_arrives' : undefined,
      );
      const problem = (await problemOf(await upload(account, uploadForm(files(3)), headers))) as unknown as Unknown;
      expect(problem).toMatchObject({ code: 'outcome_unknown', status: 503, retryable });
      vi.restoreAllMocks();
      fakeOrigin();
      const status = await statusOf(account, problem.status_url);
      expect(problem.status_url).toContain(problem.batch_id);
      const { spent } = await audited(account);
      expect(status.charged_images).toBe(spent);
      expect(status.progress.completed).toBe(spent);
    },
  );

  it('is named in the answer to its creation, and a retry with the key goes on with it', async () => {
    fakeOrigin(shop().answer);
    withoutWaiting();
    const account = await newAccount(10);
    const send = () => createBatch(account, { images: photoUrls(3) }, { 'idempotency-key': 'order-2' });
    brokenCalls('SAGA', (method) => (method === 'open' || method === 'giveUp' ? 'lost' : undefined));
    const first = await send();
    const problem = (await problemOf(first)) as unknown as Unknown;
    expect(problem).toMatchObject({ code: 'outcome_unknown', retryable: true });
    vi.restoreAllMocks();
    fakeOrigin(shop().answer);
    const again = await send();
    expect(again.status).toBe(202);
    expect(((await again.json()) as Unknown).batch_id).toBe(problem.batch_id);
    await vi.waitFor(async () => expect(await audited(account)).toMatchObject({ held: 0, spent: 3 }), 15_000);
  });
});

describe('an object that takes no calls', () => {
  it('of a batch is not called again; the answer is not_ready and nothing is charged, now or later', async () => {
    fakeOrigin(shop().answer);
    withoutWaiting();
    const account = await newAccount(10);
    const { calls } = brokenCalls('SAGA', (method) => (method === 'open' ? 'refused' : undefined));
    const answer = await createBatch(account, { images: photoUrls(3) });
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'not_ready', retryable: true });
    expect(calls.get('open')).toBe(1);
    expect(await audited(account)).toMatchObject({ available: 10, held: 0 });
  });

  it('of an account: the answer is not_ready', async () => {
    fakeOrigin();
    const account = await newAccount(10);
    brokenCalls('ACCOUNT', (method) => (method === 'authenticate' ? 'refused' : undefined));
    const answer = await upload(account, uploadForm(files(1)));
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'not_ready' });
  });
});
