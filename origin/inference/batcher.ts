/**
 * Groups images of one size into runs: the first one waits until the run is full or until `waitMsMax` has passed since
 * it came, whichever is first. Interactive
 * images go before batch ones. With `sizeMax` 1 nothing ever waits, which is right for a CPU, where a run of two takes
 * as long as two runs.
 */
import { limits } from '../../shared/limits.ts';
import { fail, type Result } from '../../shared/result.ts';
import type { DeviceFailure, Image } from './device.ts';

export type Priority = 'interactive' | 'batch';
/** dropped: its signal was aborted before it reached a device · full: more images wait than can be explained. */
export type InferFailure = DeviceFailure | { readonly kind: 'dropped' | 'full'; readonly detail: string };
export type InferResult = Result<Uint8Array, InferFailure>;
export type RunBatch = (images: readonly Image[]) => Promise<Result<Uint8Array[], DeviceFailure>>;

type Waiting = {
  readonly image: Image;
  readonly priority: Priority;
  readonly signal: AbortSignal;
  readonly since: number;
  readonly resolve: (result: InferResult) => void;
};

export type BatcherOptions = {
  readonly sizeMax: number;
  readonly waitMsMax: number;
  /** Devices; each takes one run at a time. */
  readonly runners: readonly RunBatch[];
  readonly now: () => number;
  /** Calls back after so many ms; returns its cancellation. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly onBatch: (size: number) => void;
};
export type Batcher = {
  submit(image: Image, priority: Priority, signal: AbortSignal): Promise<InferResult>;
  waiting(): number;
};

const sameSize = (a: Image, b: Image): boolean => a.width === b.width && a.height === b.height;

/** Sizes of runs are powers of two: a GPU provider prepares once per shape, so there must be few. */
const runSize = (available: number, sizeMax: number): number =>
  2 ** Math.floor(Math.log2(Math.min(available, sizeMax)));

export const createBatcher = (options: BatcherOptions): Batcher => {
  let lane: Waiting[] = [];
  const idle = [...options.runners];
  let cancelTimer: (() => void) | undefined;

  const dropAborted = (): void => {
    const [live, gone] = [lane.filter((w) => !w.signal.aborted), lane.filter((w) => w.signal.aborted)];
    lane = live;
    for (const waiting of gone) waiting.resolve(fail({ kind: 'dropped', detail: 'nobody waits for it any more' }));
  };

  /** Interactive first, then by age; then everything of the first one's size. */
  const candidates = (): Waiting[] => {
    const ordered = lane.toSorted(
      (a, b) => Number(a.priority === 'batch') - Number(b.priority === 'batch') || a.since - b.since,
    );
    const [first] = ordered;
    return first ? ordered.filter((waiting) => sameSize(waiting.image, first.image)) : [];
  };

  const pump = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    dropAborted();
    for (let group = candidates(); group.length > 0 && idle.length > 0; group = candidates()) {
      const oldest = Math.min(...group.map((waiting) => waiting.since));
      const waitLeftMs = oldest + options.waitMsMax - options.now();
      if (group.length < options.sizeMax && options.sizeMax > 1 && waitLeftMs > 0) {
        cancelTimer = options.after(waitLeftMs, pump);
        return;
      }
      const batch = group.slice(0, runSize(group.length, options.sizeMax));
      lane = lane.filter((waiting) => !batch.includes(waiting));
      const runner = idle.shift();
      if (runner) void perform(batch, runner).finally(() => (idle.push(runner), pump()));
    }
  };

  /** A run that fails is repeated image by image, so that one bad image costs its neighbours time and nothing else. */
  const perform = async (batch: readonly Waiting[], runner: RunBatch): Promise<void> => {
    options.onBatch(batch.length);
    const together = await runner(batch.map((waiting) => waiting.image));
    if (together.ok)
      return batch.forEach((waiting, i) => waiting.resolve({ ok: true, value: together.value[i] as Uint8Array }));
    for (const waiting of batch)
      waiting.resolve(await alone(waiting, runner, together.failure, batch.length === 1 ? 1 : 0));
  };

  const alone = async (
    waiting: Waiting,
    runner: RunBatch,
    first: DeviceFailure,
    attemptsMade: number,
  ): Promise<InferResult> => {
    let last = first;
    // A run that was too slow once is too slow again; a process may have died for a reason of its own.
    for (
      let attempt = attemptsMade;
      attempt < limits.inference.attemptsMax && (attempt === 0 || last.kind === 'crashed');
      attempt++
    ) {
      if (waiting.signal.aborted) return fail({ kind: 'dropped', detail: 'nobody waits for it any more' });
      const result = await runner([waiting.image]);
      if (result.ok) return { ok: true, value: result.value[0] as Uint8Array };
      last = result.failure;
    }
    return fail(last);
  };

  return {
    submit: (image, priority, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(fail({ kind: 'dropped', detail: 'nobody waits for it any more' }));
        if (lane.length >= limits.inference.queueImagesMax)
          return resolve(fail({ kind: 'full', detail: 'too many images wait for the model' }));
        lane.push({ image, priority, signal, since: options.now(), resolve });
        signal.addEventListener('abort', pump, { once: true });
        pump();
      }),
    waiting: () => lane.length,
  };
};
