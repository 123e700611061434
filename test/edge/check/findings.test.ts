/** Findings of paid images: in the answer of an upload, the status of a batch, its webhook, and the portal's log. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { statusImage } from '../../../edge/responses/image.ts';
import { findingTexts } from '../../../shared/finding-texts.ts';
import { findingCodes } from '../../../shared/findings.ts';
import type { CompletedOutcome } from '../../../shared/job.ts';
import type { KeyCreated, LogDetail } from '../../../shared/portal-api.ts';
import { type Shop, shop } from '../batch/shop.ts';
import { answerOf, registered } from '../portal/customer.ts';
import { croppedFinding, type FakeOrigin, failing, fakeOrigin } from '../support/origin.ts';
import {
  as,
  audited,
  call,
  createBatch,
  files,
  newAccount,
  problemOf,
  sagaOf,
  type TestAccount,
  upload,
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
afterEach(() => vi.restoreAllMocks());

type Body = { batch_id: string; results: Record<string, unknown>[]; images: Record<string, unknown>[] };

describe('a paid image', () => {
  it('carries its findings in the upload’s answer, and an empty list where there are none', async () => {
    origin.findings = ({ job_id }) => (job_id.endsWith('0') ? [croppedFinding] : []);
    const response = await upload(account, uploadForm(files(2)));
    const { results } = (await response.json()) as Body;
    expect(results.map(({ findings }) => findings)).toEqual([[croppedFinding], []]);
    expect(response.headers.get('x-credits-charged')).toBe('2');
  });

  it('carries them in the status of its batch and in its webhook', async () => {
    origin.findings = () => [croppedFinding];
    const created = await createBatch(account, {
      input_url: 'https://photos.shop.com/0.jpg',
      webhook_url: 'https://hooks.shop.com/done',
    });
    const { batch_id } = (await created.json()) as Body;
    await vi.waitFor(() => expect(outside.hooks).toHaveLength(1), { timeout: 10_000 });
    const status = await call(`/api/v1/service-hero/status/${batch_id}`, { headers: as(account) });
    for (const body of [(await status.json()) as Body, JSON.parse(outside.hooks[0]?.body ?? '') as Body])
      expect(body.images[0]).toMatchObject({ status: 'completed', findings: [croppedFinding] });
  });

  it('shows them in the request log of the portal, and the remedy of one that a finding ended', async () => {
    origin.findings = () => [croppedFinding];
    origin.script = ({ job_id }) => (job_id.endsWith('1') ? failing('product_cropped') : 'complete');
    const customer = await registered();
    const { secret } = await answerOf<KeyCreated>(customer.call('POST', '/keys', { label: 'Test', mode: 'test' }));
    const response = await upload({ apiKey: secret }, uploadForm(files(2)));
    const path = `/logs/${response.headers.get('request-id')}`;
    const shown = await vi.waitFor(async () => {
      const answer = await customer.call('GET', path);
      expect(answer.status).toBe(200);
      return (await answer.json()) as LogDetail;
    });
    expect(shown.images.map(({ findings }) => findings)).toEqual([[croppedFinding], []]);
    expect(shown.images[1]?.error).toMatchObject({
      code: 'product_cropped',
      remedy: findingTexts.product_cropped.remedy,
    });
  });

  it('of an earlier release, whose outcome has none, answers an empty list', async () => {
    const { batch_id } = (await (await upload(account, uploadForm(files(1)))).json()) as Body;
    const batch = await sagaOf(batch_id).snapshot();
    const image = batch?.images[0];
    if (!batch || image?.outcome?.status !== 'completed') throw new Error('the image is not completed');
    const { findings: _, ...older } = image.outcome;
    const services = { clock: { nowMs: () => Date.now() }, downloadUrl: async () => 'https://shop.example/x.jpg' };
    const shown = await statusImage(services as never, batch, { ...image, outcome: older as CompletedOutcome });
    expect(shown).toMatchObject({ status: 'completed', findings: [] });
  });

  it('repeated with its Idempotency-Key is charged once, however many findings its files have', async () => {
    const long = { ...croppedFinding, detail: '"'.repeat(300), remedy: '\\'.repeat(300) };
    origin.findings = () => Array.from({ length: 20 }, () => long);
    const rich = await newAccount(40);
    const send = () => upload(rich, uploadForm(files(20)), { 'idempotency-key': 'many-findings' });
    const first = await (await send()).text();
    const again = await send();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(first);
    expect(await audited(rich)).toMatchObject({ available: 20, spent: 20 });
  });
});

describe('an image that a finding ended', () => {
  beforeEach(() => {
    origin.script = ({ job_id }) => (job_id.endsWith('0') ? failing('product_cropped') : 'complete');
  });
  const remedy = findingTexts.product_cropped.remedy;

  it('says its code, what was measured and the remedy, and is not charged', async () => {
    const response = await upload(account, uploadForm(files(2), { on_finding: 'fail' }));
    const { results } = (await response.json()) as Body;
    expect(results[0]?.['error']).toEqual({ code: 'product_cropped', detail: 'scripted product_cropped', remedy });
    expect(origin.jobs[0]?.options.on_finding).toBe('fail');
    expect(await audited(account)).toMatchObject({ available: 4, spent: 1 });
  });

  it('alone in its upload is a problem that says so for its file', async () => {
    const response = await upload(account, uploadForm(files(1), { on_finding: 'fail' }));
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 422, code: 'product_cropped', retryable: false });
    expect(problem.errors).toEqual([
      { field: 'files[0]', code: 'product_cropped', detail: 'shoe.jpg: scripted product_cropped', remedy },
    ]);
    expect(await audited(account)).toMatchObject({ available: 5, spent: 0 });
  });

  it('in a batch has its credit returned', async () => {
    const options = { on_finding: 'fail' };
    const created = await createBatch(account, { input_url: 'https://photos.shop.com/0.jpg', options });
    const { batch_id } = (await created.json()) as Body;
    await vi.waitFor(
      async () => {
        const status = await call(`/api/v1/service-hero/status/${batch_id}`, { headers: as(account) });
        expect(await status.json()).toMatchObject({
          refunded_images: 1,
          images: [{ status: 'failed', error: { code: 'product_cropped', remedy } }],
        });
      },
      { timeout: 10_000 },
    );
  });
});

it('every finding has its texts', () => {
  expect(Object.keys(findingTexts)).toEqual([...findingCodes]);
  for (const text of Object.values(findingTexts))
    for (const sentence of [text.meaning, text.remedy]) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
