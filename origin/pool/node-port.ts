/** The node's end of a thread's port: it has the decoder and the model. */
import { MessageChannel } from 'node:worker_threads';
import { failure as failureOf } from '../../shared/errors.ts';
import { fail } from '../../shared/result.ts';
import type { InferFailure, InferResult, Urgency } from '../inference/batcher.ts';
import type { Image } from '../inference/device.ts';
import type { Decode, Photo } from '../pipeline/main-image.ts';
import type { DecodeRequest, InferReply, InferRequest } from './ask-node.ts';

export type Submit = (image: Image, urgency: Urgency, signal: AbortSignal) => Promise<InferResult>;
type NodeParts = {
  readonly submit: Submit;
  readonly decode: Decode;
  readonly onFault: (error: unknown) => void;
};

/** `port` goes to the thread; `failure` is the last one that the model answered with. */
export const openNodePort = ({ submit, decode, onFault }: NodeParts, urgency: Urgency, signal: AbortSignal) => {
  const { port1, port2 } = new MessageChannel();
  let failure: InferFailure | undefined;
  const infer = async (image: InferRequest): Promise<void> => {
    const result = await submit(image, urgency, signal);
    if (!result.ok) failure = result.failure;
    port1.postMessage(replyOf(result), []);
  };
  const decodeFor = async ({ photo }: DecodeRequest): Promise<void> => {
    const reply = await decode(photo).catch((error: unknown) => {
      onFault(error);
      return fail(failureOf('processing_failed'));
    });
    port1.postMessage(reply, reply.ok ? buffersOf(reply.value) : []);
  };
  port1.on('message', (request: InferRequest | DecodeRequest) => {
    if ('rgb' in request) void infer(request);
    else void decodeFor(request);
  });
  return { port: port2, failure: () => failure, close: () => port1.close() };
};

/** Tens of megabytes, handed over rather than copied. */
const buffersOf = ({ rgb, alpha }: Photo): ArrayBuffer[] =>
  [rgb, ...(alpha ? [alpha] : [])].map(({ data }) => data.buffer as ArrayBuffer);

const replyOf = (result: InferResult): InferReply =>
  result.ok ? { matte: result.value } : { refused: result.failure.detail };
