/**
 * 1,000 calls over a network that loses 30 % of all answers and doubles 10 % of all requests. Edge and ledger are the
 * real ones; the node stores a digest in place of a picture, so that a thousand take minutes on two cores.
 */
import pMap from 'p-map';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Packshot } from '../../clients/typescript/src/index.ts';
import { type LossyProxy, startLossyProxy } from '../support/lossy-proxy.ts';
import { seeded } from '../support/random.ts';
import { photo, resultOf, sha256 } from './support/node.ts';
import { startService, type TestService } from './support/service.ts';

const CALLS = 1_000;
/** The API takes 600 requests a minute of an account; the calls are those of several. */
const ACCOUNTS = 5;
const AT_ONCE = 40;

let service: TestService;
let network: LossyProxy;
beforeAll(async () => {
  service = await startService();
  network = await startLossyProxy(service.baseUrl, { lose: 0.3, double: 0.1, random: seeded(14).next });
});
afterAll(async () => {
  await network?.close();
  await service?.stop();
});

it('makes every image once and charges it once, whatever the network loses or doubles', async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.account(CALLS)));
  const clients = accounts.map(
    ({ apiKey }) => new Packshot({ apiKey, baseUrl: network.url, retriesMax: 30, timeoutMs: 60_000 }),
  );
  const outcomes = await pMap(
    Array.from({ length: CALLS }, (_, i) => i),
    async (i) => {
      const packshot = clients[i % ACCOUNTS] as Packshot;
      // Every fourth is a batch from a URL, the others are uploads.
      const image = await packshot.create(
        i % 4 === 0 ? `${service.shopUrl}/photo/n${i}.jpg` : { file: photo(`n${i}`), filename: `${i}.jpg` },
      );
      const through = image.url.replace(service.baseUrl, network.url);
      const bytes = await packshot.download({ ...image, url: through });
      return { id: image.image_id, charged: image.credits_charged, text: new TextDecoder().decode(bytes) };
    },
    { concurrency: AT_ONCE },
  );
  const digests = outcomes.map((_, i) => sha256(photo(`n${i}`)));
  expect(outcomes.map(({ text }) => text)).toEqual(digests.map(resultOf));
  expect(new Set(outcomes.map(({ id }) => id)).size).toBe(CALLS);
  expect(outcomes.every(({ charged }) => charged === 1)).toBe(true);
  expect(digests.map((digest) => service.node.jobs.get(digest))).toEqual(digests.map(() => 1));
  const totals = await Promise.all(accounts.map(service.totals));
  expect(totals.map(({ spent, held }) => ({ spent, held }))).toEqual(
    accounts.map(() => ({ spent: CALLS / ACCOUNTS, held: 0 })),
  );
  // The network was as bad as it was meant to be.
  expect(network.counts.lost / network.counts.requests).toBeGreaterThan(0.25);
  expect(network.counts.doubled / network.counts.requests).toBeGreaterThan(0.07);
}, 900_000);
