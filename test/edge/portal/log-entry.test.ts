/** One request of the portal's log: what was sent, by which key, and what was answered; and a run that lost its page. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchStatusSchema, problemSchema, uploadResponseSchema } from '../../../shared/api.ts';
import type { KeyCreated, LogDetail, RunAgain } from '../../../shared/portal-api.ts';
import { shop } from '../batch/shop.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import { as, call, createBatch, files, sagaOf, upload, uploadForm } from '../support/service.ts';
import { answerOf, registered } from './customer.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => vi.restoreAllMocks());

const customerWithKey = async () => {
  const customer = await registered();
  const { secret } = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'Shop', mode: 'test' }));
  return { customer, secret };
};
const entryOf = (customer: Awaited<ReturnType<typeof registered>>, requestId: string | null) =>
  vi.waitFor(async () => {
    const answer = await customer.call('GET', `/logs/${requestId}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as LogDetail;
  });

describe('a request of the log', () => {
  it('that failed says its file, key and options, and its answer again as it was sent', async () => {
    origin.script = () => failing('no_product_found');
    const { customer, secret } = await customerWithKey();
    const response = await upload({ apiKey: secret }, uploadForm(files(1), { marketplace: 'walmart' }));
    expect(response.status).toBe(422);
    const sent = problemSchema.parse(await response.json());
    const entry = await entryOf(customer, response.headers.get('request-id'));
    expect(entry).toMatchObject({ key_label: 'Shop', options: { marketplace: 'walmart' } });
    expect(entry.images).toMatchObject([
      { status: 'failed', filename: 'shoe.jpg', error: { code: 'no_product_found' } },
    ]);
    expect(entry.response).toEqual(sent);
  });

  it('that was refused without a batch says the key and the documented answer', async () => {
    const { customer, secret } = await customerWithKey();
    const response = await call('/api/v1/service-hero', {
      method: 'POST',
      headers: { ...as({ apiKey: secret }), 'content-type': 'application/json' },
      body: '{"images":[]}',
    });
    const entry = await entryOf(customer, response.headers.get('request-id'));
    expect(entry).toMatchObject({
      key_label: 'Shop',
      options: null,
      images: [],
      response: { code: 'invalid_request' },
    });
    problemSchema.parse(entry.response);
  });
});

describe('a request that made images', () => {
  const sent = async (customer: Awaited<ReturnType<typeof registered>>, secret: string) => {
    const photo = files(1)[0]!;
    const answer = await upload({ apiKey: secret }, uploadForm([photo], { marketplace: 'etsy', shadow: 'soft' }));
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get('request-id');
    return { photo, requestId, answer: uploadResponseSchema.parse(await answer.json()), customer };
  };

  it('shows what was sent and answered, and where the time of each image went', async () => {
    const { customer, secret } = await customerWithKey();
    const { requestId, answer } = await sent(customer, secret);
    const entry = await entryOf(customer, requestId);
    expect(entry).toMatchObject({
      style: 'upload',
      fields: { marketplace: 'etsy', shadow: 'soft' },
      request: { files: ['shoe.jpg'], marketplace: 'etsy', shadow: 'soft' },
    });
    expect(entry.images[0]?.timing?.stages.length).toBeGreaterThan(0);
    const shown = uploadResponseSchema.parse(entry.response);
    const lasting = ({ results, ...rest }: typeof shown) => ({
      ...rest,
      results: results.map(
        ({ clean_url: _url, preview_url: _preview, expires_at: _at, ...result }: object & Record<string, unknown>) =>
          result,
      ),
    });
    expect(lasting(shown)).toEqual(lasting(answer));
  });

  it('shows its photo, byte for byte, to nobody else, and not once it was deleted', async () => {
    const { customer, secret } = await customerWithKey();
    const { requestId, photo, answer } = await sent(customer, secret);
    const entry = await entryOf(customer, requestId);
    expect(entry.images).toMatchObject([{ has_input: true, original_name: 'shoe.jpg' }]);
    const path = `/logs/${requestId}/inputs/0`;
    const shown = await customer.call('GET', path);
    expect(shown.headers.get('content-type')).toBe('image/jpeg');
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(photo.bytes);
    for (const other of [`/logs/${requestId}/inputs/1`, `/logs/${requestId}/inputs/..`, '/logs/req_none/inputs/0'])
      expect((await customer.call('GET', other)).status, other).toBe(404);
    const stranger = await registered();
    for (const one of [path, `/logs/${requestId}`]) expect((await stranger.call('GET', one)).status).toBe(404);
    const batchId = answer.batch_id;
    await call(`/api/v1/batches/${batchId}`, { method: 'DELETE', headers: as({ apiKey: secret }) });
    expect((await customer.call('GET', path)).status).toBe(404);
  });

  it('of files that were to be answered as a batch shows the files, not addresses', async () => {
    const { customer, secret } = await customerWithKey();
    const answer = await upload({ apiKey: secret }, uploadForm(files(2)), { prefer: 'respond-async' });
    expect(answer.status).toBe(202);
    const entry = await entryOf(customer, answer.headers.get('request-id'));
    expect(entry).toMatchObject({ style: 'upload', request: { files: ['shoe.jpg', 'shoe.jpg'] } });
    batchStatusSchema.parse(entry.response);
  });

  it('of a batch shows its addresses without their queries, and its status', async () => {
    const outside = shop();
    origin = fakeOrigin(outside.answer);
    const { customer, secret } = await customerWithKey();
    const created = await createBatch(
      { apiKey: secret },
      {
        images: [{ input_url: 'https://photos.shop.com/0.jpg?signature=s3cret' }],
        webhook_url: 'https://hooks.shop.com/in?token=s3cret',
      },
    );
    const { batch_id } = (await created.json()) as { batch_id: string };
    await sagaOf(batch_id).snapshot({ waitMs: 20_000 });
    const entry = await entryOf(customer, created.headers.get('request-id'));
    expect(entry).toMatchObject({
      style: 'batch',
      request: {
        images: [{ input_url: 'https://photos.shop.com/0.jpg?…' }],
        webhook_url: 'https://hooks.shop.com/in?…',
      },
    });
    expect(batchStatusSchema.parse(entry.response)).toMatchObject({ batch_id, status: 'completed' });
    expect(JSON.stringify(entry)).not.toContain('s3cret');
  });
});

describe('a run whose page was left', () => {
  it('is found by its Idempotency-Key, for the account that made it and nobody else', async () => {
    const { customer, secret } = await customerWithKey();
    const headers = { 'idempotency-key': 'run-1' };
    expect((await upload({ apiKey: secret }, uploadForm(files(1)), headers)).status).toBe(200);
    const { images } = await answerOf<RunAgain>(customer.call('GET', '/runs/run-1'));
    expect(images).toMatchObject([{ status: 'completed', review: { verdict: 'ready' } }]);
    expect((await call(new URL(images[0]?.download_url ?? '').pathname)).status).toBe(200);
    expect((await customer.call('GET', '/runs/run-2')).status).toBe(404);
    expect((await (await registered()).call('GET', '/runs/run-1')).status).toBe(404);
  });
});
