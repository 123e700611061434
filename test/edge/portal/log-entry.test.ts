/** One request of the portal's log: what was sent, by which key, and what was answered; and a run that lost its page. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { problemSchema } from '../../../shared/api.ts';
import type { KeyCreated, LogDetail, RunAgain } from '../../../shared/portal-api.ts';
import { type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import { as, call, files, upload, uploadForm } from '../support/service.ts';
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
