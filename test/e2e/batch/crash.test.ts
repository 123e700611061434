/**
 * `kill -9` in the middle of a batch. Real processes; local queues are in memory, so whatever was on its way is gone
 * with the edge.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../../local/system.ts';
import { type TemporarySystem, temporarySystem } from '../../support/local-system.ts';
import { type PhotoServer, startPhotoServer } from '../../support/photo-server.ts';
import { expectBalanced, ledgerOf } from '../support.ts';
import { completedOf, create, finished, follow } from './support.ts';

const IMAGES = 50;
/** Lost messages are handed over again minutes later, by the saga's alarm; twice in this test. */
const MS_MAX = 20 * 60_000;

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

it('a batch survives kill -9 of origin, of the edge and of both: it completes by itself, each image charged once and only with its download', {
  timeout: MS_MAX,
}, async () => {
  const account = await createAccount(system.baseUrl, system.secrets, IMAGES + 5);
  const { batch_id } = await create(
    system,
    account,
    Array.from({ length: IMAGES }, (_, i) => `${shop.url}/photo/${i}.jpg`),
  );
  const reached = (count: number) => follow(system, account, batch_id, MS_MAX, (status) => finished(status) >= count);

  await reached(4);
  await system.origin().kill();
  await system.restartOrigin();

  await reached(12);
  await system.edge().kill();
  await system.restartEdge();

  expect(finished(await reached(25))).toBeLessThan(IMAGES);
  await Promise.all([system.edge().kill(), system.origin().kill()]);
  await Promise.all([system.restartOrigin(), system.restartEdge()]);

  const status = await reached(IMAGES);
  expect(status).toMatchObject({
    status: 'completed',
    progress: { completed: IMAGES, failed: 0 },
    charged_images: IMAGES,
    refunded_images: 0,
  });
  for (const image of completedOf(status)) {
    const answer = await fetch(image.clean_download_url ?? '', { method: 'HEAD' });
    expect([answer.status, Number(answer.headers.get('content-length')) > 1_000], image.image_id).toEqual([200, true]);
  }
  await expectBalanced(system, { spent: IMAGES }, account);
  const posts = (await ledgerOf(system, account)).entries.filter(({ kind }) => kind === 'post');
  expect(posts.reduce((sum, { credits }) => sum + credits, 0)).toBe(IMAGES);
});
