/**
 * The thread in which pipelines run, so that decoding, refining and encoding never hold up the event loop. Loaded by
 * pool.ts only.
 */
import { createHash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import sharp from 'sharp';
import type { Failure } from '../../shared/errors.ts';
import { ok, type Result } from '../../shared/result.ts';
import { monotonicClock } from '../clock.ts';
import { type MainImage, type MainImageInput, makeMainImage } from '../pipeline/index.ts';
import { decodeMatteOver, decodeOver, detectorsOver, inferOver } from './ask-node.ts';

export type PipelineTask = { readonly input: MainImageInput; readonly port: MessagePort };
/** Digests of the files, of the others in their order, lower-case hex. */
export type Digests = { readonly sha256: string; readonly md5: string };
export type FinishedImage = MainImage & {
  readonly digests: Digests;
  readonly previewMd5: string;
  readonly othersDigests: readonly Digests[];
};

// Every photo is another: a cache would only hold memory. Parallelism comes from several photos at once.
sharp.cache(false);
sharp.concurrency(1);

const digest = (algorithm: 'sha256' | 'md5', bytes: Uint8Array): string =>
  createHash(algorithm).update(bytes).digest('hex');
const digestsOf = (bytes: Uint8Array): Digests => ({ sha256: digest('sha256', bytes), md5: digest('md5', bytes) });

export default async ({ input, port }: PipelineTask): Promise<Result<FinishedImage, Failure>> => {
  try {
    const image = await makeMainImage(input, {
      decode: decodeOver(port),
      decodeMatte: decodeMatteOver(port),
      infer: inferOver(port, 'matte'),
      detectors: detectorsOver(port),
      clock: monotonicClock,
    });
    if (!image.ok) return image;
    const { clean, preview, others } = image.value;
    return ok({
      ...image.value,
      digests: digestsOf(clean),
      previewMd5: digest('md5', preview),
      othersDigests: others.map(({ bytes }) => digestsOf(bytes)),
    });
  } finally {
    port.close();
  }
};
