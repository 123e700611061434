/** One photo for every marketplace, through both tiers and the real model; and `kill -9` in the middle. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../local/system.ts';
import { type Output, type UploadResult, uploadResponseSchema } from '../../shared/api.ts';
import { limits } from '../../shared/limits.ts';
import { type MarketplaceName, marketplaceNames, marketplaces } from '../../shared/marketplaces/index.ts';
import { type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { type PhotoServer, startPhotoServer } from '../support/photo-server.ts';
import { brokenRules, pixelsBesideProduct } from '../support/rule-check.ts';
import { renderScene } from '../support/scenes.ts';
import { completedOf, create, finished, follow } from './batch/support.ts';
import { download, expectBalanced, ledgerOf } from './support.ts';

const MS_MAX = 10 * 60_000;

let shop: PhotoServer;
let system: TemporarySystem;
beforeAll(async () => {
  shop = await startPhotoServer();
  system = await temporarySystem({ env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
});
afterAll(async () => {
  await system?.remove();
  await shop?.close();
});

const inGroups = (names: readonly MarketplaceName[], size: number): MarketplaceName[][] =>
  Array.from({ length: Math.ceil(names.length / size) }, (_, i) => names.slice(i * size, (i + 1) * size));

/** Every file of an image, looked at by itself. */
const expectFiles = async (outputs: readonly Output[] | undefined, names: readonly string[]): Promise<void> => {
  expect(outputs?.map(({ marketplace }) => marketplace)).toEqual(names);
  for (const { marketplace, output_url, sha256, bytes, width, height, compliance } of outputs ?? []) {
    const file = await download(output_url ?? '');
    const { rules, canvas } = marketplaces[marketplace];
    expect([createHash('sha256').update(file).digest('hex'), file.byteLength]).toEqual([sha256, bytes]);
    expect(await brokenRules(file, rules, pixelsBesideProduct), marketplace).toEqual([]);
    expect([{ width, height }, compliance.marketplace, compliance.passed]).toEqual([canvas, marketplace, true]);
  }
};

it('a photo gets a file of every marketplace that meets its required rules, a credit for each eight', {
  timeout: MS_MAX,
}, async () => {
  const account = await createAccount(system.baseUrl, system.secrets, 10);
  const groups = inGroups(marketplaceNames, limits.marketplaces.perImageMax);
  const photo = await renderScene('mug');
  for (const names of groups) {
    const options = { marketplaces: names.join(',') };
    const answer = await upload(system.baseUrl, account.apiKey, [{ name: 'mug.jpg', bytes: photo }], options);
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1']);
    const [result] = uploadResponseSchema.parse(await answer.json()).results;
    await expectFiles((result as UploadResult).outputs, names);
  }
  await expectBalanced(system, { spent: groups.length }, account);
});

it('kill -9 of both tiers in the middle leaves every image with all of its five files, charged once', {
  timeout: MS_MAX,
}, async () => {
  const IMAGES = 8;
  const five = ['amazon', 'walmart', 'ebay', 'google', 'zalando'];
  const account = await createAccount(system.baseUrl, system.secrets, IMAGES);
  const urls = Array.from({ length: IMAGES }, (_, i) => `${shop.url}/photo/${i}.jpg`);
  const { batch_id } = await create(system, account, urls, { options: { marketplaces: five } });
  const reached = (count: number) => follow(system, account, batch_id, MS_MAX, (status) => finished(status) >= count);
  await reached(1);
  await system.origin().kill();
  await system.restartOrigin();
  expect(finished(await reached(3))).toBeLessThan(IMAGES);
  await Promise.all([system.edge().kill(), system.origin().kill()]);
  await Promise.all([system.restartOrigin(), system.restartEdge()]);
  const status = await reached(IMAGES);
  expect(status).toMatchObject({ status: 'completed', charged_images: IMAGES, refunded_images: 0 });
  for (const { outputs } of completedOf(status)) await expectFiles(outputs, five);
  await expectBalanced(system, { spent: IMAGES }, account);
  const posts = (await ledgerOf(system, account)).entries.filter(({ kind }) => kind === 'post');
  expect(posts.reduce((sum, { credits }) => sum + credits, 0)).toBe(IMAGES);
});
