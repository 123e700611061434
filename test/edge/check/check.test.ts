/** `POST /api/v1/check`: what it says, what it costs (nothing), what it leaves behind (nothing). */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { isId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { heicHeads } from '../../support/image-heads.ts';
import { type Shop, shop } from '../batch/shop.ts';
import { counting } from '../support/costs.ts';
import { checked, croppedFinding, type FakeOrigin, fakeOrigin, withoutWaiting } from '../support/origin.ts';
import {
  accountStub,
  as,
  audited,
  bindings,
  call,
  entriesOf,
  files,
  historyOf,
  newAccount,
  newKey,
  photo,
  problemOf,
  type TestAccount,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
let outside: Shop;
let account: TestAccount;
beforeEach(async () => {
  outside = shop();
  origin = fakeOrigin(outside.answer);
  account = await newAccount(5);
});
afterEach(async () => {
  vi.restoreAllMocks();
  // After every check, whatever became of it: no job was run, no credit moved, no object is left.
  expect(origin.jobs).toEqual([]);
  expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0, pendingHolds: 0 });
  expect((await entriesOf(account)).map((entry) => entry.kind)).toEqual(['grant']);
  expect((await bindings.BUCKET.list()).objects).toEqual([]);
});

const PHOTO_URL = 'https://photos.shop.com/0.jpg';
const check = (body: FormData = uploadForm(files(1)), by: { readonly apiKey: string } = account): Promise<Response> =>
  call(paths.check, { method: 'POST', headers: as(by), body });
const checkUrl = (body: unknown, by: { readonly apiKey: string } = account): Promise<Response> =>
  call(paths.check, {
    method: 'POST',
    headers: as(by, { 'content-type': 'application/json' }),
    body: JSON.stringify(body),
  });

describe('a check', () => {
  it('of a file answers the findings, and costs nothing', async () => {
    const response = await check(uploadForm(files(1), { marketplace: 'walmart', canvas: '3000' }));
    expect(response.status).toBe(200);
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toEqual({
      success: true,
      request_id: response.headers.get('request-id'),
      check_id: origin.checks[0]?.check_id,
      original_name: 'shoe.jpg',
      marketplace: 'walmart',
      width: 1600,
      height: 1200,
      product_box: { x: 400, y: 0, width: 800, height: 1000 },
      matte_confidence: 0.91,
      findings: [croppedFinding],
      processing_ms: 33,
    });
    expect(isId('check', String(body['check_id']))).toBe(true);
    expect(response.headers.get('x-credits-charged')).toBe('0');
    expect(response.headers.get('x-credits-remaining')).toBe('5');
    expect(origin.checks[0]).toMatchObject({
      account_id: account.accountId,
      options: { marketplace: 'walmart', canvas: 3000, on_finding: 'warn' },
    });
    expect(origin.checkedBytes).toEqual([photo().length]);
  });

  it('of a URL answers the same', async () => {
    origin.checkScript = () => checked([]);
    const response = await checkUrl({ input_url: PHOTO_URL, filename: 'mug.jpg', options: { fill: 0.9 } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ original_name: 'mug.jpg', marketplace: 'amazon', findings: [] });
    expect(outside.photoHits).toEqual(['/0.jpg']);
    expect(origin.checks[0]?.options).toMatchObject({ fill: 0.9 });
    expect(origin.checkedBytes).toEqual([300]);
  });

  it('of a file of several blocks is read as one', async () => {
    const bytes = photo('jpg', edgeLimits.spool.blockBytes * 2 + 5);
    expect((await check(uploadForm([{ name: 'large.jpg', bytes }]))).status).toBe(200);
    expect(origin.checkedBytes).toEqual([bytes.length]);
  });

  it('lies under a prefix of its own while a node looks at it', async () => {
    let keys: string[] = [];
    origin.checkScript = async () => {
      keys = (await bindings.BUCKET.list()).objects.map(({ key }) => key);
      return checked();
    };
    await check();
    expect(keys).toEqual([`checks/${origin.checks[0]?.check_id}`]);
  });

  it('needs no credits, and takes test keys', async () => {
    const poor = await newAccount(0);
    expect((await check(undefined, poor)).status).toBe(200);
    expect((await check(undefined, await newKey(poor, 'test'))).status).toBe(200);
  });

  it('has a line in the request log, without images, credits or a batch', async () => {
    const response = await check();
    const id = response.headers.get('request-id') ?? '';
    await vi.waitFor(async () =>
      expect(await historyOf(account).request(id)).toMatchObject({
        path: paths.check,
        method: 'POST',
        status: 200,
        images: 0,
        credits: 0,
        batchId: null,
        errorCode: null,
        keyId: account.keyId,
      }),
    );
  });

  it('passes the caller’s trace on to the node', async () => {
    await call(paths.check, {
      method: 'POST',
      headers: as(account, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }),
      body: uploadForm(files(1)),
    });
    expect(origin.traces[0]).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-/);
  });
});

describe('a check is refused, and leaves nothing,', () => {
  it('without a key, and with a body of another kind', async () => {
    expect(await problemOf(await call(paths.check, { method: 'POST', body: uploadForm(files(1)) }))).toMatchObject({
      code: 'key_missing',
    });
    const text = await call(paths.check, {
      method: 'POST',
      headers: as(account, { 'content-type': 'text/plain' }),
      body: 'x',
    });
    expect(await problemOf(text)).toMatchObject({ status: 415, code: 'unsupported_content_type' });
  });

  it('with two files, or none', async () => {
    expect(await problemOf(await check(uploadForm(files(2))))).toMatchObject({
      status: 413,
      code: 'too_many_files',
      detail: 'A check takes one file',
    });
    expect(await problemOf(await check(uploadForm([])))).toMatchObject({ code: 'no_files' });
  });

  it.each([
    ['text renamed .jpg', Uint8Array.from('this is no picture', (c) => c.charCodeAt(0)), 'unsupported_media_type'],
    ['a HEIC', heicHeads['of an iPhone'], 'unsupported_heic'],
    ['an empty file', new Uint8Array(0), 'file_empty'],
  ])('with %s, naming the file', async (_name, bytes, code) => {
    const problem = await problemOf(await check(uploadForm([{ name: 'a.jpg', bytes }])));
    expect(problem.code).toBe(code);
    expect(problem.errors).toEqual([{ field: 'files[0]', code, detail: problem.detail }]);
  });

  it('with a file over the limit', async () => {
    const large = photo('jpg', limits.upload.fileBytesMax + 1);
    expect(await problemOf(await check(uploadForm([{ name: 'large.jpg', bytes: large }])))).toMatchObject({
      status: 413,
      code: 'file_too_large',
    });
  });

  it('with options that an image would be refused for', async () => {
    expect(await problemOf(await check(uploadForm(files(1), { colour: 'red' })))).toMatchObject({
      code: 'invalid_options',
    });
    expect(await problemOf(await checkUrl({ input_url: PHOTO_URL, options: { canvas: 5 } }))).toMatchObject({
      code: 'invalid_options',
    });
    expect(outside.photoHits).toEqual([]);
  });

  it.each([
    ['no URL', {}, 'input_url'],
    ['several images', { images: [{ input_url: PHOTO_URL }] }, 'images'],
    ['a webhook', { input_url: PHOTO_URL, webhook_url: 'https://hooks.shop.com/' }, 'webhook_url'],
  ])('with a JSON body of %s', async (_name, body, field) => {
    const problem = await problemOf(await checkUrl(body));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors?.map((row) => row.field)).toContain(field);
  });

  it('with a body that is not JSON, or too long', async () => {
    const send = (body: string): Promise<Response> =>
      call(paths.check, { method: 'POST', headers: as(account, { 'content-type': 'application/json' }), body });
    expect(await problemOf(await send('{'))).toMatchObject({ code: 'malformed_request' });
    const long = JSON.stringify({ input_url: PHOTO_URL, filename: 'x'.repeat(edgeLimits.check.jsonBodyBytesMax) });
    expect(await problemOf(await send(long))).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'url_forbidden'],
    ['http://127.0.0.1:8788/healthz', 'url_forbidden'],
    ['ftp://photos.shop.com/0.jpg', 'url_invalid'],
    ['https://photos.shop.com/missing.jpg', 'url_status'],
  ])('for the URL %s', async (input_url, code) => {
    const problem = await problemOf(await checkUrl({ input_url }));
    expect(problem.code).toBe(code);
    expect(problem.errors?.[0]).toMatchObject({ field: 'input_url', code });
    expect(origin.checks).toEqual([]);
  });

  it('where the node cannot read the photo', async () => {
    origin.checkScript = () => ({ failed: { code: 'unreadable_image', detail: 'cut off', retryable: false } });
    const problem = await problemOf(await check());
    expect(problem).toMatchObject({ status: 422, code: 'unreadable_image', detail: 'cut off', retryable: false });
    expect(problem.errors?.[0]?.field).toBe('files[0]');
    expect(origin.checks).toHaveLength(1);
  });
});

describe('a fleet in trouble', () => {
  beforeEach(withoutWaiting);

  it('is asked again, and the answer is the one that came', async () => {
    origin.checkScript = (_check, _node, attempt) => (attempt < 3 ? 'vanish' : checked());
    expect((await check()).status).toBe(200);
    expect(new Set(origin.checks.map(({ check_id }) => check_id)).size).toBe(1);
  });

  it('that stays busy ends the check with the wait, and keeps no job from it', async () => {
    origin.checkScript = () => ({ busy: 3 });
    const response = await check();
    expect(await problemOf(response)).toMatchObject({ status: 503, code: 'origin_busy', retryable: true });
    expect(response.headers.get('retry-after')).toBe('3');
  });

  it('that cannot be reached ends the check with 503', async () => {
    origin.checkScript = () => 'vanish';
    const response = await check();
    expect(await problemOf(response)).toMatchObject({ status: 503, code: 'origin_unavailable' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('that says something else than a check ends it, too', async () => {
    origin.checkScript = () => ({ check: { nonsense: true } }) as never;
    expect(await problemOf(await check())).toMatchObject({ status: 503, code: 'origin_unavailable' });
  });
});

describe('the account’s free checks', () => {
  const NOON = Date.UTC(2026, 10, 22, 12, 0, 0);
  const at = (nowMs: number, id = account.accountId): Promise<void> =>
    runInDurableObject(accountStub(id), (object) => {
      object.now = () => nowMs;
    });
  const begin = (count: number, from: number): Promise<void> =>
    runInDurableObject(accountStub(account.accountId), async (object) => {
      for (let i = 0; i < count; i++) {
        expect((await object.beginCheck(`chk_${from + i}`)).result).toBe('begun');
        await object.endCheck(`chk_${from + i}`);
      }
    });

  it('are counted by minute and day, for all of its keys together, and told in the headers', async () => {
    await at(NOON + 20_000);
    const first = await check();
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"account";q=300;w=30, "checks-minute";q=60;w=60, "checks-day";q=1000;w=86400',
    );
    expect(first.headers.get('ratelimit')).toMatch(/"checks-minute";r=59;t=40, "checks-day";r=999;t=43180$/);
    await begin(limits.checks.perMinute - 1, 0);
    const refused = await check(undefined, await newKey(account, 'test'));
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'check_quota_exceeded', retryable: true });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('ratelimit')).toContain('"checks-minute";r=0;t=40');
    expect(origin.checks).toHaveLength(1);
    await at(NOON + 60_000);
    expect((await check()).status).toBe(200);
    const other = await newAccount(0);
    await at(NOON + 20_000, other.accountId);
    expect((await check(undefined, other)).status).toBe(200);
  });

  it('end for the day, also for an object that was started anew, and come back at midnight UTC', async () => {
    for (let minute = 0, used = 0; used < limits.checks.perDay; minute++) {
      await at(NOON + minute * 60_000);
      const count = Math.min(limits.checks.perMinute, limits.checks.perDay - used);
      await begin(count, used);
      used += count;
    }
    await at(NOON + 3_600_000);
    const refused = await check();
    expect(await problemOf(refused)).toMatchObject({ code: 'check_quota_exceeded' });
    expect(refused.headers.get('retry-after')).toBe(String(11 * 3_600));
    await at(NOON + 12 * 3_600_000);
    expect((await check()).status).toBe(200);
  });

  it('cost the platform a row of the account and one of the log each, no batch and no message', async () => {
    const logged = async (): Promise<void> => {
      const id = (await check()).headers.get('request-id') ?? '';
      await vi.waitFor(async () => expect(await historyOf(account).request(id)).toBeDefined());
    };
    await logged();
    const meter = await counting(account.accountId);
    await logged();
    const { account: calls, saga, messages, rowsWritten, writesOfObjects } = meter.costs();
    expect({ calls, saga, messages, writesOfObjects }).toEqual({ calls: 3, saga: 0, messages: 0, writesOfObjects: 2 });
    // The log's line is one row and one of its indices at most.
    expect(rowsWritten).toBeLessThanOrEqual(3);
  });

  it('are not counted twice for one check whose call was repeated', async () => {
    await runInDurableObject(accountStub(account.accountId), async (object) => {
      object.now = () => NOON;
      await object.beginCheck('chk_1');
      expect((await object.beginCheck('chk_1')).quotas[0]?.remaining).toBe(limits.checks.perMinute - 1);
    });
  });

  it('run a few at a time; beyond it 429, and a place is free again afterwards', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    origin.checkScript = () => gate.then(() => checked());
    const running = Array.from({ length: limits.checks.inFlightMax }, () => check());
    await vi.waitFor(() => expect(origin.checks).toHaveLength(limits.checks.inFlightMax));
    const refused = await check();
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
    expect((await check()).status).toBe(200);
  });
});
