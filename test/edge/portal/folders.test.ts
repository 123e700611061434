/** A folder of photos, dropped into the portal: a session, a key that it names, and batches that are found again. */
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { History } from '../../../edge/account/history/history.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { missingPhotos } from '../../../portal/src/batches/missing-photos.ts';
import { partsOf } from '../../../portal/src/batches/parts.ts';
import { newId } from '../../../shared/ids.ts';
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
import { PHOTO_ALREADY_SENT } from '../../../shared/portal-api.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  accountOf,
  as,
  BASE,
  call,
  files,
  historyOf,
  photo,
  problemOf,
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
    replaces = false,
    body = uploadForm(photos, fields),
  }: {
    readonly photos?: readonly TestFile[];
    readonly part?: string;
    readonly headers?: Record<string, string>;
    readonly fields?: Record<string, string>;
    readonly replaces?: boolean;
    readonly body?: BodyInit;
  } = {},
): Promise<Response> =>
  Promise.resolve(
    worker.fetch(
      new Request(
        `${BASE}${PORTAL}/folders/${folderId}/uploads?positions=${positions.join(',')}&replaces=${replaces}`,
        {
          method: 'POST',
          headers: {
            'cf-connecting-ip': customer.address,
            origin: BASE,
            cookie: customer.cookies(),
            'idempotency-key': part,
            ...headers,
          },
          body,
        },
      ),
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
    await send(customer, folderId, [1], { photos: files(1, 'retaken.jpg'), replaces: true });
    expect((await ended(customer, folderId)).photos).toMatchObject([
      { position: 1, status: 'completed', original_name: 'retaken.jpg' },
    ]);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 1));
  });

  it('stay what they are where another one in their place fails; the table tells all that was charged', async () => {
    origin.script = () => (origin.jobs.length === 2 ? failing('no_product_found') : 'complete');
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const replace = async (name: string): Promise<string> => {
      const sent = await answerOf<Sent>(send(customer, folderId, [0], { photos: files(1, name), replaces: true }));
      await ended(customer, folderId);
      return sent.batch_id;
    };
    const first = await replace('first.jpg');
    const failed = await replace('dark.jpg');
    const kept = {
      position: 0,
      status: 'completed',
      original_name: 'first.jpg',
      batch_id: first,
      last_batch_id: failed,
      replacement_error: { code: 'no_product_found' },
    };
    expect((await detailOf(customer, folderId)).photos).toMatchObject([kept]);
    const asked = await answerOf<FolderDetail>(customer.call('GET', `/folders/${folderId}?batch=${failed}`));
    expect(asked.photos).toMatchObject([kept]);
    const last = await replace('last.jpg');
    expect((await detailOf(customer, folderId)).photos).toMatchObject([
      { original_name: 'last.jpg', batch_id: last, last_batch_id: last, replacement_error: null },
    ]);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 2));
    const csv = await customer.call('GET', `/folders/${folderId}/results.csv`);
    const rows: Record<string, string>[] = parse(await csv.text(), { columns: true });
    expect(rows.map(({ original_name, credits }) => [original_name, credits])).toEqual([
      ['first.jpg', '1'],
      ['last.jpg', '1'],
    ]);
  });

  it('that are charged stay in the folder whatever a repetition of their upload comes to', async () => {
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const photos = files(2);
    const { batch_id } = await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'one', photos }));
    const cutOff = await send(customer, folderId, [0, 1], {
      part: 'one',
      body: '--cut\r\ncontent-disposition: form-data; name="files"; filename="a.jpg"\r\n\r\nhalf of',
      headers: { 'content-type': 'multipart/form-data; boundary=cut' },
    });
    expect(cutOff.status).toBe(400);
    const others = await send(customer, folderId, [0, 1], { part: 'one', photos: files(2, 'other.jpg') });
    expect(others.status).toBe(422);
    expect((await historyOf({ accountId }).folder(folderId))?.batches.map(({ batchId }) => batchId)).toEqual([
      batch_id,
    ]);
    expect((await ended(customer, folderId)).photos.map((shown) => shown.batch_id)).toEqual([batch_id, batch_id]);
  });

  it('that are charged are never answered as uncharged because their note cannot be written', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const text = { name: 'notes.jpg', bytes: Uint8Array.from('no image at all, only text', (c) => c.charCodeAt(0)) };
    const photos = [text, { name: 'b.jpg', bytes: photo() }];
    const full = async (): Promise<never> => {
      throw new Error('database or disk is full');
    };
    const place = vi.spyOn(History.prototype, 'placeFolderBatch').mockImplementation(full);
    const early = await send(customer, folderId, [0, 1], { part: 'one', photos });
    expect([early.status, ((await early.json()) as Sent).code]).toEqual([503, 'not_ready']);
    expect(await balanceOf(customer)).toBe(CREDITS);
    expect((await historyOf({ accountId }).folder(folderId))?.batches).toEqual([]);
    place.mockRestore();
    vi.spyOn(History.prototype, 'dropFolderBatch').mockImplementation(full);
    const { batch_id } = await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'one', photos }));
    const again = await send(customer, folderId, [0, 1], { part: 'one', photos });
    expect([again.status, ((await again.json()) as Sent).batch_id]).toEqual([202, batch_id]);
    expect((await ended(customer, folderId)).photos.map((shown) => [shown.position, shown.original_name])).toEqual([
      [1, 'b.jpg'],
    ]);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 1));
  });

  it('that another upload has brought are refused, and charged once, unless they are to replace them', async () => {
    const { customer, keyId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const photos = files(2);
    const first = await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'first', photos }));
    const answers = [await send(customer, folderId, [1, 2])];
    await ended(customer, folderId);
    answers.push(await send(customer, folderId, [1, 2]));
    for (const answer of answers)
      expect(await problemOf(answer)).toMatchObject({ status: 400, errors: [{ code: PHOTO_ALREADY_SENT }] });
    expect((await detailOf(customer, folderId)).photos.map(({ position }) => position)).toEqual([0, 1]);
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 2));
    expect((await send(customer, folderId, [1, 2], { replaces: true })).status).toBe(202);
    const again = await answerOf<Sent>(send(customer, folderId, [0, 1], { part: 'first', photos }));
    expect(again.batch_id).toBe(first.batch_id);
  });

  it('whose upload is under way are told as arriving, and can be sent again once that can open no batch', async () => {
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const note = (position: number, atMs: number): Promise<unknown> => {
      const batchId = newId('batch', atMs, (n) => crypto.getRandomValues(new Uint8Array(n)));
      return historyOf({ accountId }).beginFolderBatch(
        folderId,
        { part: `${position}`, batchId, positions: [position] },
        false,
      );
    };
    await note(3, Date.now());
    await note(5, Date.now() - edgeLimits.folders.arrivingMsMax);
    expect((await detailOf(customer, folderId)).arriving).toEqual([3]);
    expect((await send(customer, folderId, [3])).status).toBe(400);
    expect((await send(customer, folderId, [5])).status).toBe(202);
    await ended(customer, folderId);
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

  it('takes a bounded number of uploads; one that it took may be repeated', async () => {
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const photos = files(1);
    const taken = await answerOf<Sent>(send(customer, folderId, [1], { part: 'taken', photos }));
    const begin = (part: string, batchId: string) =>
      historyOf({ accountId }).beginFolderBatch(folderId, { part, batchId, positions: [0] }, true);
    for (let i = 1; i < edgeLimits.folders.uploadsMax; i++) await begin(`${i}`, `bat_${i}`);
    const refused = await problemOf(await send(customer, folderId, [2]));
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('has had the 150 uploads') });
    const again = await answerOf<Sent>(send(customer, folderId, [1], { part: 'taken', photos }));
    expect(again.batch_id).toBe(taken.batch_id);
    for (let i = 0; i < edgeLimits.folders.retryRowsMax; i++)
      expect(await begin('1', `bat_again_${i}`)).toEqual({ result: 'begun' });
    expect(await begin('1', 'bat_again')).toEqual({ result: 'full' });
    await vi.waitFor(async () => expect(await balanceOf(customer)).toBe(CREDITS - 1));
  });

  it('that was erased while an upload came in is not written to, and nothing of it is charged', async () => {
    const { customer, keyId, accountId } = await seller();
    const folderId = await folderOf(customer, keyId);
    const history = historyOf({ accountId });
    const place = History.prototype.placeFolderBatch;
    vi.spyOn(History.prototype, 'placeFolderBatch').mockImplementationOnce(async function (this: History, ...given) {
      await this.eraseThrough(Date.now() + 1);
      return place.apply(this, given);
    });
    expect((await send(customer, folderId, [0])).status).toBe(400);
    expect(await balanceOf(customer)).toBe(CREDITS);
    await history.addFolder({ folderId, name: 'Autumn', keyId, fields: {}, photos: 3 });
    expect((await history.folder(folderId))?.batches).toEqual([]);
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

describe('a folder that is chosen again', () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const sentOf = (photos: number, known: readonly { position: number; name: string }[], names: string[]) =>
    missingPhotos(photos, known, named(...names)).map(({ position, file }) => [position, file.name]);

  it('sends each photo that did not arrive to its own place, also where several share a name', () => {
    const known = [
      { position: 0, name: 'bag.jpg' },
      { position: 2, name: 'cup.jpg' },
    ];
    expect(sentOf(4, known, ['bag.jpg', 'bag.jpg', 'cup.jpg', 'cup.jpg'])).toEqual([
      [1, 'bag.jpg'],
      [3, 'cup.jpg'],
    ]);
  });

  it('sends no photo that arrived, wherever it stands in the folder now, and no more than are missing', () => {
    const known = [
      { position: 0, name: 'a.jpg' },
      { position: 1, name: 'b.jpg' },
    ];
    expect(sentOf(3, known, ['new.jpg', 'a.jpg', 'b.jpg', 'c.jpg'])).toEqual([[2, 'new.jpg']]);
    expect(sentOf(2, known, ['c.jpg', 'd.jpg'])).toEqual([]);
  });
});

describe('the uploads of a folder', () => {
  it('are as many as it may have, with room for photos that are sent again, however large its photos are', () => {
    for (const megabytes of [1, 4, 10, 16, 25]) {
      const file = { name: 'a.jpg', size: megabytes * 1_000_000 } as File;
      const photos = Array.from({ length: limits.folders.photosMax }, (_, position) => ({ position, file }));
      const parts = partsOf(photos, false);
      expect(parts.flatMap((part) => part.photos)).toEqual(photos);
      expect(parts.length).toBeLessThanOrEqual(0.9 * edgeLimits.folders.uploadsMax);
      for (const part of parts) {
        expect(part.photos.length).toBeLessThanOrEqual(limits.upload.filesMax);
        expect(part.photos.length * file.size).toBeLessThan(0.8 * limits.upload.bodyBytesMax);
      }
    }
  });
});
