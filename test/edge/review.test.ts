/** The verdict on an image, the same in the answer of an upload, a batch's status, its webhook and the portal's log. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { statusImage } from '../../edge/responses/image.ts';
import { batchStatusSchema, type Compliance, uploadResponseSchema } from '../../shared/api.ts';
import type { CompletedOutcome } from '../../shared/job.ts';
import type { KeyCreated, LogDetail } from '../../shared/portal-api.ts';
import type { Review } from '../../shared/review.ts';
import { type Shop, shop } from './batch/shop.ts';
import { answerOf, registered } from './portal/customer.ts';
import { completed, croppedFinding, type FakeOrigin, fakeOrigin } from './support/origin.ts';
import {
  as,
  call,
  createBatch,
  files,
  newAccount,
  sagaOf,
  type TestAccount,
  upload,
  uploadForm,
} from './support/service.ts';

let origin: FakeOrigin;
let outside: Shop;
let account: TestAccount;
beforeEach(async () => {
  outside = shop();
  origin = fakeOrigin(outside.answer);
  account = await newAccount(5);
});
afterEach(() => vi.restoreAllMocks());

const { code, detail, remedy } = croppedFinding;
const retake: Review = { verdict: 'retake', reasons: [{ code, detail, remedy }] };
const ready: Review = { verdict: 'ready', reasons: [] };
const cropFirst = () => {
  origin.findings = ({ job_id }) => (job_id.endsWith('0') ? [croppedFinding] : []);
};

describe('the verdict on an image', () => {
  it('is in the answer of its upload, beside the specified fields as they were', async () => {
    cropFirst();
    const response = await upload(account, uploadForm(files(2)));
    const { results } = uploadResponseSchema.parse(await response.json());
    expect(results.map((result) => 'review' in result && result.review)).toEqual([retake, ready]);
    expect(results[0]).toMatchObject({ original_name: 'shoe.jpg', format: 'JPG', amazon_compliant: true });
  });

  it('is in the status of its batch and in its webhook', async () => {
    cropFirst();
    const created = await createBatch(account, {
      images: [0, 1].map((n) => ({ input_url: `https://photos.shop.com/${n}.jpg` })),
      webhook_url: 'https://hooks.shop.com/done',
    });
    const { batch_id } = (await created.json()) as { batch_id: string };
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1), { timeout: 10_000 });
    const status = await call(`/api/v1/service-hero/status/${batch_id}`, { headers: as(account) });
    for (const body of [await status.json(), JSON.parse(outside.hooks[0]?.body ?? '')]) {
      const { images } = batchStatusSchema.parse(body);
      expect(images.map((image) => image.status === 'completed' && image.review)).toEqual([retake, ready]);
    }
  });

  it('is in the portal’s log, and with a test key that of the full-size result, its mark not counted', async () => {
    cropFirst();
    const customer = await registered();
    const { secret } = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'Test', mode: 'test' }));
    const response = await upload({ apiKey: secret }, uploadForm(files(2)));
    expect(origin.jobs.every(({ watermark }) => watermark)).toBe(true);
    const shown = await vi.waitFor(async () => {
      const answer = await customer.call('GET', `/logs/${response.headers.get('request-id')}`);
      expect(answer.status).toBe(200);
      return (await answer.json()) as LogDetail;
    });
    expect(shown.images.map(({ review }) => review)).toEqual([retake, ready]);
    expect(shown.images.map(({ matte_confidence }) => matte_confidence)).toEqual([0.97, 0.97]);
  });

  it('weighs the files of every marketplace that was asked for', async () => {
    const snapshot = await oneImage();
    const outcome = completed({ options: snapshot.batch.options });
    const failing = { rule: 'size', severity: 'required', required: '2200', measured: '2000', passed: false } as const;
    const compliance: Compliance = { marketplace: 'walmart', passed: false, checks: [failing] };
    const walmart = { ...outcome, compliance };
    expect(await reviewed(snapshot, { ...outcome, others: [walmart] })).toMatchObject({
      verdict: 'needs_a_look',
      reasons: [{ code: 'rule_not_met' }],
    });
    expect(await reviewed(snapshot, { ...outcome, matte_confidence: 0.899 })).toMatchObject({
      verdict: 'needs_a_look',
      reasons: [{ code: 'low_confidence' }],
    });
  });

  it('is made of an outcome that an earlier release stored, without findings or severities', async () => {
    const snapshot = await oneImage();
    const { findings: _, ...stored } = completed({ options: snapshot.batch.options });
    const check = { rule: 'background_white', required: '255', measured: '9', passed: false };
    const older = { ...stored, compliance: { marketplace: 'amazon', passed: false, checks: [check] } };
    expect(await reviewed(snapshot, stored as CompletedOutcome)).toEqual(ready);
    expect(await reviewed(snapshot, older as unknown as CompletedOutcome)).toMatchObject({ verdict: 'needs_a_look' });
  });
});

it('the time spent on an image is in whole milliseconds', async () => {
  const snapshot = await oneImage();
  const outcome = completed({ options: snapshot.batch.options });
  expect(await shownOf(snapshot, { ...outcome, processing_ms: 1179.6 })).toMatchObject({ processing_ms: 1180 });
});

const oneImage = async () => {
  const { batch_id } = (await (await upload(account, uploadForm(files(1)))).json()) as { batch_id: string };
  const batch = await sagaOf(batch_id).snapshot();
  const image = batch?.images[0];
  if (!batch || !image) throw new Error('no image');
  return { batch, image };
};
const services = { clock: { nowMs: () => Date.now() }, downloadUrl: async () => 'https://shop.example/x.jpg' };
const shownOf = ({ batch, image }: Awaited<ReturnType<typeof oneImage>>, outcome: CompletedOutcome) =>
  statusImage(services as never, batch, { ...image, outcome });
const reviewed = async (snapshot: Awaited<ReturnType<typeof oneImage>>, outcome: CompletedOutcome) => {
  const shown = await shownOf(snapshot, outcome);
  return shown.status === 'completed' ? shown.review : undefined;
};
