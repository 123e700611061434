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
import type { Decode } from '../pipeline/main-image.ts';

export type PipelineTask = { readonly input: MainImageInput; readonly port: MessagePort };
/** `sha256` of the final file, and of the others in their order, lower-case hex. */
export type FinishedImage = MainImage & { readonly sha256: string; readonly othersSha256: readonly string[] };
/** What a thread asks its node for, one request at a time. */
export type InferRequest = { readonly rgb: Uint8Array; readonly width: number; readonly height: number };
export type InferReply = { readonly matte: Uint8Array } | { readonly refused: string };
export type DecodeRequest = { readonly photo: Uint8Array };
export type DecodeReply = Awaited<ReturnType<Decode>>;

// Every photo is another: a cache would only hold memory. Parallelism comes from several photos at once.
sharp.cache(false);
sharp.concurrency(1);

const ask = async <Reply>(port: MessagePort, request: InferRequest | DecodeRequest): Promise<Reply> => {
  const replied = once(port, 'message');
  port.postMessage(request);
  const [reply] = (await replied) as [Reply];
  return reply;
};

const inferOver =
  (port: MessagePort): Infer =>
  async (image: InferRequest) => {
    const reply = await ask<InferReply>(port, image);
    if ('refused' in reply) throw new Error(reply.refused);
    return reply.matte;
  };

/** The bytes are copied: the thread may need them again. */
const decodeOver =
  (port: MessagePort): Decode =>
  (photo) =>
    ask<DecodeReply>(port, { photo });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export default async ({ input, port }: PipelineTask): Promise<Result<FinishedImage, Failure>> => {
  try {
    const image = await makeMainImage(input, {
      decode: decodeOver(port),
      infer: inferOver(port),
      clock: monotonicClock,
    });
    if (!image.ok) return image;
    const { clean, others } = image.value;
    return ok({ ...image.value, sha256: sha256(clean), othersSha256: others.map(({ bytes }) => sha256(bytes)) });
  } finally {
    port.close();
  }
};
