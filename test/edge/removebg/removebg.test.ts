/** `/v1.0`: what it costs, what it answers, what it refuses. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../shared/limits.ts';
import { removebgParameters } from '../../../shared/removebg/parameters.ts';
import { heicHeads } from '../../support/image-heads.ts';
import { shop } from '../batch/shop.ts';
import { type FakeOrigin, failing, fakeOrigin, RESULT_BYTES, withoutWaiting } from '../support/origin.ts';
import {
  accountStub,
  as,
  audited,
  bindings,
  call,
  entriesOf,
  historyOf,
  ledgerOf,
  newAccount,
  newKey,
  photo,
  revokeKey,
  storedKeys,
  type TestAccount,
} from '../support/service.ts';
import { npm, REMOVEBG, URL_OF_PHOTO } from './requests.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin(shop().answer);
  account = await newAccount(5);
});
afterEach(() => vi.restoreAllMocks());

type Given = Record<string, string>;
const form = (given: Given, file: Uint8Array<ArrayBuffer> | null = photo()): FormData => {
  const body = new FormData();
  for (const [name, value] of Object.entries(given)) body.append(name, value);
  if (file) body.append('image_file', new Blob([file]), 'shoe.jpg');
  return body;
};
const send = (
  given: Given = { size: 'full' },
  {
    key = account.apiKey,
    headers = {},
    file,
  }: { key?: string; headers?: Given; file?: Uint8Array<ArrayBuffer> | null } = {},
): Promise<Response> =>
  call(REMOVEBG, { method: 'POST', headers: { 'x-api-key': key, ...headers }, body: form(given, file) });

type Row = { readonly title: string; readonly code: string; readonly detail: string };
const errorsOf = async (response: Response): Promise<readonly Row[]> => {
  expect(response.headers.get('content-type')).toBe('application/json');
  const { errors } = (await response.json()) as { errors: readonly Row[] };
  for (const { title, code, detail } of errors) {
    expect(title.length).toBeGreaterThan(3);
    expect(code).toMatch(/^[a-z0-9_]+$/);
    expect(detail.length).toBeGreaterThan(3);
  }
  return errors;
};
const unchanged = { available: 5, held: 0, spent: 0, pendingHolds: 0 };

describe('a charged call', () => {
  it('costs one credit and answers the stored file, its size, its product’s box and the account', async () => {
    const response = await send();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(RESULT_BYTES),
      'content-disposition': 'attachment; filename="shoe.png"',
      'x-width': '2000',
      'x-height': '2000',
      'x-type': 'product',
      'x-foreground-left': '150',
      'x-foreground-top': '200',
      'x-foreground-width': '1700',
      'x-foreground-height': '1600',
      'x-credits-charged': '1',
      'x-credits-remaining': '4',
      'x-ratelimit-limit': String(limits.rate.burst),
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(RESULT_BYTES).fill(1));
    expect(await audited(account)).toMatchObject({ available: 4, held: 0, spent: 1 });
  });

  it('names the batch whose status has a download of the same file', async () => {
    const response = await send({ size: 'full', format: 'zip' });
    const status = await call(`/api/v1/service-hero/status/${response.headers.get('x-batch-id')}`, {
      headers: as(account),
    });
    const { images } = (await status.json()) as { images: { clean_download_url: string; format: string }[] };
    expect(images[0]?.format).toBe('ZIP');
    const download = await call(images[0]?.clean_download_url ?? '');
    expect(download.headers.get('content-type')).toBe('application/zip');
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(new Uint8Array(await response.arrayBuffer()));
  });

  it('is not charged where the image fails', async () => {
    origin.script = () => failing('no_product_found');
    const response = await send();
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ code: 'unknown_foreground' }]);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it('is not charged where no node can be reached, and says when to come back', async () => {
    withoutWaiting();
    origin.script = () => 'vanish';
    const response = await send();
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await errorsOf(response);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it('is not charged for a file that was not seen in the store', async () => {
    origin.script = () => 'claim';
    const response = await send();
    expect(response.status).toBe(500);
    expect(await errorsOf(response)).toMatchObject([{ code: 'result_missing' }]);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it('whose file cannot be read afterwards is never called failed: the answer names the batch', async () => {
    const { BUCKET } = bindings;
    const get = vi.spyOn(BUCKET, 'get').mockRejectedValue(new Error('the store is away'));
    const response = await send();
    expect(response.status).toBe(503);
    const problem = (await response.json()) as { errors: Row[]; batch_id: string; status_url: string };
    expect(problem).toMatchObject({ errors: [{ code: 'outcome_unknown' }] });
    get.mockRestore();
    expect(await audited(account)).toMatchObject({ available: 4, spent: 1 });
    const status = await call(problem.status_url, { headers: as(account) });
    const { images } = (await status.json()) as { images: { clean_download_url: string }[] };
    expect((await call(images[0]?.clean_download_url ?? '')).status).toBe(200);
  });

  it('needs a credit', async () => {
    const before = await storedKeys('inputs/');
    const empty = await newAccount(0);
    const response = await send({ size: 'full' }, { key: empty.apiKey });
    expect(response.status).toBe(402);
    expect(await errorsOf(response)).toMatchObject([{ code: 'insufficient_credits' }]);
    expect(origin.jobs).toEqual([]);
    expect(await storedKeys('inputs/')).toEqual(before);
  });
});

describe('an Idempotency-Key', () => {
  it('gives a repeated request the same file and charges once', async () => {
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [await send(undefined, { headers }), await send(undefined, { headers })];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('x-batch-id')).toBe(first.headers.get('x-batch-id'));
    expect(await second.arrayBuffer()).toEqual(await first.arrayBuffer());
    expect(origin.jobs).toHaveLength(1);
    expect(await audited(account)).toMatchObject({ available: 4, spent: 1 });
  });

  it('gives the same file as JSON where that is asked for', async () => {
    const headers = { 'idempotency-key': 'two' };
    await send(undefined, { headers });
    const json = (await (await send(undefined, { headers: { ...headers, accept: 'application/json' } })).json()) as {
      data: { result_b64: string };
    };
    expect(Uint8Array.fromBase64(json.data.result_b64)).toHaveLength(RESULT_BYTES);
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('is refused for another request', async () => {
    const headers = { 'idempotency-key': 'three' };
    await send(undefined, { headers });
    const other = await send({ size: 'full', crop: 'true' }, { headers });
    expect(other.status).toBe(400);
    expect(await errorsOf(other)).toMatchObject([{ code: 'idempotency_mismatch' }]);
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });
});

describe('a preview', () => {
  it.each([undefined, 'preview', 'small', 'regular'])(
    'by size %s is free, unmarked and writes no line',
    async (size) => {
      const response = await send(size === undefined ? {} : { size });
      expect(response.headers.get('x-credits-charged')).toBe('0');
      expect(origin.jobs[0]).toMatchObject({ watermark: false, options: { cutout: { pixelsMax: 250_000 } } });
      expect((await entriesOf(account)).map(({ kind }) => kind)).toEqual(['grant']);
      expect(await audited(account)).toMatchObject(unchanged);
    },
  );

  it('needs no credit; nor does size=auto without one, which then is a preview', async () => {
    const empty = await newAccount(0);
    expect((await send({}, { key: empty.apiKey })).status).toBe(200);
    expect((await send({ size: 'auto' }, { key: empty.apiKey })).headers.get('x-credits-charged')).toBe('0');
    expect(origin.jobs.every(({ options }) => options.cutout?.pixelsMax === 250_000)).toBe(true);
  });

  it('is refused beyond the account’s free images of the day, and allowed again at midnight', async () => {
    const noon = Date.parse('2026-11-21T12:00:00Z');
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => noon;
    });
    await ledgerOf(account).hold({ batchId: 'bat_other', images: limits.testImages.perDay - 1, mode: 'test' });
    expect((await send({})).status).toBe(200);
    const refused = await send({});
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const [row] = await errorsOf(refused);
    expect(row).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(row?.detail).toContain(`${limits.testImages.perDay} free images`);
    expect((await send({ size: 'full' })).headers.get('x-credits-charged')).toBe('1');
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => noon + 12 * 3_600_000;
    });
    expect((await send({})).status).toBe(200);
  });

  it('of a test key is marked', async () => {
    const key = await newKey(account, 'test');
    expect((await send({}, { key: key.apiKey })).headers.get('x-credits-charged')).toBe('0');
    expect((await send({ size: 'full' }, { key: key.apiKey })).headers.get('x-credits-charged')).toBe('0');
    expect(origin.jobs.map(({ watermark }) => watermark)).toEqual([true, true]);
    expect(await audited(account)).toMatchObject({ available: 5, spent: 0 });
  });
});

describe('a key', () => {
  it.each([
    ['is missing', {}],
    ['is mistyped', { 'x-api-key': 'sk_live_nonsense' }],
  ])('that %s is a 403', async (_what, headers) => {
    const response = await call(REMOVEBG, { method: 'POST', headers: headers as Given, body: form({}) });
    expect(response.status).toBe(403);
    expect(await errorsOf(response)).toMatchObject([{ code: 'auth_failed' }]);
  });

  it('that was revoked is a 403', async () => {
    await revokeKey(account);
    expect((await send()).status).toBe(403);
  });

  it('may be a bearer token', async () => {
    const response = await call('/v1.0/account', { headers: as(account) });
    expect(response.status).toBe(200);
  });

  it('beyond its account’s rate is a 429 with Retry-After', async () => {
    // A clock that stands still refills nothing.
    const nowMs = Date.now();
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => nowMs;
    });
    const ask = (): Promise<Response> => call('/v1.0/account', { headers: { 'x-api-key': account.apiKey } });
    await Promise.all(Array.from({ length: limits.rate.burst }, ask));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await refused.json()).toMatchObject({ errors: [{ code: 'rate_limit_exceeded' }] });
  });
});

describe('the form of the answer', () => {
  it.each([
    ['application/json', true],
    ['application/json, text/plain, */*', false],
    ['image/*, application/json;q=0.5', false],
    ['image/png;q=0.1, application/json', true],
    ['*/*', false],
  ])('Accept: %s means JSON: %s', async (accept, isJson) => {
    const response = await send({}, { headers: { accept } });
    expect(response.headers.get('content-type') === 'application/json').toBe(isJson);
    await response.arrayBuffer();
  });

  it('type_level=none leaves X-Type out', async () => {
    expect((await send({ type_level: 'none' })).headers.has('x-type')).toBe(false);
  });
});

describe('what no route answers', () => {
  it.each([
    ['GET', REMOVEBG, 405, 'method_not_allowed', 'POST, OPTIONS'],
    ['DELETE', '/v1.0/account', 405, 'method_not_allowed', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1.0/improve', 404, 'not_found', null],
  ])('%s %s is a %i with a list of errors, as all of /v1.0', async (method, path, status, code, allow) => {
    const response = await call(path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(await response.json()).toEqual({
      errors: [{ title: expect.any(String), code, detail: expect.any(String) }],
    });
  });
});

describe('what cannot be honoured is a 400 that says so, and costs nothing:', () => {
  const cases: readonly (readonly [Given, string])[] = [
    [{ size: '8k' }, 'invalid_size'],
    [{ type: 'car' }, 'invalid_type'],
    [{ type_level: '3' }, 'invalid_type_level'],
    [{ format: 'tiff' }, 'invalid_format'],
    [{ channels: 'rgb' }, 'invalid_channels'],
    [{ bg_color: 'nocolour' }, 'invalid_bg_color'],
    [{ roi: '0% 0% 200% 100%' }, 'invalid_roi'],
    [{ roi: '50% 0% 20% 100%' }, 'invalid_roi'],
    [{ crop: 'maybe' }, 'invalid_crop'],
    [{ crop: 'true', crop_margin: '60%' }, 'invalid_crop_margin'],
    [{ crop: 'true', crop_margin: '501px' }, 'invalid_crop_margin'],
    [{ crop: 'true', crop_margin: '1px 2px 3px' }, 'invalid_crop_margin'],
    [{ scale: '9%' }, 'invalid_scale'],
    [{ position: '101%' }, 'invalid_position'],
    [{ add_shadow: 'strong' }, 'invalid_add_shadow'],
    [{ shadow_type: '3D' }, 'invalid_shadow_type'],
    [{ shadow_opacity: '50' }, 'invalid_shadow_opacity'],
    [{ shadow_method: 'legacy' }, 'invalid_shadow_method'],
    [{ semitransparency: 'half' }, 'invalid_semitransparency'],
    [{ channels: 'alpha', bg_color: 'fff' }, 'invalid_bg_color'],
    [{ channels: 'alpha', format: 'zip' }, 'invalid_format'],
    [{ channels: 'alpha', add_shadow: 'true' }, 'invalid_add_shadow'],
    [{ format: 'jpg', bg_color: 'ffffff80' }, 'invalid_bg_color'],
    [{ bg_color: 'fff', bg_image_url: URL_OF_PHOTO }, 'multiple_bg_sources'],
    [{ image_url: URL_OF_PHOTO }, 'multiple_sources'],
    [{ image_file_b64: '***' }, 'invalid_image_file_b64'],
    [{ smoothing: 'yes' }, 'unknown_parameter'],
    [{ bg_image_file: 'text' }, 'invalid_bg_image_file'],
  ];

  it.each(cases)('%o is %s', async (given, code) => {
    const response = await send({ size: 'full', ...given });
    expect(response.status).toBe(400);
    expect((await errorsOf(response)).map((row) => row.code)).toEqual([code]);
    expect(response.headers.get('x-credits-charged') ?? '0').toBe('0');
    expect(origin.jobs).toEqual([]);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it('every parameter of the table but plain files and addresses has such a case', () => {
    const free = ['image_file', 'image_url', 'bg_image_url'];
    const covered = new Set(cases.flatMap(([given]) => Object.keys(given)));
    expect(Object.keys(removebgParameters).filter((name) => !covered.has(name) && !free.includes(name))).toEqual([]);
  });

  it('several at once are all named', async () => {
    const response = await send({ size: '8k', type: 'car' });
    expect((await errorsOf(response)).map((row) => row.code)).toEqual(['invalid_size', 'invalid_type']);
  });

  it('no image', async () => {
    expect(await errorsOf(await send({ size: 'full' }, { file: null }))).toMatchObject([{ code: 'missing_source' }]);
  });

  it.each([
    ['a file', () => send({}, { file: heicHeads['of an iPhone'] })],
    ['base64', () => send({ image_file_b64: heicHeads['of an iPhone'].toBase64() }, { file: null })],
  ])('a HEIC as %s, with what to do about it', async (_, sent) => {
    const response = await sent();
    expect(response.status).toBe(400);
    const detail = expect.stringMatching(/HEIC.*export it as JPEG/);
    expect(await errorsOf(response)).toMatchObject([{ code: 'invalid_file_type', title: detail, detail }]);
  });

  it('a file that is no image', async () => {
    const response = await send({}, { file: Uint8Array.from('hello', (c) => c.charCodeAt(0)) });
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ code: 'invalid_file_type' }]);
  });

  it.each([
    ['image_url', 'failed_image_download'],
    ['bg_image_url', 'failed_bg_download'],
  ])('a %s that does not answer with a file', async (name, code) => {
    const given = { size: 'full', [name]: 'https://photos.shop.com/missing.jpg' };
    const response = await send(given, name === 'image_url' ? { file: null } : {});
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ code }]);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it.each(['http://127.0.0.1/photo.jpg', 'http://169.254.169.254/latest', 'ftp://photos.shop.com/0.jpg'])(
    'the address %s',
    async (image_url) => {
      const response = await send({ size: 'full', image_url }, { file: null });
      expect(response.status).toBe(400);
      expect(origin.jobs).toEqual([]);
    },
  );

  it.each([
    ['application/json', '{"size":'],
    ['application/json', '[1]'],
    ['application/json', '{"roi":[1,2,3,4]}'],
    ['multipart/form-data; boundary=x', 'no form'],
    ['text/plain', 'size=full'],
  ])('a body of %s that reads %s', async (type, body) => {
    const headers = { 'x-api-key': account.apiKey, 'content-type': type };
    const response = await call(REMOVEBG, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    await errorsOf(response);
  });

  it('a region that the photo does not hold', async () => {
    origin.script = () => failing('invalid_options');
    const response = await send({ size: 'full', roi: '0px 0px 9999px 9999px' });
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ code: 'roi_exceeds_bounds' }]);
    expect(await audited(account)).toMatchObject(unchanged);
  });

  it('base64 of more than its bound', async () => {
    const { headers } = npm.json(account.apiKey, {});
    const body = JSON.stringify({ image_file_b64: 'A'.repeat(17_700_000) });
    const response = await call(REMOVEBG, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await errorsOf(response)).toMatchObject([{ code: 'file_too_large' }]);
  });
});

describe('parameters that were not chosen', () => {
  it('as empty texts or null are as if they were not there', async () => {
    expect((await send({ size: 'full', bg_color: '', image_url: '', roi: '' })).status).toBe(200);
    const { headers } = npm.json(account.apiKey, {});
    const body = JSON.stringify({ image_url: URL_OF_PHOTO, bg_color: null, size: 'full', crop: true });
    expect((await call(REMOVEBG, { method: 'POST', headers, body })).status).toBe(200);
    expect(origin.jobs[1]?.options.cutout?.crop).not.toBeNull();
  });
});

it('the account’s balance is remove.bg’s answer', async () => {
  const response = await call('/v1.0/account', { headers: { 'x-api-key': account.apiKey } });
  expect(await response.json()).toEqual({
    data: {
      attributes: {
        credits: { total: 5, subscription: 0, payg: 5, enterprise: 0 },
        api: { free_calls: limits.testImages.perDay, sizes: 'all' },
      },
    },
  });
});

it('a request is in the account’s log with the status that it got', async () => {
  await send({ size: '8k' });
  await vi.waitFor(async () => {
    const { rows } = await historyOf(account).requests({});
    expect(rows[0]).toMatchObject({ path: REMOVEBG, status: 400, errorCode: 'invalid_options' });
  });
});
