/** The part `matte` of an upload: stored, handed to the node, deleted and told apart like the photo it came with. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { uploadResponseSchema } from '../../../shared/api.ts';
import { type FakeOrigin, failing, fakeOrigin, withoutWaiting } from '../support/origin.ts';
import {
  as,
  audited,
  bindings,
  call,
  newAccount,
  photo,
  problemOf,
  storedKeys,
  type TestFile,
  upload,
  uploadForm,
} from '../support/service.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const shoe: TestFile = { name: 'shoe.jpg', bytes: photo() };
const matteOf = (bytes: Uint8Array<ArrayBuffer> = photo('png', 300)): TestFile => ({
  name: 'matte.png',
  bytes,
  part: 'matte',
});
const body = async (response: Response) => uploadResponseSchema.parse(await response.json());
const inputsOf = (batchId: string) => storedKeys(`inputs/${batchId}/`);

describe('a matte', () => {
  it('is handed to the node beside its photo, whatever part comes first, and costs one credit', async () => {
    const account = await newAccount(10);
    for (const parts of [
      [shoe, matteOf()],
      [matteOf(), shoe],
    ]) {
      const response = await upload(account, uploadForm(parts, { marketplace: 'amazon' }));
      const { batch_id } = await body(response);
      expect([response.status, response.headers.get('x-credits-charged')]).toEqual([200, '1']);
      const job = origin.jobs.at(-1);
      expect(new URL(job?.matte_url ?? '').pathname).toMatch(new RegExp(`/inputs/${batch_id}/matte$`));
      expect(job?.options).toMatchObject({ matte: true, marketplace: 'amazon' });
      expect(await inputsOf(batch_id)).toEqual([`inputs/${batch_id}/0000`, `inputs/${batch_id}/matte`]);
      const stored = await bindings.BUCKET.get(`inputs/${batch_id}/matte`);
      expect([stored?.size, stored?.httpMetadata?.contentType]).toEqual([300, 'image/png']);
    }
    expect(await audited(account)).toMatchObject({ available: 8, spent: 2, held: 0 });
  });

  it('goes along with every try, on every node', async () => {
    withoutWaiting();
    const account = await newAccount(10);
    origin.script = (_job, _node, attempt) =>
      attempt === 1 ? 'vanish' : attempt === 2 ? failing('processing_failed', true) : 'complete';
    expect((await upload(account, uploadForm([shoe, matteOf()]))).status).toBe(200);
    expect(origin.jobs.length).toBeGreaterThanOrEqual(3);
    expect(origin.jobs.every(({ matte_url }) => matte_url?.includes('/matte?'))).toBe(true);
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('goes through the queue where the answer is not waited for', async () => {
    const account = await newAccount(10);
    const answer = await upload(account, uploadForm([shoe, matteOf()]), { prefer: 'respond-async' });
    expect(answer.status).toBe(202);
    await vi.waitFor(() => expect(origin.jobs).toHaveLength(1), 10_000);
    expect(origin.jobs[0]?.matte_url).toContain('/matte?');
  });

  it('is gone with its image when the owner deletes it', async () => {
    const account = await newAccount(10);
    const { batch_id, results } = await body(await upload(account, uploadForm([shoe, matteOf()])));
    expect(await inputsOf(batch_id)).toHaveLength(2);
    const [image] = results as { image_id: string }[];
    const path = `/api/v1/batches/${batch_id}/images/${image?.image_id}`;
    expect((await call(path, { method: 'DELETE', headers: as(account) })).status).toBe(204);
    expect(await inputsOf(batch_id)).toEqual([]);
  });

  it('is part of what a repeated request must have the same', async () => {
    const account = await newAccount(10);
    const headers = { 'idempotency-key': 'touch-up-1' };
    const first = await upload(account, uploadForm([shoe, matteOf()]), headers);
    const again = await upload(account, uploadForm([shoe, matteOf()]), headers);
    expect([again.headers.get('idempotent-replayed'), (await body(again)).batch_id]).toEqual([
      'true',
      (await body(first)).batch_id,
    ]);
    for (const other of [[shoe, matteOf(photo('png', 301))], [shoe]])
      expect(await problemOf(await upload(account, uploadForm(other), headers))).toMatchObject({
        code: 'idempotency_mismatch',
      });
    expect(await audited(account)).toMatchObject({ spent: 1 });
  });

  it('that the node refuses ends the image with its code, at no charge', async () => {
    const account = await newAccount(10);
    origin.script = () => failing('invalid_matte');
    expect(await problemOf(await upload(account, uploadForm([shoe, matteOf()])))).toMatchObject({
      status: 422,
      code: 'invalid_matte',
    });
    expect(await audited(account)).toMatchObject({ available: 10, spent: 0 });
  });
});

describe('a matte that cannot be meant', () => {
  const text = Uint8Array.from(new TextEncoder().encode('no picture at all, but long enough to be looked at'));
  const cases: readonly (readonly [string, readonly TestFile[], Record<string, string>, string, string])[] = [
    ['with two photos', [shoe, matteOf(), shoe], {}, 'invalid_matte', 'matte'],
    ['given twice', [shoe, matteOf(), matteOf()], {}, 'invalid_matte', 'matte'],
    ['that is a JPEG', [shoe, matteOf(photo())], {}, 'invalid_matte', 'matte'],
    ['that is a text', [shoe, matteOf(text)], {}, 'invalid_matte', 'matte'],
    ['that is empty', [shoe, matteOf(new Uint8Array())], {}, 'invalid_matte', 'matte'],
    ['larger than a file may be', [shoe, matteOf(photo('png', 25_000_001))], {}, 'file_too_large', 'matte'],
    ['beside a region', [shoe, matteOf()], { region: '10%,10%,50%,50%' }, 'invalid_options', 'region'],
    ['as a text field', [shoe], { matte: 'photo-2.png' }, 'invalid_matte', 'matte'],
  ];
  it.each(cases)(
    '%s is refused by name: nothing is stored, run or charged',
    async (_what, parts, fields, code, field) => {
      const account = await newAccount(10);
      const before = await storedKeys('inputs/');
      const problem = await problemOf(await upload(account, uploadForm(parts, fields)));
      expect(problem).toMatchObject({ code, errors: [expect.objectContaining({ field })] });
      expect(origin.jobs).toEqual([]);
      expect(await storedKeys('inputs/')).toEqual(before);
      expect(await audited(account)).toMatchObject({ available: 10, spent: 0, held: 0 });
    },
  );

  it('without a photo that can be used leaves nothing behind', async () => {
    const account = await newAccount(10);
    const before = await storedKeys('inputs/');
    const problem = await problemOf(await upload(account, uploadForm([{ name: 'a.txt', bytes: text }, matteOf()])));
    expect(problem).toMatchObject({ code: 'unsupported_media_type' });
    expect(await problemOf(await upload(account, uploadForm([matteOf()])))).toMatchObject({ code: 'no_files' });
    expect(await storedKeys('inputs/')).toEqual(before);
  });

  it('sent to a check is refused: a check looks for the product itself', async () => {
    const account = await newAccount(10);
    const response = await call('/api/v1/check', {
      method: 'POST',
      headers: as(account),
      body: uploadForm([shoe, matteOf()]),
    });
    expect(await problemOf(response)).toMatchObject({ code: 'invalid_options' });
  });
});
