/**
 * One thread for checks and quick looks, beside the pipelines' own, so that they never take the place of a paid image. What is
 * unusual in a photo ends this thread at most.
 */
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type Failure, failure } from '../../shared/errors.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { fail, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { PhotoReport, ReducedPhoto } from '../pipeline/findings/check-photo.ts';
import type { Decode } from '../pipeline/main-image.ts';
import type { CheckTask, QuickLookTask, ReduceTask } from './check-worker.ts';
import { openNodePort, type Submit } from './node-port.ts';

export type CheckPool = {
  /** Decodes and reduces; takes `bytes` over. Fails with an image code, or `processing_failed`. */
  reduce(bytes: Uint8Array, signal: AbortSignal): Promise<Result<ReducedPhoto, Failure>>;
  /** Fails with `origin_busy` once `signal` is aborted, or `processing_failed`. */
  find(reduced: ReducedPhoto, options: ResolvedOptions, signal: AbortSignal): Promise<Result<PhotoReport, Failure>>;
  /** A whole run; takes `input.bytes` over. Fails as a run does, with `origin_busy` once `signal` is aborted. */
  quickLook(input: QuickLookTask['input'], signal: AbortSignal): Promise<Result<Uint8Array, Failure>>;
  close(): Promise<void>;
};

/** `onFault` hears what the thread or the model failed with; callers only hear that it failed. */
export const createCheckPool = (decode: Decode, submit: Submit, onFault: (error: unknown) => void): CheckPool => {
  const piscina = new Piscina<unknown, unknown>({
    filename: fileURLToPath(new URL('./check-worker.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: originLimits.checks.threadIdleMs,
    atomics: 'disabled',
    recordTiming: false,
  });
  piscina.on('error', onFault);

  /**
   * A caller who is gone takes nothing more of the model, but the step goes on to its end: piscina ends the thread of a
   * step that is aborted, and on a machine so busy that checks are given up, the next ones would spend their time on
   * starting threads.
   */
  const attempt = async <T>(
    signal: AbortSignal,
    work: (wanted: AbortSignal, bounded: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> => {
    const bounded = AbortSignal.timeout(originLimits.checks.runMsMax);
    const dropped = () => fail(failure('origin_busy', 'the check was dropped'));
    if (signal.aborted) return dropped();
    try {
      const done = await work(AbortSignal.any([signal, bounded]), bounded);
      return signal.aborted ? dropped() : done;
    } catch (error) {
      if (signal.aborted) return dropped();
      onFault(error);
      return fail(failure('processing_failed'));
    }
  };

  /** A step in the thread, with a port of its own to decoder and model. */
  const step = <Task extends { readonly port: MessagePort }, T>(
    name: 'reduce' | 'find' | 'quickLook',
    signal: AbortSignal,
    task: (port: MessagePort) => Task,
    owned: readonly ArrayBuffer[] = [],
  ): Promise<Result<T, Failure>> =>
    attempt<T>(signal, async (wanted, bounded) => {
      const node = openNodePort({ submit, decode, onFault }, 'check', wanted);
      try {
        const transferList = [node.port, ...owned];
        return (await piscina.run(task(node.port), { name, transferList, signal: bounded })) as Result<T, Failure>;
      } finally {
        node.close();
      }
    });

  return {
    reduce: (bytes, signal) =>
      step('reduce', signal, (port): ReduceTask => ({ bytes, port }), [bytes.buffer as ArrayBuffer]),
    find: (reduced, options, signal) => step('find', signal, (port): CheckTask => ({ reduced, options, port })),
    quickLook: (input, signal) =>
      step('quickLook', signal, (port): QuickLookTask => ({ input, port }), [input.bytes.buffer as ArrayBuffer]),
    close: () => piscina.destroy(),
  };
};
