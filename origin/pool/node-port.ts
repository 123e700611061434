/** The node's end of a thread's port: it has the decoder and the model. */
import { MessageChannel } from 'node:worker_threads';
import { type Failure, failure as failureOf } from '../../shared/errors.ts';
import { fail, type Result } from '../../shared/result.ts';
import type { InferFailure, InferResult, Urgency } from '../inference/batcher.ts';
import type { Image } from '../inference/device.ts';
import type { Decode, DecodeMatte, Photo } from '../pipeline/main-image.ts';
import type { DecodeMatteRequest, DecodeRequest, InferReply, InferRequest } from './ask-node.ts';

export type Submit = (image: Image, urgency: Urgency, signal: AbortSignal) => Promise<InferResult>;
type NodeParts = {
  readonly submit: Submit;
  readonly decode: Decode;
  /** Checks have no matte. */
  readonly decodeMatte?: DecodeMatte;
  readonly onFault: (error: unknown) => void;
};

/** `port` goes to the thread; `failure` is the last one that the model answered with. */
export const openNodePort = (
  { submit, decode, decodeMatte = noMatte, onFault }: NodeParts,
  urgency: Urgency,
  signal: AbortSignal,
) => {
  const { port1, port2 } = new MessageChannel();
  let failure: InferFailure | undefined;
  const infer = async (image: InferRequest): Promise<void> => {
    const result = await submit(image, urgency, signal);
    if (!result.ok) failure = result.failure;
    port1.postMessage(replyOf(result), []);
  };
  const decoded = <T>(result: Promise<Result<T, Failure>>): Promise<Result<T, Failure>> =>
    result.catch((error: unknown) => {
      onFault(error);
      return fail(failureOf('processing_failed'));
    });
  const decodeFor = async ({ photo }: DecodeRequest): Promise<void> => {
    const reply = await decoded(decode(photo));
    port1.postMessage(reply, reply.ok ? buffersOf(reply.value) : []);
  };
  const decodeMatteFor = async ({ matte, size }: DecodeMatteRequest): Promise<void> => {
    const reply = await decoded(decodeMatte(matte, size));
    port1.postMessage(reply, reply.ok ? [reply.value.data.buffer as ArrayBuffer] : []);
  };
  port1.on('message', (request: InferRequest | DecodeRequest | DecodeMatteRequest) => {
    if ('rgb' in request) void infer(request);
    else if ('matte' in request) void decodeMatteFor(request);
    else void decodeFor(request);
  });
  return { port: port2, failure: () => failure, close: () => port1.close() };
};

const noMatte: DecodeMatte = async () => fail(failureOf('processing_failed', 'no matte is decoded here'));

/** Tens of megabytes, handed over rather than copied. */
const buffersOf = ({ rgb, alpha }: Photo): ArrayBuffer[] =>
  [rgb, ...(alpha ? [alpha] : [])].map(({ data }) => data.buffer as ArrayBuffer);

const replyOf = (result: InferResult): InferReply =>
  result.ok ? { matte: result.value } : { refused: result.failure.detail };
