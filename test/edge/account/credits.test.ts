import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  as,
  audited,
  bindings,
  call,
  createBatch,
  entriesOf,
  files,
  HERO,
  newAccount,
  newKey,
  problemOf,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => vi.restoreAllMocks());

const urls = (count: number) => ({
  images: Array.from({ length: count }, (_, i) => ({ input_url: `https://shop.example.org/${i}.jpg` })),
});

describe('too few credits', () => {
  it('for three files, with two left, is a 402 that changes nothing and leaves nothing', async () => {
    const account = await newAccount(2);
    const response = await upload(account, uploadForm(files(3)));
    expect(await problemOf(response)).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
      credits_required: 3,
      credits_available: 2,
    });
    expect(response.headers.get('x-credits-remaining')).toBe('2');
    expect(origin.jobs).toEqual([]);
    expect((await bindings.BUCKET.list()).objects).toEqual([]);
    expect((await entriesOf(account)).map((entry) => entry.kind)).toEqual(['grant']);
    expect((await upload(account, uploadForm(files(2)))).status).toBe(200);
  });

  it('for a batch of three URLs is the same 402', async () => {
    const account = await newAccount(2);
    expect(await problemOf(await createBatch(account, urls(3)))).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
    });
    expect((await entriesOf(account)).map((entry) => entry.kind)).toEqual(['grant']);
  });

  it('with none left is answered before the body is read', async () => {
    const account = await newAccount(0);
    const notMultipart = {
      method: 'POST',
      headers: as(account, { 'content-type': 'multipart/form-data; boundary=x' }),
      body: 'reading this would be a 400',
    };
    expect(await problemOf(await call(HERO, notMultipart))).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
    });
  });
});

describe('credits', () => {
  it('are never spent beyond the balance by uploads at once: every other answer is a 402', async () => {
    const account = await newAccount(7);
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(account, uploadForm(files(1)))));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(7).fill(200), ...Array(13).fill(402)]);
    expect(await audited(account)).toMatchObject({ available: 0, held: 0, spent: 7 });
    expect((await bindings.BUCKET.list({ prefix: 'results/' })).objects.length).toBeGreaterThanOrEqual(14);
  });

  it('are shared by all live keys of an account and untouched by its test keys', async () => {
    const account = await newAccount(1);
    const [live, test] = [await newKey(account, 'live'), await newKey(account, 'test')];
    expect((await upload(test, uploadForm(files(1)))).status).toBe(200);
    expect((await upload(live, uploadForm(files(1)))).status).toBe(200);
    expect((await upload(account, uploadForm(files(1)))).status).toBe(402);
    expect((await upload(test, uploadForm(files(1)))).status).toBe(200);
    expect(await audited(account)).toMatchObject({ available: 0, spent: 1 });
  });
});
