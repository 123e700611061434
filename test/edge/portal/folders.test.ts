/** A folder of photos, dropped into the portal: a session, a key that it names, and batches that are found again. */
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';
import { batchPath } from '../../../shared/paths.ts';
import type {
  FolderDetail,
  FolderPage,
  FolderRow,
  KeyCreated,
  LogPage,
  RefusedPhoto,
} from '../../../shared/portal-api.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  as,
  BASE,
  call,
  files,
  historyOf,
  photo,
  type TestFile,
  uploadForm,
  worker,
} from '../support/service.ts';
import { accountIdOf, answerOf, balanceOf, type Customer, PORTAL, registered } from './customer.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => vi.restoreAllMocks());

const CREDITS = 20;
const seller = async (grants: Record<string, unknown> = {}, credits = CREDITS) => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  await accountOf({ accountId }).grant({ id: crypto.randomUUID(), credits, reason: 'purchase' });
  const made = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'Shop', mode: 'live', ...grants }));
  return { customer, keyId: made.key.key_id, secret: made.secret, accountId };
};

const newFolder = (customer: Customer, keyId: string, more: Record<string, unknown> = {}): Promise<Response> =>
  customer.call('POST', '/folders', { name: 'Autumn', key_id: keyId, fields: {}, photos: 3, ...more });
const folderOf = async (customer: Customer, keyId: string): Promise<string> =>
  (await answerOf<FolderRow>(newFolder(customer, keyId))).folder_id;

type Sent = { readonly batch_id: string; readonly refused: readonly RefusedPhoto[]; readonly code?: string };
const send = (
  customer: Customer,
  folderId: string,
  positions: readonly number[],
  {
    photos = files(positions.length),
    part = crypto.randomUUID(),
    headers = {},
    fields = {},
  }: {
    readonly photos?: readonly TestFile[];
    readonly part?: string;
    readonly headers?: Record<string, string>;
    readonly fields?: Record<string, string>;
  } = {},
): Promise<Response> =>
  Promise.resolve(
    worker.fetch(
      new Request(`${BASE}${PORTAL}/folders/${folderId}/uploads?positions=${positions.join(',')}`, {
        method: 'POST',
        headers: {
          'cf-connecting-ip': customer.address,
          origin: BASE,
          cookie: customer.cookies(),
          'idempotency-key': part,
          ...headers,
        },
        body: uploadForm(photos, fields),
      }),
    ),
  );
const detailOf = (customer: Customer, folderId: string): Promise<FolderDetail> =>
  answerOf(customer.call('GET', `/folders/${folderId}`));
const ended = (customer: Customer, folderId: string): Promise<FolderDetail> =>
  vi.waitFor(
    async () => {
      const detail = await detailOf(customer, folderId);
      expect(detail.photos.length).toBeGreaterThan(0);
      expect(detail.running).toEqual([]);
      return detail;
    },
    { timeout: 15_000, interval: 100 },
  );

describe('photos of a folder', () => {
  it('run on the server, are charged once each, and are found again by whoever is signed in to the account', async () => {
    origin.script = (job) => (job.job_id.endsWith('_0001') ? failing('no_product_found') : 'complete');
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const sent = await send(customer, folderId, [0, 1, 2]);
    expect(sent.status).toBe(202);
    const { photos, folder, archives } = await ended(customer, folderId);
    expect(
      photos.map(({ position, status, review, error }) => [position, status, review?.verdict, error?.code]),
    ).toEqual([
      [0, 'completed', 'ready', undefined],
      [1, 'failed', undefined, 'no_product_found'],
      [2, 'completed', 'ready', undefined],
    ]);
    expect(folder).toMatchObject({ name: 'Autumn', key_label: 'Shop', mode: 'live', photos: 3 });
    expect(archives).toBe(1);
    expect((await call(new URL(photos[0]?.preview_url ?? '').pathname)).status).toBe(200);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 2));
    const list = await answerOf<FolderPage>(customer.call('GET', '/folders'));
    expect(list.rows).toMatchObject([{ folder_id: folderId, counts: { ready: 2, failed: 1, running: 0, credits: 2 } }]);
    const log = await answerOf<LogPage>(customer.call('GET', '/logs'));
    expect(log.rows).toMatchObject([{ key_id: keyId, status: 202, images: 3, batch_id: photos[0]?.batch_id }]);
  });

  it('sent again under their Idempotency-Key, as after a lost answer, are one batch and charged once', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const photos = files(2);
    const [first, again] = [
      await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'one', photos })),
      await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'one', photos })),
    ];
    expect(again.batch_id).toBe(first.batch_id);
    expect((await ended(customer, folderId)).photos).toHaveLength(2);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 2));
  });

  it('that replace others take their place; the failed ones cost nothing', async () => {
    origin.script = (_job, _node, attempt) =>
      attempt === 1 && origin.jobs.length === 1 ? failing('no_product_found') : 'complete';
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    await send(customer, folderId, [1], { photos: files(1, 'dark.jpg') });
    expect((await ended(customer, folderId)).photos).toMatchObject([{ position: 1, status: 'failed' }]);
    await send(customer, folderId, [1], { photos: files(1, 'retaken.jpg') });
    expect((await ended(customer, folderId)).photos).toMatchObject([
      { position: 1, status: 'completed', original_name: 'retaken.jpg' },
    ]);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 1));
  });

  it('that are no images are told by position, and the others keep theirs', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const text = { name: 'notes.jpg', bytes: Uint8Array.from('no image at all, only text', (c) => c.charCodeAt(0)) };
    const photos = [{ name: 'a.jpg', bytes: photo() }, text, { name: 'c.jpg', bytes: photo() }];
    const { refused } = await answerOf<Sent>(send(customer, folderId, [4, 5, 6], { photos }));
    expect(refused).toMatchObject([{ position: 5, code: 'unsupported_media_type' }]);
    const shown = (await ended(customer, folderId)).photos;
    expect(shown.map(({ position, original_name }) => [position, original_name])).toEqual([
      [4, 'a.jpg'],
      [6, 'c.jpg'],
    ]);
  });

  it('follow the options that are sent with them', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    await send(customer, folderId, [0], { fields: { marketplaces: 'amazon,walmart' } });
    const [shown] = (await ended(customer, folderId)).photos;
    expect(shown?.files.map(({ marketplace }) => marketplace)).toEqual(['amazon', 'walmart']);
  });

  it('are downloaded together: every finished file once, and a table of all of them', async () => {
    origin.script = (job) => (job.job_id.endsWith('_0001') ? failing('unreadable_image') : 'complete');
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    await send(customer, folderId, [0, 1], { photos: files(2, 'mug.jpg') });
    await ended(customer, folderId);
    await send(customer, folderId, [2], { photos: files(1, 'mug.jpg') });
    await ended(customer, folderId);
    const zip = await customer.call('GET', `/folders/${folderId}/results.zip`);
    expect(zip.headers.get('content-disposition')).toBe('attachment; filename="Autumn.zip"');
    expect(Object.keys(unzipSync(new Uint8Array(await zip.arrayBuffer())))).toEqual(['mug.jpg', 'mug-2.jpg']);
    const csv = await customer.call('GET', `/folders/${folderId}/results.csv`);
    const rows: Record<string, string>[] = parse(await csv.text(), { columns: true });
    expect(rows.map(({ status, credits }) => [status, credits])).toEqual([
      ['completed', '1'],
      ['failed', '0'],
      ['completed', '1'],
    ]);
  });
});

describe('a folder', () => {
  it('is of its own account alone, and of nobody without a session', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    await send(customer, folderId, [0]);
    const other = await seller();
    for (const path of ['', '/results.zip', '/results.csv'])
      expect((await other.customer.call('GET', `/folders/${folderId}${path}`)).status).toBe(404);
    expect((await send(other.customer, folderId, [1])).status).toBe(404);
    expect((await newFolder(other.customer, keyId)).status).toBe(404);
    expect((await answerOf<FolderPage>(other.customer.call('GET', '/folders'))).rows).toEqual([]);
    expect((await send(customer, folderId, [1], { headers: { cookie: '' } })).status).toBe(401);
  });

  it('takes photos from pages of its own alone, which send an Idempotency-Key', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    for (const headers of [{ origin: 'https://evil.example' }, { origin: '' }, { 'idempotency-key': '' }] as Record<
      string,
      string
    >[])
      expect((await send(customer, folderId, [0], { headers })).status).toBe(403);
    expect(await balanceOf(customer)).toBe(CREDITS);
  });

  it('may do what its key may, and no more', async () => {
    const limited = await seller({ scopes: ['batches:read'] });
    const noScope = await send(limited.customer, await folderOf(limited.customer, limited.keyId), [0]);
    expect([noScope.status, ((await noScope.json()) as Sent).code]).toEqual([403, 'key_scope_missing']);
    const capped = await seller({ daily_credit_cap: 1 });
    const overCap = await send(capped.customer, await folderOf(capped.customer, capped.keyId), [0, 1]);
    expect([overCap.status, ((await overCap.json()) as Sent).code]).toEqual([402, 'key_spending_cap_reached']);
    const poor = await seller({}, 1);
    const noCredits = await send(poor.customer, await folderOf(poor.customer, poor.keyId), [0, 1]);
    expect([noCredits.status, ((await noCredits.json()) as Sent).code]).toEqual([402, 'insufficient_credits']);
    expect((await detailOf(poor.customer, await folderOf(poor.customer, poor.keyId))).photos).toEqual([]);
  });

  it('with a key that was revoked takes nothing', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    expect((await customer.call('POST', `/keys/${keyId}/revoke`, {})).status).toBe(200);
    expect((await send(customer, folderId, [0])).status).toBe(401);
    expect((await newFolder(customer, keyId)).status).toBe(404);
  });

  it('refuses options, numbers and positions that it cannot use', async () => {
    const { customer, keyId } = await seller();
    expect((await newFolder(customer, keyId, { fields: { marketplace: 'nowhere' } })).status).toBe(400);
    expect((await newFolder(customer, keyId, { photos: limits.folders.photosMax + 1 })).status).toBe(400);
    const folderId = await folderOf(customer, keyId);
    for (const positions of [
      [],
      [limits.folders.photosMax],
      Array.from({ length: limits.upload.filesMax + 1 }, (_, i) => i),
    ])
      expect((await send(customer, folderId, positions, { photos: files(1) })).status).toBe(400);
  });

  it('takes a bounded number of uploads', async () => {
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    for (let i = 0; i < edgeLimits.folders.uploadsMax; i++)
      await historyOf({ accountId }).beginFolderBatch(folderId, { part: `${i}`, batchId: `bat_${i}`, positions: [0] });
    expect((await send(customer, folderId, [0])).status).toBe(400);
    expect(await balanceOf(customer)).toBe(CREDITS);
  });

  it('goes with its last batch, and with the data of the account', async () => {
    const { customer, keyId, secret, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    await send(customer, folderId, [0]);
    const [shown] = (await ended(customer, folderId)).photos;
    const deleted = await call(batchPath(shown?.batch_id ?? ''), { method: 'DELETE', headers: as({ apiKey: secret }) });
    expect(deleted.status).toBe(204);
    expect((await customer.call('GET', `/folders/${folderId}`)).status).toBe(404);
    const another = await folderOf(customer, keyId);
    await historyOf({ accountId }).eraseThrough(Date.now() + 1);
    expect((await customer.call('GET', `/folders/${another}`)).status).toBe(404);
  });
});
