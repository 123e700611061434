/** All of a batch in one file: the ZIP of its results, and its table. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { archivePart, NOT_INCLUDED } from '../../../edge/results/archive.ts';
import { type ResultSlot, resultSlots } from '../../../edge/results/files.ts';
import { batchCsvPath, batchPath, batchZipPath } from '../../../shared/paths.ts';
import { type FakeOrigin, failing, fakeOrigin, otherBytes, RESULT_BYTES } from '../support/origin.ts';
import {
  accountOf,
  as,
  bindings,
  call,
  newAccount,
  newKey,
  photo,
  problemOf,
  sagaOf,
  sagaStub,
  type TestAccount,
  upload,
  uploadForm,
} from '../support/service.ts';

let account: TestAccount;
let origin: FakeOrigin;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(30);
});
afterEach(() => void vi.restoreAllMocks());

type Made = { readonly batch_id: string; readonly results: readonly { readonly image_id: string }[] };
const made = async (names: readonly string[], fields: Record<string, string> = {}): Promise<Made> => {
  const answer = await upload(
    account,
    uploadForm(
      names.map((name) => ({ name, bytes: photo() })),
      fields,
    ),
  );
  expect(answer.status).toBe(200);
  return answer.json();
};
const get = (path: string, by: TestAccount = account): Promise<Response> => call(path, { headers: as(by) });
const archiveOf = async (batchId: string): Promise<Record<string, Uint8Array>> => {
  const answer = await get(batchZipPath(batchId));
  expect(answer.status).toBe(200);
  return unzipSync(new Uint8Array(await answer.arrayBuffer()));
};
const tableOf = async (batchId: string): Promise<Record<string, string>[]> => {
  const answer = await get(batchCsvPath(batchId));
  expect(answer.status).toBe(200);
  return parse(await answer.text(), { columns: true });
};

describe('the ZIP of a batch', () => {
  it('has every result with the bytes of its download, named after its photo, doubles numbered', async () => {
    const { batch_id } = await made(['mug.png', 'mug.jpg', 'Schöne Schuhe.jpg']);
    const answer = await get(batchZipPath(batch_id));
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="packshot-${batch_id}.zip"`);
    expect(answer.headers.get('content-length')).toBeNull();
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(Object.keys(files)).toEqual(['mug.jpg', 'mug-2.jpg', 'Schöne-Schuhe.jpg']);
    for (const bytes of Object.values(files)) expect(bytes).toEqual(new Uint8Array(RESULT_BYTES).fill(1));
  });

  it('has the file of every marketplace', async () => {
    const { batch_id } = await made(['mug.jpg'], { marketplaces: 'amazon,walmart' });
    const files = await archiveOf(batch_id);
    expect(Object.keys(files)).toEqual(['mug.jpg', 'mug-walmart.jpg']);
    expect(files['mug-walmart.jpg']).toHaveLength(otherBytes(0));
  });

  it('names in a text what was deleted, and what is gone from the store, instead of breaking', async () => {
    const { batch_id, results } = await made(['a.jpg', 'b.jpg', 'c.jpg']);
    const path = `${batchPath(batch_id)}/images/${results[0]?.image_id}`;
    expect((await call(path, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    await bindings.BUCKET.delete(`results/${batch_id}/0001.jpg`);
    const files = await archiveOf(batch_id);
    expect(Object.keys(files)).toEqual(['c.jpg', NOT_INCLUDED]);
    const said = strFromU8(files[NOT_INCLUDED] ?? new Uint8Array());
    expect(said).toContain(`image 1 of ${batch_id}`);
    expect(said).toContain('b.jpg');
    expect(said).not.toContain('a.jpg');
  });

  it('is for the key that made the batch alone', async () => {
    const { batch_id } = await made(['a.jpg']);
    for (const path of [batchZipPath(batch_id), batchCsvPath(batch_id)]) {
      expect((await problemOf(await get(path, await newKey(account)))).code).toBe('batch_not_found');
      expect((await problemOf(await call(path))).code).toBe('key_missing');
      expect((await problemOf(await get(path, await newKey(account, 'live', { scopes: ['images:write'] })))).code).toBe(
        'key_scope_missing',
      );
    }
  });

  it('in the part asked for, or not at all', async () => {
    const { batch_id } = await made(['a.jpg']);
    expect((await get(`${batchZipPath(batch_id)}?part=1`)).status).toBe(200);
    for (const part of ['0', '2', 'x', ''])
      expect((await problemOf(await get(`${batchZipPath(batch_id)}?part=${part}`))).code).toBe('invalid_request');
  });

  it('delivers what goes with its first complete download, and only when it was read to its end', async () => {
    await accountOf(account).setRetention(0);
    const { batch_id } = await made(['a.jpg', 'b.jpg']);
    const broken = (await get(batchZipPath(batch_id))).body?.getReader();
    await broken?.read();
    await broken?.cancel();
    expect(Object.keys(await archiveOf(batch_id))).toEqual(['a.jpg', 'b.jpg']);
    await vi.waitFor(async () => expect(Object.keys(await archiveOf(batch_id))).toEqual([NOT_INCLUDED]));
  });

  it('has nothing of a batch whose life has ended', async () => {
    const { batch_id } = await made(['a.jpg']);
    await runInDurableObject(sagaStub(batch_id), (saga) => {
      saga.now = () => Date.now() + 8 * 86_400_000;
    });
    await runDurableObjectAlarm(sagaStub(batch_id));
    expect(Object.keys(await archiveOf(batch_id))).toEqual([NOT_INCLUDED]);
  });

  it('is cut into parts that lack and repeat nothing, whatever was delivered, deleted or finished between them', () => {
    const { zipFilesMax } = edgeLimits.results;
    const slots: ResultSlot[] = Array.from({ length: 2 * zipFilesMax + 1 }, (_, i) => ({
      file: { name: `${i}.jpg`, objectKey: `${i}` },
    }));
    const first = archivePart(slots, 1)?.files ?? [];
    const later: ResultSlot[] = slots.map((slot, i) => (i < zipFilesMax ? { gone: `${i}.jpg` } : slot));
    const rest = [2, 3].flatMap((part) => archivePart(later, part)?.files ?? []);
    expect([...first, ...rest]).toEqual(slots.map(({ file }) => file));
    expect(archivePart(later, 1)).toMatchObject({ files: [], parts: 3, gone: first.map(({ name }) => name) });
    expect(archivePart(slots, 4)).toBeUndefined();
  });

  it('gives each image its places from the start', async () => {
    origin.script = (job) => (job.job_id.endsWith('_0001') ? failing('no_product_found') : 'complete');
    const { batch_id, results } = await made(['a.jpg', 'b.jpg', 'c.jpg'], { marketplaces: 'amazon,walmart' });
    const shown = async () => {
      const batch = await sagaOf(batch_id).snapshot();
      if (!batch) throw new Error('no batch');
      return resultSlots(
        batch.images.map((image) => ({ batch, image })),
        Date.now(),
      );
    };
    const before = await shown();
    expect(before.map(({ file }) => file?.name)).toEqual([
      'a.jpg',
      'a-walmart.jpg',
      undefined,
      undefined,
      'c.jpg',
      'c-walmart.jpg',
    ]);
    const path = `${batchPath(batch_id)}/images/${results[0]?.image_id}`;
    expect((await call(path, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    expect((await shown()).slice(2)).toEqual(before.slice(2));
    expect((await shown())[0]).toEqual({ gone: `image 1 of ${batch_id}` });
  });
});

describe('the table of a batch', () => {
  it('has a row for every image: verdict or reason, and what it cost', async () => {
    origin.script = (job) => (job.job_id.endsWith('_0001') ? failing('no_product_found') : 'complete');
    const { batch_id } = await made(['a.jpg', 'b.jpg', 'c.jpg']);
    const answer = await get(batchCsvPath(batch_id));
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = await tableOf(batch_id);
    expect(
      rows.map(({ original_name, status, verdict, error_code, credits }) => [
        original_name,
        status,
        verdict,
        error_code,
        credits,
      ]),
    ).toEqual([
      ['a.jpg', 'completed', 'ready', '', '1'],
      ['b.jpg', 'failed', '', 'no_product_found', '0'],
      ['c.jpg', 'completed', 'ready', '', '1'],
    ]);
    expect((await call(new URL(rows[0]?.['download_url'] ?? '').pathname)).status).toBe(200);
  });

  it('has no text that a spreadsheet would run', async () => {
    const { batch_id } = await made(['=1+1.jpg']);
    expect((await tableOf(batch_id))[0]?.['original_name']).toBe("'=1+1.jpg");
  });
});
