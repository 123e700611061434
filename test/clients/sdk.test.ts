/** The TypeScript client against the real edge and ledger; the node stores a digest in place of a picture. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AuthenticationError,
  CreditsError,
  type FinishedImage,
  fileOf,
  IdempotencyError,
  ImageError,
  type ImageInput,
  NotFoundError,
  Packshot,
  type Progress,
} from '../../clients/typescript/src/index.ts';
import type { LocalAccount } from '../../local/system.ts';
import { keyScopes } from '../../shared/scopes.ts';
import { croppedPhoto, emptyPhoto, photo, resultOf, sha256 } from './support/node.ts';
import { startService, type TestService } from './support/service.ts';

let service: TestService;
let folder: string;
let account: LocalAccount;
let packshot: Packshot;
beforeAll(async () => {
  [service, folder] = await Promise.all([startService(() => 20), mkdtemp(join(tmpdir(), 'packshot-sdk-'))]);
  account = await service.account(200);
  packshot = new Packshot({ apiKey: account.apiKey, baseUrl: `${service.baseUrl}/` });
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const connection = () => ({ apiKey: account.apiKey, baseUrl: service.baseUrl });
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const result = (id: string): string => resultOf(sha256(photo(id)));
const url = (id: string, kind = 'photo'): string => `${service.shopUrl}/${kind}/${id}.jpg`;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += 10) yield bytes.subarray(i, i + 10);
}

describe('several marketplaces', () => {
  it('give a file each for one credit, checked, by their link or without one', async () => {
    const image = await packshot.create(photo('several'), { marketplaces: ['walmart', 'zalando'] });
    expect(image.credits_charged).toBe(1);
    expect(image.outputs?.map(({ marketplace }) => marketplace)).toEqual(['walmart', 'zalando']);
    const [walmart, zalando] = image.outputs ?? [];
    if (!walmart || !zalando) throw new Error('a file is missing');
    expect(text(await packshot.download(fileOf(image, walmart)))).toBe(result('several'));
    expect(text(await packshot.download(fileOf(image, zalando)))).toBe(`zalando ${result('several')}`);
    expect(text(await packshot.download({ ...fileOf(image, zalando), url: '' }))).toBe(`zalando ${result('several')}`);
    const wrong = { ...fileOf(image, zalando), sha256: walmart.sha256 };
    await expect(new Packshot({ ...connection(), retriesMax: 0 }).download(wrong)).rejects.toThrow('SHA-256');
  });

  it('and their rules are to be had', async () => {
    const known = await packshot.marketplaces();
    expect(known.find(({ name }) => name === 'zalando')?.canvas).toEqual({ width: 1801, height: 2600 });
  });
});

describe('key and address', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('come from the environment by the names of either client', async () => {
    vi.stubEnv('PACKSHOT_KEY', account.apiKey);
    vi.stubEnv('PACKSHOT_URL', service.baseUrl);
    expect((await new Packshot().account()).success).toBe(true);
    vi.stubEnv('PACKSHOT_API_KEY', 'packshot_live_mistyped');
    await expect(new Packshot().account()).rejects.toThrow(AuthenticationError);
  });
});

describe('create', () => {
  const inputs: [string, string, (id: string) => ImageInput | Promise<ImageInput>][] = [
    [
      'a path',
      'in-path.jpg',
      async (id) => writeFile(join(folder, `${id}.jpg`), photo(id)).then(() => join(folder, `${id}.jpg`)),
    ],
    ['bytes', 'image.jpg', (id) => photo(id)],
    ['an ArrayBuffer', 'image.jpg', (id) => photo(id).buffer],
    ['a File', 'chair.jpg', (id) => new File([photo(id)], 'chair.png')],
    ['a web stream', 'image.jpg', (id) => new Blob([photo(id)]).stream()],
    ['an async iterable', 'image.jpg', (id) => inPieces(photo(id))],
    ['a file with a name', 'bag.jpg', (id) => ({ file: photo(id), filename: 'bag.png' })],
    ['a URL as text', 'in-url-as-text.jpg', (id) => url(id)],
    ['a URL', 'in-url.jpg', (id) => new URL(url(id))],
    ['a URL with a name', 'mug.jpg', (id) => ({ url: url(id), filename: 'mug.jpg' })],
  ];
  it.each(inputs)('takes %s', async (kind, filename, input) => {
    const id = `in-${kind.toLowerCase().replace(/^an? /, '').replaceAll(' ', '-')}`;
    const image = await packshot.create(await input(id), { marketplace: 'amazon', quality: undefined });
    expect(image).toMatchObject({ filename, format: 'JPG', credits_charged: 1, replayed: false });
    expect(text(await packshot.download(image))).toBe(result(id));
  });

  it('with a key of its own is made and charged once, and another input under that key is refused', async () => {
    const before = await service.totals(account);
    const first = await packshot.create(photo('keyed'), {}, { idempotencyKey: 'order-1' });
    const second = await packshot.create(photo('keyed'), {}, { idempotencyKey: 'order-1' });
    expect([second.image_id, second.replayed]).toEqual([first.image_id, true]);
    expect((await service.totals(account)).spent).toBe(before.spent + 1);
    const other = packshot.create(photo('other'), {}, { idempotencyKey: 'order-1' });
    await expect(other).rejects.toBeInstanceOf(IdempotencyError);
  });

  it.each([
    ['a file', () => emptyPhoto('sdk-file'), 'no_product_found'],
    ['a URL', () => url('sdk-url', 'nothing'), 'no_product_found'],
    ['bytes that are no image', () => new TextEncoder().encode('no image'), 'unsupported_media_type'],
    ['an address without a file', () => `${service.shopUrl}/none.jpg`, 'url_status'],
  ] as [string, () => ImageInput, string][])(
    'throws ImageError for %s that cannot be used, and pays nothing',
    async (_, input, code) => {
      const before = await service.totals(account);
      const error = await packshot.create(input()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ImageError);
      expect((error as ImageError).code).toBe(code);
      expect(await service.totals(account)).toMatchObject({ spent: before.spent, held: 0 });
    },
  );
});

describe('a store whose photos are private', () => {
  const inputAuthorization = 'Bearer of-the-shop';
  const privateUrl = (id: string) => `${service.shopUrl}/private/${id}.jpg`;

  it('is read with its header, by one image, a batch and a check', async () => {
    const before = await service.totals(account);
    const image = await packshot.create(privateUrl('sdk-1'), {}, { inputAuthorization });
    expect(image.credits_charged).toBe(1);
    const batch = await packshot.createBatch([privateUrl('sdk-2')], {}, { inputAuthorization });
    expect(await batch.wait()).toMatchObject({ status: 'completed' });
    expect((await packshot.check(privateUrl('sdk-3'), {}, { inputAuthorization })).success).toBe(true);
    expect((await service.totals(account)).spent).toBe(before.spent + 2);
  });

  it('is closed without it, and files take none', async () => {
    const refused = await packshot.create(privateUrl('sdk-4')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'url_status', message: expect.stringContaining('401') });
    await expect(packshot.createBatch([photo('sdk-5')], {}, { inputAuthorization })).rejects.toThrow(TypeError);
    await expect(packshot.create(photo('sdk-5'), {}, { inputAuthorization })).rejects.toThrow(TypeError);
  });
});

describe('a batch', () => {
  it('of URLs is awaited with its progress, which never goes back', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `wait-${i}`);
    const batch = await packshot.createBatch(ids.map((id) => url(id)));
    expect(batch.created).toMatchObject({ batch_id: batch.id, charged_images: 12, status: 'queued' });
    const seen: Progress[] = [];
    const status = await batch.wait({ onProgress: (progress) => void seen.push(progress) });
    expect(status).toMatchObject({ status: 'completed', progress: { completed: 12 } });
    expect(seen.at(-1)).toMatchObject({ finished: 12, total: 12 });
    const finished = seen.map((progress) => progress.finished);
    expect(finished).toEqual([...new Set(finished)].sort((a, b) => a - b));
  });

  it('gives each image once as it finishes, failed ones with their error', async () => {
    const batch = await packshot.createBatch([url('it-a'), url('it-b', 'nothing'), url('it-c')]);
    const found: FinishedImage[] = [];
    for await (const one of packshot.batch(batch.id)) found.push(one);
    found.sort((a, b) => a.index - b.index);
    expect(found.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
    const [first, second] = found;
    expect(second?.status === 'failed' && second.error.code).toBe('no_product_found');
    expect(first?.status === 'completed' && text(await packshot.download(first.image))).toBe(result('it-a'));
  });

  it('of files is accepted at once and finishes by itself', async () => {
    const batch = await packshot.createBatch([photo('files-a'), { file: photo('files-b'), filename: 'b.jpg' }]);
    expect(await batch.wait()).toMatchObject({ status: 'completed', progress: { total: 2 } });
    await expect(packshot.createBatch([photo('x'), url('x')])).rejects.toThrow('not both');
  });

  it('that is not finished in the time given is left with code timeout, and one of nobody is not found', async () => {
    const batch = await packshot.createBatch(Array.from({ length: 40 }, (_, i) => url(`slow-${i}`)));
    await expect(batch.wait({ waitMsMax: 1 })).rejects.toMatchObject({ code: 'timeout' });
    await batch.wait();
    await expect(packshot.batch('bat_01jd0000000000000000000000').status()).rejects.toBeInstanceOf(NotFoundError);
  });
});

it('the account says what was spent', async () => {
  const { spent } = await service.totals(account);
  expect(await packshot.account()).toMatchObject({ spent_credits: spent, price_per_image_usd: 0.25 });
});

describe('check', () => {
  it.each([
    ['a file', () => croppedPhoto('sdk-file')],
    ['a URL', () => url('sdk-url', 'cropped')],
    ['a URL with a name', () => ({ url: url('sdk-named', 'cropped'), filename: 'mug.jpg' })],
  ] as [string, () => ImageInput][])('of %s says what was found, and costs nothing', async (_, input) => {
    const before = await service.totals(account);
    const check = await packshot.check(input(), { marketplace: 'walmart', canvas: undefined });
    expect(check).toMatchObject({ marketplace: 'walmart', width: 1600, product_box: { x: 400 } });
    expect(check.check_id).toMatch(/^chk_/);
    expect(check.findings.map(({ code, severity, box }) => [code, severity, box?.width])).toEqual([
      ['product_cropped', 'required', 212],
    ]);
    expect(await service.totals(account)).toEqual(before);
  });

  it('of a photo with nothing to mend has an empty list, for an account without credits too', async () => {
    const poor = new Packshot({ apiKey: (await service.account(0)).apiKey, baseUrl: service.baseUrl });
    expect((await poor.check(photo('sdk-fine'))).findings).toEqual([]);
  });

  it.each([
    ['bytes that are no image', () => new TextEncoder().encode('no image'), 'unsupported_media_type'],
    ['an address without a file', () => `${service.shopUrl}/none.jpg`, 'url_status'],
  ] as [string, () => ImageInput, string][])('throws ImageError for %s', async (_, input, code) => {
    const error = await packshot.check(input()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImageError);
    expect((error as ImageError).code).toBe(code);
  });

  it('throws RequestError for a mistake in the options', async () => {
    const wrong = packshot.check(url('sdk-wrong'), { canvas: 200, layout: 'original' });
    await expect(wrong).rejects.toMatchObject({ name: 'RequestError', code: 'invalid_options' });
  });

  it('throws at once where the free checks of the day are used up, with the time until there are new ones', async () => {
    let calls = 0;
    const answer = () =>
      Response.json(
        { code: 'check_quota_exceeded', detail: 'none left', retryable: true },
        { status: 429, headers: { 'retry-after': '7200' } },
      );
    const fetch = async (): Promise<Response> => {
      calls++;
      return answer();
    };
    const limited = new Packshot({ apiKey: 'k', baseUrl: service.baseUrl, fetch });
    const refused = limited.check(photo('sdk-limited'));
    await expect(refused).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 7_200_000 });
    expect(calls).toBe(1);
  });
});

describe('keys', () => {
  it('are made, listed, changed, rolled and revoked by a key with the scope admin', async () => {
    const admin = new Packshot({
      ...connection(),
      apiKey: (await service.key(account, { scopes: [...keyScopes] })).apiKey,
    });
    const { key, secret } = await admin.keys.create({ label: 'SDK', scopes: ['account:read'], daily_credit_cap: 3 });
    expect(secret).toMatch(/^packshot_live_/);
    const made = new Packshot({ ...connection(), apiKey: secret });
    expect((await made.account()).account_id).toBe(account.accountId);
    await expect(made.create(photo('key'))).rejects.toMatchObject({ code: 'key_scope_missing', status: 403 });
    await expect(made.create(photo('key'))).rejects.toBeInstanceOf(AuthenticationError);
    expect(
      await admin.keys.change(key.key_id, { scopes: ['images:write', 'account:read'], daily_credit_cap: 0 }),
    ).toMatchObject({ key_id: key.key_id, daily_credit_cap: 0, credits_used_today: 0 });
    const capped = await made.create(photo('key')).catch((error: unknown) => error);
    expect(capped).toBeInstanceOf(CreditsError);
    expect(capped).toMatchObject({ code: 'key_spending_cap_reached', problem: { daily_credit_cap: 0 } });
    const rolled = await admin.keys.roll(key.key_id, 1);
    expect([rolled.key.key_id, rolled.secret === secret]).toEqual([key.key_id, false]);
    expect((await made.account()).account_id).toBe(account.accountId);
    expect((await admin.keys.revoke(key.key_id)).revoked_at).not.toBeNull();
    await expect(made.account()).rejects.toMatchObject({ code: 'key_revoked' });
    expect((await admin.keys.list()).find(({ key_id }) => key_id === key.key_id)?.label).toBe('SDK');
    await expect(admin.keys.revoke('../account')).rejects.toMatchObject({ code: 'key_not_found' });
  });

  it('are made once where the answer is lost: nothing is sent again by itself', async () => {
    const { apiKey } = await service.key(account, { scopes: [...keyScopes] });
    let sent = 0;
    const lossy = new Packshot({
      ...connection(),
      apiKey,
      fetch: async (to, init) => {
        sent++;
        await fetch(to, init);
        throw new TypeError('the connection broke');
      },
    });
    await expect(lossy.keys.create({ label: 'lost' })).rejects.toMatchObject({ code: 'connection_failed' });
    expect(sent).toBe(1);
  });
});

describe('all results of a batch', () => {
  it('come as one archive with every file, and as a table', async () => {
    const batch = await packshot.createBatch([photo('zip-a'), photo('zip-b')]);
    await batch.wait();
    const { filename, part, parts, body } = await batch.archive();
    expect({ filename, part, parts }).toEqual({ filename: `packshot-${batch.id}.zip`, part: 1, parts: 1 });
    const bytes = await new Response(body).text();
    for (const id of ['zip-a', 'zip-b']) expect(bytes).toContain(result(id));
    expect((await batch.table()).trimEnd().split('\r\n')).toHaveLength(3);
    await expect(batch.archive({ part: 2 })).rejects.toMatchObject({ code: 'invalid_request' });
    for (const id of ['../account', ''])
      await expect(packshot.batch(id).archive()).rejects.toMatchObject({ code: 'batch_not_found', status: 0 });
  });

  it('take longer than a try may: its time ends with the headers', async () => {
    const slow = createServer((_, answer) => {
      answer.writeHead(200, { 'content-disposition': 'attachment; filename="packshot-bat_x-2-of-3.zip"' });
      answer.write('first');
      setTimeout(() => answer.end('last'), 900);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo;
    const patient = new Packshot({
      apiKey: 'sk_test_x',
      baseUrl: `http://127.0.0.1:${port}`,
      timeoutMs: 400,
      retriesMax: 0,
    });
    const { parts, body } = await patient.batch('bat_x').archive({ part: 2 });
    expect([parts, await new Response(body).text()]).toEqual([3, 'firstlast']);
    await expect(patient.batch('bat_x').table()).rejects.toMatchObject({ code: 'timeout' });
    slow.close();
  });
});

describe('deletion and retention', () => {
  const client = async (credits: number) => {
    const own = await service.account(credits);
    const key = await service.key(own, { scopes: [...keyScopes] });
    const of = ({ apiKey }: LocalAccount) => new Packshot({ apiKey, baseUrl: service.baseUrl, retriesMax: 0 });
    return { own, maker: of(own), admin: of(key) };
  };
  const until = async (work: () => Promise<string>): Promise<void> => {
    for (let tries = 0; (await work()) !== 'deleted'; await sleep(250)) expect(++tries).toBeLessThan(100);
  };

  it('of one image leaves the others, of the batch leaves nothing, and neither gives credits back', async () => {
    const { own, maker } = await client(5);
    const batch = await maker.createBatch([photo('delete-a'), photo('delete-b')]);
    const [first, second] = (await batch.wait()).images;
    if (first?.status !== 'completed' || second?.status !== 'completed') throw new Error('not completed');
    await until(() => batch.deleteImage(first.image_id));
    expect((await batch.status()).images.map(({ status }) => status)).toEqual(['deleted', 'completed']);
    expect(text(await maker.download({ ...second, url: second.clean_download_url ?? '' }))).toBe(result('delete-b'));
    await until(() => batch.delete());
    expect(await batch.delete()).toBe('deleted');
    await expect(batch.status()).rejects.toMatchObject({ code: 'batch_deleted', status: 410 });
    await expect(batch.status()).rejects.toBeInstanceOf(NotFoundError);
    expect(await service.totals(own)).toMatchObject({ available: 3, spent: 2, held: 0 });
  });

  it('of an upload is by its batch_id', async () => {
    const { maker } = await client(1);
    const image = await maker.create(photo('delete-upload'));
    await until(() => maker.batch(image.batch_id).delete());
    await expect(maker.batch(image.batch_id).status()).rejects.toMatchObject({ code: 'batch_deleted' });
  });

  it('sends no id into another path, and finds no batch of another account', async () => {
    const [{ maker }, other] = [await client(1), await client(1)];
    const image = await maker.create(photo('delete-mine'));
    for (const id of ['../account/data', 'a/b', ''])
      await expect(maker.batch(id).delete()).rejects.toMatchObject({ code: 'batch_not_found', status: 0 });
    await expect(maker.batch(image.batch_id).deleteImage('../x')).rejects.toMatchObject({ code: 'image_not_found' });
    await expect(other.maker.batch(image.batch_id).delete()).rejects.toMatchObject({
      code: 'batch_not_found',
      status: 404,
    });
    expect((await maker.batch(image.batch_id).status()).images).toHaveLength(1);
  });

  it("of the account's data is for an admin key, and keeps the balance", async () => {
    const { own, maker, admin } = await client(3);
    const image = await maker.create(photo('delete-all'));
    await expect(maker.deleteAccountData()).rejects.toMatchObject({ code: 'key_scope_missing' });
    expect(await admin.deleteAccountData()).toBe('deleting');
    await vi.waitFor(
      () => expect(maker.batch(image.batch_id).status()).rejects.toMatchObject({ code: 'batch_deleted' }),
      30_000,
    );
    expect(await service.totals(own)).toMatchObject({ available: 2, spent: 1 });
  });

  it('retention is set by an admin key and told with the balance', async () => {
    const { maker, admin } = await client(0);
    expect((await maker.account()).retention_days).toBeNull();
    for (const days of [0, 30, null, 3]) {
      expect(await admin.setRetention(days)).toBe(days);
      expect((await maker.account()).retention_days).toBe(days);
    }
    await expect(admin.setRetention(31)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(maker.setRetention(1)).rejects.toBeInstanceOf(AuthenticationError);
    expect((await maker.account()).retention_days).toBe(3);
  });
});
