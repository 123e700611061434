/** What a thread asks its node for, over a port of the task's own: one request at a time. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { Size } from '../../shared/imaging/raster.ts';
import type { Image } from '../inference/device.ts';
import type { Detectors } from '../pipeline/findings/gather.ts';
import type { Infer } from '../pipeline/index.ts';
import type { Decode, DecodeMatte } from '../pipeline/main-image.ts';

export type InferRequest = Image;
export type InferReply = { readonly matte: Uint8Array } | { readonly refused: string };
export type DecodeRequest = { readonly photo: Uint8Array };
export type DecodeMatteRequest = { readonly matte: Uint8Array; readonly size: Size };
type NodeRequest = InferRequest | DecodeRequest | DecodeMatteRequest;
type DecodeReply = Awaited<ReturnType<Decode>>;

const ask = async <Reply>(port: MessagePort, request: NodeRequest): Promise<Reply> => {
  const replied = once(port, 'message');
  port.postMessage(request);
  const [reply] = (await replied) as [Reply];
  return reply;
};

/** Throws where the model refuses. */
export const inferOver =
  (port: MessagePort, wanted: NonNullable<Image['wanted']>): Infer =>
  async (image) => {
    const reply = await ask<InferReply>(port, { ...image, wanted });
    if ('refused' in reply) throw new Error(reply.refused);
    return reply.matte;
  };

/** A node without a detector's model finds nothing with it. */
export const detectorsOver = (port: MessagePort): Detectors => ({
  readText: inferOver(port, 'text'),
  findFaces: inferOver(port, 'faces'),
});

/** The bytes are copied: the thread may need them again. */
export const decodeOver =
  (port: MessagePort): Decode =>
  (photo) =>
    ask<DecodeReply>(port, { photo });

/** Copied as well: it is small, and read once. */
export const decodeMatteOver =
  (port: MessagePort): DecodeMatte =>
  (matte, size) =>
    ask<Awaited<ReturnType<DecodeMatte>>>(port, { matte, size });
