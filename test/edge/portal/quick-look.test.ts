/** The landing page's quick look: for anybody, bounded, nothing stored, nothing charged. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { isId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import { bindings, photo } from '../support/service.ts';
import { type Customer, newCustomer } from './customer.ts';

const { perLineHour, perMinute } = edgeLimits.portal.quickLooks;
const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const JPEG = base64Of(photo('jpg', 2_000));

let origin: FakeOrigin;
let visitor: Customer;
beforeEach(async () => {
  origin = fakeOrigin();
  visitor = newCustomer();
  await bindings.DB.prepare("delete from counters where name like 'looks:%'").run();
});
afterEach(async () => {
  vi.restoreAllMocks();
  expect((await bindings.BUCKET.list()).objects).toEqual([]);
  expect(origin.jobs).toEqual([]);
});

const look = (body: unknown = { image: JPEG }, by: Customer = visitor, headers = {}): Promise<Response> =>
  by.call('POST', '/quick-look', body, headers);
const told = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code];

describe('a quick look', () => {
  it('is made for somebody without an account, of the bytes sent, in time', async () => {
    const answer = await look();
    expect([answer.status, await answer.json()]).toEqual([200, { image: btoa('a small picture') }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [asked] = origin.looks;
    expect(asked).toMatchObject({ image: JPEG, account_id: 'visitors' });
    expect(isId('quickLook', asked?.look_id ?? '')).toBe(true);
    expect((asked?.deadline_at ?? 0) - Date.now()).toBeLessThanOrEqual(limits.quickLook.waitMsMax);
  });

  it('is not made of what is no small JPEG, nor for another site', async () => {
    for (const body of [
      {},
      { image: 5 },
      { image: 'not base64!' },
      { image: '' },
      { image: base64Of(photo('png')) },
      { image: JPEG, more: 1 },
    ])
      expect(await told(await look(body)), JSON.stringify(body).slice(0, 60)).toEqual([400, 'invalid_request']);
    const large = { image: 'A'.repeat(limits.quickLook.bodyBytesMax) };
    expect(await told(await look(large))).toEqual([413, 'body_too_large']);
    const other = await look(undefined, visitor, { origin: 'https://evil.example' });
    expect(await told(other)).toEqual([403, 'cross_site_request']);
    expect(origin.looks).toEqual([]);
  });

  it('as large as it may be passes', async () => {
    const bytes = new Uint8Array(limits.quickLook.imageBytesMax).fill(1);
    bytes.set(photo('jpg'));
    let text = '';
    for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    expect((await look({ image: btoa(text) })).status).toBe(200);
    expect((await look({ image: btoa(`${text}!!!`) })).status).toBe(400);
  });

  it('says what is wrong with the photo, and nothing of a fleet that is busy, away or broken', async () => {
    const failed = (code: 'no_product_found' | 'origin_busy', retryable: boolean) => ({
      failed: { code, detail: 'detail', retryable },
    });
    origin.lookScript = () => failed('no_product_found', false);
    expect(await told(await look())).toEqual([422, 'no_product_found']);
    for (const deed of [failed('origin_busy', true), { busy: 3 }, 'vanish'] as const) {
      origin.lookScript = () => deed;
      expect(await told(await look()), JSON.stringify(deed)).toEqual([503, 'not_ready']);
    }
  });

  it('is counted by client and over all of them; what is refused asks no node', async () => {
    const answers = await Promise.all(Array.from({ length: perLineHour + 5 }, () => look()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perLineHour);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(origin.looks).toHaveLength(perLineHour);
    const rest = perMinute - perLineHour;
    for (let n = 0; n < rest; n++) expect((await look(undefined, newCustomer())).status).toBe(200);
    expect((await look(undefined, newCustomer())).status).toBe(429);
    expect(origin.looks).toHaveLength(perMinute);
  });
});
