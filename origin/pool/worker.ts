/**
 * The thread in which pipelines run, so that decoding, refining and encoding never hold up the event loop. Loaded by
 * pool.ts only.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import sharp from 'sharp';
import type { Failure } from '../../shared/errors.ts';
import { ok, type Result } from '../../shared/result.ts';
import { monotonicClock } from '../clock.ts';
import { type Infer, type MainImage, type MainImageInput, makeMainImage } from '../pipeline/index.ts';

export type PipelineTask = { readonly input: MainImageInput; readonly port: MessagePort };
/** `sha256` of the final file, lower-case hex. */
export type FinishedImage = MainImage & { readonly sha256: string };
export type InferRequest = { readonly rgb: Uint8Array; readonly width: number; readonly height: number };
export type InferReply = { readonly matte: Uint8Array } | { readonly refused: string };

// Every photo is another: a cache would only hold memory. Parallelism comes from several photos at once.
sharp.cache(false);
sharp.concurrency(1);

/** Asks the node for a matte over the task's own port, one request at a time. */
const inferOver =
  (port: MessagePort): Infer =>
  async (image: InferRequest) => {
    const replied = once(port, 'message');
    port.postMessage(image);
    const [reply] = (await replied) as [InferReply];
    if ('refused' in reply) throw new Error(reply.refused);
    return reply.matte;
  };

export default async ({ input, port }: PipelineTask): Promise<Result<FinishedImage, Failure>> => {
  try {
    const image = await makeMainImage(input, { infer: inferOver(port), clock: monotonicClock });
    if (!image.ok) return image;
    return ok({ ...image.value, sha256: createHash('sha256').update(image.value.clean).digest('hex') });
  } finally {
    port.close();
  }
};
