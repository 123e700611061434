/** The thread in which checks run, apart from the paid images' threads. Loaded by check-pool.ts only. */
import type { MessagePort } from 'node:worker_threads';
import sharp from 'sharp';
import type { Failure } from '../../shared/errors.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { ok, type Result } from '../../shared/result.ts';
import { monotonicClock } from '../clock.ts';
import { checkReduced, type PhotoReport, type ReducedPhoto, reducePhoto } from '../pipeline/findings/check-photo.ts';
import { type MainImageInput, makeMainImage } from '../pipeline/index.ts';
import { decodeOver, detectorsOver, inferOver } from './ask-node.ts';

export type ReduceTask = { readonly bytes: Uint8Array; readonly port: MessagePort };
export type CheckTask = {
  readonly reduced: ReducedPhoto;
  readonly options: ResolvedOptions;
  readonly port: MessagePort;
};

export type QuickLookTask = { readonly input: Pick<MainImageInput, 'bytes' | 'options'>; readonly port: MessagePort };

sharp.cache(false);
sharp.concurrency(1);

export const reduce = ({ bytes, port }: ReduceTask): Promise<Result<ReducedPhoto, Failure>> =>
  reducePhoto(bytes, decodeOver(port)).finally(() => port.close());

export const find = async ({ reduced, options, port }: CheckTask): Promise<Result<PhotoReport, Failure>> => {
  try {
    const models = { infer: inferOver(port, 'matte'), ...detectorsOver(port) };
    return await checkReduced(reduced, options, models);
  } finally {
    port.close();
  }
};

/** The file of a whole run without its findings. */
export const quickLook = async ({ input, port }: QuickLookTask): Promise<Result<Uint8Array, Failure>> => {
  try {
    const deps = {
      decode: decodeOver(port),
      infer: inferOver(port, 'matte'),
      clock: monotonicClock,
    };
    const image = await makeMainImage({ ...input, watermark: false }, deps);
    return image.ok ? ok(image.value.clean) : image;
  } finally {
    port.close();
  }
};
