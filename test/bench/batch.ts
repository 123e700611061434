/**
 * `npm run bench -- batch [DIR] [--images 100]`: images per second of a batch, from its creation to its end, next to
 * origin's own rate at saturation: the same photos as jobs sent straight to it, half of them before the batch and half
 * after, so that a noisy machine disturbs both alike.
 */

import { parseArgs } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { edgeLimits } from '../../edge/limits.ts';
import type { BatchCreated, BatchStatusResponse } from '../../shared/api.ts';
import type { JobRequest } from '../../shared/job.ts';
import { resolveOptions } from '../../shared/options.ts';
import { outcomeOf, postJob } from '../origin/support/caller.ts';
import { type TemporarySystem, temporarySystem } from '../support/local-system.ts';
import { type PhotoServer, startPhotoServer } from '../support/photo-server.ts';
import { benchPhotos } from './photos.ts';

/** Enough to keep every pipeline of a node busy with a queue behind it. */
const JOBS_AT_ONCE = edgeLimits.batch.concurrencyMax;
const WARM_UP = 3;
const TARGET_RATIO = 0.9;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

/** Presigned URLs into the local bucket, as the edge makes them. */
const bucketOf = (system: TemporarySystem) => {
  const signer = new AwsClient({
    accessKeyId: 'local-access-key',
    secretAccessKey: 'local-secret-key',
    service: 's3',
    region: 'auto',
  });
  return async (method: 'GET' | 'PUT', key: string): Promise<string> => {
    const url = `${system.baseUrl}/cdn-cgi/local/r2/s3/packshot/${key}?X-Amz-Expires=3600`;
    return (await signer.sign(new Request(url, { method }), { aws: { signQuery: true } })).url;
  };
};

const jobOf = async (presign: ReturnType<typeof bucketOf>, id: string, input: string): Promise<JobRequest> => {
  const options = resolveOptions({});
  if (!options.ok) throw new Error('the default options must resolve');
  const [input_url, clean, preview] = await Promise.all([
    presign('GET', input),
    presign('PUT', `bench/${id}.jpg`),
    presign('PUT', `bench/${id}.preview.jpg`),
  ]);
  return {
    job_id: id,
    account_id: 'acc_bench',
    input_url,
    outputs: { clean, preview },
    options: options.value,
    watermark: false,
    priority: 'batch',
    deadline_at: Date.now() + 600_000,
  };
};

/** Seconds that origin takes for jobs `from` to `to`, `JOBS_AT_ONCE` at a time. */
const saturate = async (system: TemporarySystem, photos: number, from: number, to: number): Promise<number> => {
  const presign = bucketOf(system);
  const jobs = await Promise.all(
    Array.from({ length: to - from }, (_, i) => jobOf(presign, `bench_${from + i}`, `bench/in/${(from + i) % photos}`)),
  );
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const outcome = await outcomeOf(
        await postJob(system.originUrl, job, { changes: { key: system.secrets.serviceKey } }),
      );
      if (outcome.status !== 'completed') throw new Error(`${job.job_id}: ${outcome.code} ${outcome.detail}`);
    }
  };
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, caller));
  return (performance.now() - begun) / 1_000;
};

const create = async ({ baseUrl, apiKey }: TemporarySystem, urls: readonly string[]): Promise<BatchCreated> => {
  const answer = await fetch(`${baseUrl}/api/v1/service-hero`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ images: urls.map((input_url) => ({ input_url })) }),
  });
  if (answer.status !== 202) throw new Error(`batch refused: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as BatchCreated;
};

/** Seconds from sending a batch to its end. Throws unless every image completed. */
const runBatch = async (system: TemporarySystem, shop: PhotoServer, images: number): Promise<number> => {
  const begun = performance.now();
  const urls = Array.from({ length: images }, (_, i) => `${shop.url}/photo/${i}.jpg`);
  const { batch_id } = await create(system, urls);
  for (;;) {
    const answer = await fetch(`${system.baseUrl}/api/v1/service-hero/status/${batch_id}?wait=25`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    const { status, progress } = (await answer.json()) as BatchStatusResponse;
    if (status === 'completed') return (performance.now() - begun) / 1_000;
    if (progress.failed > 0) throw new Error(`${progress.failed} images failed`);
  }
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { images: { type: 'string', default: '100' } },
  });
  const images = Number(values.images);
  const photos = (await benchPhotos({ dir: positionals[0], count: 20, from: 1, to: 4 })).map(({ bytes }) => bytes);
  const shop = await startPhotoServer(photos);
  const system = await temporarySystem({ credits: images + WARM_UP, env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
  try {
    const presign = bucketOf(system);
    for (const [i, bytes] of photos.entries())
      await fetch(await presign('PUT', `bench/in/${i}`), { method: 'PUT', body: new Uint8Array(bytes) });
    await runBatch(system, shop, WARM_UP);
    const half = Math.floor(images / 2);
    const before = await saturate(system, photos.length, 0, half);
    const batch = await runBatch(system, shop, images);
    const after = await saturate(system, photos.length, half, images);
    const [ownRate, batchRate] = [images / (before + after), images / batch];
    say(
      `origin alone   ${ownRate.toFixed(2)} images/s (${half} jobs in ${before.toFixed(1)} s, ${images - half} in ${after.toFixed(1)} s, ${JOBS_AT_ONCE} at once)`,
    );
    say(`batch of ${images}   ${batchRate.toFixed(2)} images/s (${batch.toFixed(1)} s from creation to end)`);
    say(
      `${batchRate >= TARGET_RATIO * ownRate ? 'met   ' : 'missed'} batch ÷ origin alone: ${(batchRate / ownRate).toFixed(2)} (target ≥ ${TARGET_RATIO})`,
    );
  } finally {
    await system.remove();
    await shop.close();
  }
};
