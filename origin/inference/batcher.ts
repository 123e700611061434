/**
 * Groups images of one size into runs: the first one waits until the run is full or until `waitMsMax` has passed since
 * it came, whichever is first. Interactive images go before batch ones, and those of checks come last. With `sizeMax` 1 nothing ever waits, which is
 * right for a CPU, where a run of two takes as long as two runs.
 */
import type { Clock } from '../../shared/clock.ts';
import type { Priority } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { DeviceFailure, Image } from './device.ts';

/** dropped: its signal was aborted before it reached a device · full: more images wait than admission can let in. */
export type InferFailure = DeviceFailure | { readonly kind: 'dropped' | 'full'; readonly detail: string };
export type InferResult = Result<Uint8Array, InferFailure>;
/** Checks come after everything that is paid for. */
export type Urgency = Priority | 'check';
export type RunBatch = (images: readonly Image[]) => Promise<Result<Uint8Array[], DeviceFailure>>;

type Waiting = {
  readonly image: Image;
  readonly priority: Urgency;
  readonly signal: AbortSignal;
  readonly sinceMs: number;
  readonly resolve: (result: InferResult) => void;
};

export type BatcherOptions = {
  readonly sizeMax: number;
  readonly waitMsMax: number;
  /** Devices; each takes one run at a time. */
  readonly runners: readonly RunBatch[];
  readonly clock: Clock;
  readonly onBatch: (size: number) => void;
};
export type Batcher = {
  submit(image: Image, priority: Urgency, signal: AbortSignal): Promise<InferResult>;
  waiting(): number;
};

const { queueImagesMax, attemptsMax } = originLimits.inference;
const DROPPED = fail({ kind: 'dropped', detail: 'nobody waits for it any more' } as const);

const RANK: Record<Urgency, number> = { interactive: 0, batch: 1, check: 2 };

const areOneRun = (a: Image, b: Image): boolean =>
  a.width === b.width && a.height === b.height && a.wanted === b.wanted;

/** Sizes of runs are powers of two: a GPU provider prepares once per shape, so there must be few. */
const runSize = (available: number, sizeMax: number): number =>
  2 ** Math.floor(Math.log2(Math.min(available, sizeMax)));

export const createBatcher = (options: BatcherOptions): Batcher => {
  let lane: Waiting[] = [];
  const idle = [...options.runners];
  let cancelTimer: (() => void) | undefined;

  const dropAborted = (): void => {
    const aborted = lane.filter(({ signal }) => signal.aborted);
    lane = lane.filter(({ signal }) => !signal.aborted);
    for (const waiting of aborted) waiting.resolve(DROPPED);
  };

  /** Interactive first and checks last, then by age; then everything that fits into one run with the first. */
  const candidates = (): Waiting[] => {
    const ordered = lane.toSorted((a, b) => RANK[a.priority] - RANK[b.priority] || a.sinceMs - b.sinceMs);
    const [first] = ordered;
    return first ? ordered.filter((waiting) => areOneRun(waiting.image, first.image)) : [];
  };

  const pump = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    dropAborted();
    for (let group = candidates(); group.length > 0 && idle.length > 0; group = candidates()) {
      const oldestMs = Math.min(...group.map((waiting) => waiting.sinceMs));
      const waitLeftMs = oldestMs + options.waitMsMax - options.clock.nowMs();
      if (group.length < options.sizeMax && options.sizeMax > 1 && waitLeftMs > 0) {
        cancelTimer = options.clock.after(waitLeftMs, pump);
        return;
      }
      const batch = group.slice(0, runSize(group.length, options.sizeMax));
      lane = lane.filter((waiting) => !batch.includes(waiting));
      const runner = idle.shift();
      if (runner) void runOn(runner, batch);
    }
  };

  const runOn = async (runner: RunBatch, batch: readonly Waiting[]): Promise<void> => {
    options.onBatch(batch.length);
    try {
      await answer(batch, runner);
    } finally {
      idle.push(runner);
      pump();
    }
  };

  return {
    submit: (image, priority, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(DROPPED);
        if (lane.length >= queueImagesMax)
          return resolve(fail({ kind: 'full', detail: 'too many images wait for the model' }));
        lane.push({ image, priority, signal, sinceMs: options.clock.nowMs(), resolve });
        signal.addEventListener('abort', pump, { once: true });
        pump();
      }),
    waiting: () => lane.length,
  };
};

/** A run that fails is repeated image by image, so that one bad image costs its neighbours time and nothing else. */
const answer = async (batch: readonly Waiting[], runner: RunBatch): Promise<void> => {
  const together = await runner(batch.map((waiting) => waiting.image));
  const attemptsMade = batch.length === 1 ? 1 : 0;
  for (const [i, waiting] of batch.entries()) {
    if (together.ok) waiting.resolve(ok(together.value[i] as Uint8Array));
    else waiting.resolve(await runAlone(waiting, runner, together.failure, attemptsMade));
  }
};

const runAlone = async (
  { image, signal }: Waiting,
  runner: RunBatch,
  firstFailure: DeviceFailure,
  attemptsMade: number,
): Promise<InferResult> => {
  let last = firstFailure;
  // A run that was too slow once is too slow again; a process may have died for a reason of its own.
  const mayRetry = (attempt: number): boolean => attempt < attemptsMax && (attempt === 0 || last.kind === 'crashed');
  for (let attempt = attemptsMade; mayRetry(attempt); attempt++) {
    if (signal.aborted) return DROPPED;
    const result = await runner([image]);
    if (result.ok) return ok(result.value[0] as Uint8Array);
    last = result.failure;
  }
  return fail(last);
};
