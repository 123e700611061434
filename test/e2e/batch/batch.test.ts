/** Batch style against the whole system: a shop's web server on loopback, both tiers, the real model. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount } from '../../../local/system.ts';
import { batchCreatedSchema, batchStatusSchema } from '../../../shared/api.ts';
import { CENTRE_TOLERANCE_PX, FILL_TOLERANCE, MAIN_IMAGE_FILL } from '../../../shared/marketplaces/specified.ts';
import { checkHero } from '../../support/hero-check.ts';
import { type TemporarySystem, temporarySystem, upload } from '../../support/local-system.ts';
import { type PhotoServer, startPhotoServer } from '../../support/photo-server.ts';
import { renderScene } from '../../support/scenes.ts';
import { accountOf, download, expectBalanced, problemOf } from '../support.ts';
import { completedOf, create, finished, follow, poll, post, statusOf } from './support.ts';

let shop: PhotoServer;
let system: TemporarySystem;
beforeAll(async () => {
  shop = await startPhotoServer();
  system = await temporarySystem({ credits: 1_000, env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
});
afterAll(async () => {
  await system?.remove();
  await shop?.close();
});

const photos = (count: number): string[] => Array.from({ length: count }, (_, i) => `${shop.url}/photo/${i}.jpg`);

describe('a batch of 50 URLs', () => {
  it('completes by itself, shows honest progress, and every download is a marketplace main image', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 60);
    const created = await create(system, account, photos(50));
    expect(created).toMatchObject({
      success: true,
      status: 'queued',
      charged_images: 50,
      remaining_api_credits_usd: '$2.50',
    });
    expect(created.images).toHaveLength(50);
    const seen: number[] = [];
    const status = await follow(system, account, created.batch_id, 280_000, (now) => {
      seen.push(finished(now));
      return finished(now) === 50;
    });
    expect(status).toMatchObject({
      status: 'completed',
      charged_images: 50,
      refunded_images: 0,
      remaining_api_credits_usd: '$2.50',
    });
    expect(new Set(seen).size).toBeGreaterThan(3);
    expect(new Set(completedOf(status).map(({ clean_download_url }) => clean_download_url)).size).toBe(50);
    for (const image of completedOf(status)) {
      const hero = await checkHero(await download(image.clean_download_url ?? ''));
      expect([hero.width, hero.height, hero.cornersWhite], image.filename).toEqual([2000, 2000, true]);
      expect(Math.abs(hero.fill - MAIN_IMAGE_FILL), image.filename).toBeLessThanOrEqual(FILL_TOLERANCE);
      expect(Math.max(hero.offCentre.x, hero.offCentre.y), image.filename).toBeLessThanOrEqual(CENTRE_TOLERANCE_PX);
      expect(image.amazon_compliant).toBe(true);
    }
    const preview = await download(completedOf(status)[0]?.preview_url ?? '');
    expect(Math.max((await checkHero(preview)).width, (await checkHero(preview)).height)).toBe(512);
    await expectBalanced(system, { spent: 50 }, account);
    expect((await accountOf(system, account.apiKey)).remaining_api_credits_usd).toBe(2.5);
  });
});

describe('an address that leads to no image', () => {
  it('fails its image alone, under its own code, and gives its credit back', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 40);
    const cases: [string, string | undefined][] = [
      [`${shop.url}/photo/1.jpg`, undefined],
      [`${shop.url}/to-photo`, undefined],
      [`${shop.url}/missing.jpg`, 'url_status'],
      [`${shop.url}/broken-server.jpg`, 'url_server_error'],
      [`${shop.url}/page.jpg`, 'url_not_an_image'],
      [`${shop.url}/empty.jpg`, 'file_empty'],
      [`${shop.url}/cut.jpg`, 'unreadable_image'],
      [`${shop.url}/loop`, 'url_too_many_redirects'],
      [`${shop.url}/to-metadata`, 'url_forbidden'],
      [`${shop.url}/to-loopback`, 'url_forbidden'],
      [`${shop.url}/huge.jpg`, 'file_too_large'],
      [`${shop.url}/endless.jpg`, 'file_too_large'],
      [`${shop.url}/drip.jpg`, 'url_timeout'],
      [`${shop.url}/hang-up.jpg`, 'url_unreachable'],
      [`${system.originUrl}/healthz`, 'url_forbidden'],
      [`${system.baseUrl}/api/v1/openapi.json`, 'url_forbidden'],
      ['http://[::ffff:127.0.0.1]/a.jpg', 'url_forbidden'],
      ['http://intranet.local/a.jpg', 'url_forbidden'],
      ['http://user@photos.shop.com/a.jpg', 'url_invalid'],
      ['ftp://photos.shop.com/a.jpg', 'url_invalid'],
      // No resolver can be reached from here: a name is refused rather than trusted.
      ['https://photos.shop.com/a.jpg', 'url_unreachable'],
    ];
    const created = await create(
      system,
      account,
      cases.map(([url]) => url),
      { webhook_url: `${shop.url}/hook/addresses` },
    );
    const status = await follow(system, account, created.batch_id, 280_000);
    expect(status.images.map((image) => (image.status === 'failed' ? image.error.code : undefined))).toEqual(
      cases.map(([, code]) => code),
    );
    expect(status).toMatchObject({
      status: 'completed_with_errors',
      success: true,
      charged_images: 2,
      refunded_images: cases.length - 2,
      progress: { completed: 2 },
    });
    expect(
      status.images.filter((image) => image.status === 'failed').every((image) => !('clean_download_url' in image)),
    ).toBe(true);
    await expectBalanced(system, { spent: 2 }, account);

    const told = await vi.waitUntil(
      () => (shop.hooks.length > 0 ? shop.hooks.filter(({ name }) => name === 'addresses') : undefined),
      10_000,
    );
    expect(told.map(({ headers }) => headers['webhook-id'])).toEqual([created.batch_id.replace('bat_', 'evt_')]);
    expect(batchStatusSchema.parse(JSON.parse(told[0]?.body ?? '')).progress).toEqual(status.progress);
  });
});

describe('who may see and what is refused', () => {
  it('shows a batch to the key that made it and to no other', async () => {
    const [mine, other] = [
      await createAccount(system.baseUrl, system.secrets, 2),
      await createAccount(system.baseUrl, system.secrets, 2),
    ];
    const { batch_id } = await create(system, mine, photos(1));
    expect((await poll(system, mine.apiKey, batch_id)).status).toBe(200);
    const refused = await poll(system, other.apiKey, batch_id);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([404, 'batch_not_found']);
    await follow(system, mine, batch_id, 120_000);
  });

  it('refuses a batch that costs more than is there, and holds nothing of it', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 2);
    const answer = await post(system, account.apiKey, { images: photos(3).map((input_url) => ({ input_url })) });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([402, 'insufficient_credits']);
    await expectBalanced(system, { spent: 0 }, account);
  });

  it.each([
    [{ images: [] }, 400, 'invalid_request'],
    [{ images: Array.from({ length: 1_001 }, () => ({ input_url: 'https://a.shop.com/' })) }, 413, 'too_many_images'],
    [{ input_url: 'https://a.shop.com/', options: { canvas: 7 } }, 400, 'invalid_options'],
    [{ input_url: 'https://a.shop.com/', webhook_url: 'http://127.0.0.1:1/x' }, 400, 'invalid_request'],
    [{ input_url: 'https://a.shop.com/', surprise: 1 }, 400, 'invalid_request'],
  ])('%#: a wrong body is refused before anything is held', async (body, status, code) => {
    const account = await createAccount(system.baseUrl, system.secrets, 2_000);
    const answer = await post(system, account.apiKey, body);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([status, code]);
    await expectBalanced(system, { spent: 0 }, account);
  });
});

describe('the same idempotency key', () => {
  it('answers with the same batch, charged once', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 10);
    const send = () =>
      post(
        system,
        account.apiKey,
        { images: photos(2).map((input_url) => ({ input_url })) },
        { 'idempotency-key': 'order-1' },
      );
    const [first, second] = [
      batchCreatedSchema.parse(await (await send()).json()),
      batchCreatedSchema.parse(await (await send()).json()),
    ];
    expect(second.batch_id).toBe(first.batch_id);
    await follow(system, account, first.batch_id, 120_000);
    await expectBalanced(system, { spent: 2 }, account);
  });
});

describe('an upload that prefers not to wait', () => {
  it('is answered like a batch and completes like one', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    const answer = await upload(
      system.baseUrl,
      account.apiKey,
      [{ name: 'mug.jpg', bytes: await renderScene('mug', { width: 640 }) }],
      {},
      { prefer: 'respond-async' },
    );
    expect(answer.status).toBe(202);
    const created = batchCreatedSchema.parse(await answer.json());
    expect((await follow(system, account, created.batch_id, 120_000)).status).toBe('completed');
    await expectBalanced(system, { spent: 1 }, account);
  });
});

describe('a long poll', () => {
  it('answers when the batch ends, long before its time is over', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    const { batch_id } = await create(system, account, [`${shop.url}/missing.jpg`]);
    const begun = Date.now();
    const status = await statusOf(system, account, batch_id, 25);
    expect(status.status).toBe('failed');
    expect(Date.now() - begun).toBeLessThan(15_000);
  });
});
