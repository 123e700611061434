/**
 * Worker threads that run pipelines, and the bridge that lets them use the decoder and the model. A thread that dies
 * takes only its own job with it.
 */
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type Failure, failure } from '../../shared/errors.ts';
import type { Priority } from '../../shared/job.ts';
import { fail, type Result } from '../../shared/result.ts';
import type { InferFailure, InferResult } from '../inference/batcher.ts';
import type { Image } from '../inference/device.ts';
import { originLimits } from '../limits.ts';
import type { MainImageInput } from '../pipeline/index.ts';
import { allowAcceptedFormatsOnly } from '../pipeline/loaders.ts';
import type { Decode } from '../pipeline/main-image.ts';
import type { DecodeReply, DecodeRequest, FinishedImage, InferReply, InferRequest, PipelineTask } from './worker.ts';

export type { FinishedImage } from './worker.ts';

export type Submit = (image: Image, priority: Priority, signal: AbortSignal) => Promise<InferResult>;
/** `beforeModel` drops a job that has not reached the model yet; `throughout` ends its thread, wherever it is. */
export type StopSignals = { readonly beforeModel: AbortSignal; readonly throughout: AbortSignal };
/** Fails with an image code, or `processing_failed` where a thread or the model failed. */
export type RunPipeline = (
  input: MainImageInput,
  priority: Priority,
  signals: StopSignals,
) => Promise<Result<FinishedImage, Failure>>;
export type PipelinePool = { run: RunPipeline; close(): Promise<void> };

const { jobsAroundPipelines, pipelineMsMax } = originLimits.jobs;

/** `onFault` hears what a thread or the model failed with; callers only hear that it failed. */
export const createPipelinePool = (
  threads: number,
  decode: Decode,
  submit: Submit,
  onFault: (error: unknown) => void,
): PipelinePool => {
  // Here rather than in the threads: a thread that replaces another one must not block its neighbours' decoding.
  allowAcceptedFormatsOnly();
  const piscina = new Piscina<PipelineTask, Result<FinishedImage, Failure>>({
    filename: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    // More would mean that admission let too many in.
    maxQueue: jobsAroundPipelines + threads,
    // Threads wait for the model's answer, so they must turn to their event loop between tasks.
    atomics: 'disabled',
    recordTiming: false,
  });
  piscina.on('error', onFault);

  const run: RunPipeline = async (input, priority, signals) => {
    const { port1, port2 } = new MessageChannel();
    let inferFailure: InferFailure | undefined;
    const infer = async (image: InferRequest): Promise<void> => {
      const result = await submit(image, priority, signals.beforeModel);
      if (!result.ok) inferFailure = result.failure;
      port1.postMessage(replyOf(result), []);
    };
    const decodeFor = async ({ photo }: DecodeRequest): Promise<void> => {
      const reply = await decode(photo).catch((error: unknown) => {
        onFault(error);
        return fail(failure('processing_failed'));
      });
      port1.postMessage(reply, buffersOf(reply));
    };
    port1.on('message', (request: InferRequest | DecodeRequest) => {
      if ('rgb' in request) void infer(request);
      else void decodeFor(request);
    });
    try {
      return await piscina.run(
        { input, port: port2 },
        {
          transferList: [port2, input.bytes.buffer as ArrayBuffer],
          signal: AbortSignal.any([signals.throughout, AbortSignal.timeout(pipelineMsMax)]),
        },
      );
    } catch (error) {
      if (signals.throughout.aborted || inferFailure?.kind === 'dropped')
        return fail(failure('origin_busy', 'the job was dropped before the model'));
      onFault(inferFailure ? new Error(`inference ${inferFailure.kind}: ${inferFailure.detail}`) : error);
      return fail(failure('processing_failed'));
    } finally {
      port1.close();
    }
  };
  return { run, close: () => piscina.destroy() };
};

/** Tens of megabytes, handed over rather than copied. */
const buffersOf = (reply: DecodeReply): ArrayBuffer[] =>
  reply.ok
    ? [reply.value.rgb, ...(reply.value.alpha ? [reply.value.alpha] : [])].map(({ data }) => data.buffer as ArrayBuffer)
    : [];

const replyOf = (result: InferResult): InferReply =>
  result.ok ? { matte: result.value } : { refused: result.failure.detail };
