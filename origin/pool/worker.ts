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
import { decodeOver, inferOver } from './ask-node.ts';

export type PipelineTask = { readonly input: MainImageInput; readonly port: MessagePort };
/** `sha256` of the final file, and of the others in their order, lower-case hex. */
export type FinishedImage = MainImage & { readonly sha256: string; readonly othersSha256: readonly string[] };

// Every photo is another: a cache would only hold memory. Parallelism comes from several photos at once.
sharp.cache(false);
sharp.concurrency(1);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export default async ({ input, port }: PipelineTask): Promise<Result<FinishedImage, Failure>> => {
  try {
    const image = await makeMainImage(input, {
      decode: decodeOver(port),
      infer: inferOver(port, 'matte'),
      readText: inferOver(port, 'text'),
      clock: monotonicClock,
    });
    if (!image.ok) return image;
    const { clean, others } = image.value;
    return ok({ ...image.value, sha256: sha256(clean), othersSha256: others.map(({ bytes }) => sha256(bytes)) });
  } finally {
    port.close();
  }
};
