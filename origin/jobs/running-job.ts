/**
 * One run of a job on this node: who waits for it, and why it should stop. Repeats of a running job join it, so that a
 * job never runs twice at once here.
 */

/**
 * caller_gone: nobody waits any more · deadline: its time is over · draining: the node is going away.
 */
export type StopReason = 'caller_gone' | 'deadline' | 'draining';
export type Run = {
  /** For everything up to the model: aborted by every reason. */
  readonly beforeModel: AbortSignal;
  /** For what comes after: a caller who leaves then does not undo work that is nearly done. */
  readonly throughout: AbortSignal;
  /** The first reason given. */
  reason(): StopReason | undefined;
  stop(reason: StopReason): void;
  /** A caller who waits until `gone` is aborted. The run stops with the last of them. */
  join(gone: AbortSignal): void;
  /** Ends the deadline's timer. */
  end(): void;
};

/** setTimeout's largest delay. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const createRun = (deadlineMs: number): Run => {
  const early = new AbortController();
  const hard = new AbortController();
  let reason: StopReason | undefined;
  let callers = 0;

  const stop = (why: StopReason): void => {
    reason ??= why;
    if (why !== 'caller_gone') hard.abort(new Error(why));
    early.abort(new Error(why));
  };
  const timer = setTimeout(() => stop('deadline'), Math.min(Math.max(0, deadlineMs), TIMER_MS_MAX));
  timer.unref();

  return {
    beforeModel: early.signal,
    throughout: hard.signal,
    reason: () => reason,
    stop,
    join: (gone) => {
      callers++;
      const leave = (): void => void (--callers === 0 && stop('caller_gone'));
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
    },
    end: () => clearTimeout(timer),
  };
};
