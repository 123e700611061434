/**
 * Worker threads that run pipelines, and the bridge that lets them use the decoder and the model. A thread that dies
 * takes only its own job with it.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Failure, failure } from '../../shared/errors.ts';
import type { Priority } from '../../shared/job.ts';
import { fail, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { MainImageInput } from '../pipeline/index.ts';
import { allowAcceptedFormatsOnly } from '../pipeline/loaders.ts';
import type { Decode, DecodeMatte } from '../pipeline/main-image.ts';
import { openNodePort, type Submit } from './node-port.ts';
import type { FinishedImage, PipelineTask } from './worker.ts';

export type { Digests, FinishedImage } from './worker.ts';

/** `beforeModel` drops a job that has not reached the model yet; `throughout` ends its thread, wherever it is. */
export type StopSignals = { readonly beforeModel: AbortSignal; readonly throughout: AbortSignal };
/** Fails with an image code, or `processing_failed` where a thread or the model failed. */
export type RunPipeline = (
  input: MainImageInput,
  priority: Priority,
  signals: StopSignals,
) => Promise<Result<FinishedImage, Failure>>;
type Decoders = { readonly decode: Decode; readonly decodeMatte: DecodeMatte };
export type PipelinePool = { run: RunPipeline; close(): Promise<void> };

const { jobsAroundPipelines, pipelineMsMax } = originLimits.jobs;

/** `onFault` hears what a thread or the model failed with; callers only hear that it failed. */
export const createPipelinePool = (
  threads: number,
  { decode, decodeMatte }: Decoders,
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
    const node = openNodePort({ submit, decode, decodeMatte, onFault }, priority, signals.beforeModel);
    try {
      return await piscina.run(
        { input, port: node.port },
        {
          transferList: [node.port, input.bytes.buffer as ArrayBuffer],
          signal: AbortSignal.any([signals.throughout, AbortSignal.timeout(pipelineMsMax)]),
        },
      );
    } catch (error) {
      const inferFailure = node.failure();
      if (signals.throughout.aborted || inferFailure?.kind === 'dropped')
        return fail(failure('origin_busy', 'the job was dropped before the model'));
      onFault(inferFailure ? new Error(`inference ${inferFailure.kind}: ${inferFailure.detail}`) : error);
      return fail(failure('processing_failed'));
    } finally {
      node.close();
    }
  };
  return { run, close: () => piscina.destroy() };
};
