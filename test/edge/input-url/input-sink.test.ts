import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import type { EdgeEnv } from '../../../edge/env.ts';
import { fetchInput } from '../../../edge/input-url/fetch-input.ts';
import { dnsOverHttps } from '../../../edge/input-url/resolve.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { createBodies } from '../../../edge/spool/bodies.ts';
import { r2InputSink } from '../../../edge/stores/input-sink.ts';
import { jpegOf } from '../../support/image-heads.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { memoryLog, untrustedServers } from './untrusted-servers.ts';

const { BUCKET } = env as unknown as EdgeEnv;
const photo = 'https://photos.shop.com/a.jpg';

const intoBucket = (key: string, body: () => BodyInit) => {
  const clock = virtualClock();
  const fetch = untrustedServers({ [photo]: () => new Response(body()) });
  const rules = { ownHosts: [], localHosts: [] };
  const { log } = memoryLog();
  return fetchInput({ url: photo }, r2InputSink(BUCKET, key, false), {
    openRoom: createBodies(clock).of('a'),
    fetch,
    clock,
    rules,
    log,
    resolve: dnsOverHttps('https://resolver.test/dns-query', fetch, log),
  });
};

it('a small and a large image are in the bucket byte for byte, with their type', async () => {
  for (const bytes of [1_000, edgeLimits.spool.blockBytes, 2 * edgeLimits.spool.blockBytes + 1]) {
    const body = jpegOf(bytes).map((byte, i) => (i < 64 ? byte : i % 251));
    expect(await intoBucket(`inputs/b/${bytes}`, () => new Blob([body]).stream())).toEqual({
      ok: true,
      value: { bytes, contentType: 'image/jpeg' },
    });
    const object = await BUCKET.get(`inputs/b/${bytes}`);
    expect([object?.size, object?.httpMetadata?.contentType]).toEqual([bytes, 'image/jpeg']);
    const kept = new Uint8Array(await object!.arrayBuffer());
    expect(kept.every((byte, i) => byte === body[i])).toBe(true);
  }
});

it('an image that turns out too large leaves nothing in the bucket', async () => {
  const endless = () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(jpegOf(1_000_000)) });
  expect(await intoBucket('inputs/b/endless', endless)).toMatchObject({
    ok: false,
    failure: { code: 'file_too_large' },
  });
  expect(await BUCKET.head('inputs/b/endless')).toBeNull();
});
