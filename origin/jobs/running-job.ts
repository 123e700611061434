/**
 * A job while it runs on this node: the callers waiting for it, and the reasons for which it stops. A repeated request
 * joins it, so that no job runs twice at once here.
 */
import type { StopSignals } from '../pool/pool.ts';

/** callers_gone: nobody waits any more · deadline: its time is over · draining: the node is shutting down. */
type StopReason = 'callers_gone' | 'deadline' | 'draining';
export type RunningJob = {
  readonly signals: StopSignals;
  /** The first reason given. */
  stopReason(): StopReason | undefined;
  stop(reason: StopReason): void;
  /** Adds a caller, who waits until `callerSignal` is aborted. The job stops with the last of them. */
  join(callerSignal: AbortSignal): void;
  /** From the first claim on, draining lets the job finish. */
  markClaimed(): void;
  isClaimed(): boolean;
  /** Ends the deadline's timer. */
  end(): void;
};

/** setTimeout's largest delay. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const createRunningJob = (deadlineMs: number): RunningJob => {
  const beforeModel = new AbortController();
  const throughout = new AbortController();
  let stopReason: StopReason | undefined;
  let callers = 0;
  let claimed = false;

  const stop = (reason: StopReason): void => {
    stopReason ??= reason;
    // Callers who leave after the model do not undo work that is nearly done.
    if (reason !== 'callers_gone') throughout.abort(new Error(reason));
    beforeModel.abort(new Error(reason));
  };
  const leave = (): void => {
    callers--;
    if (callers === 0) stop('callers_gone');
  };
  const timer = setTimeout(() => stop('deadline'), Math.min(Math.max(0, deadlineMs), TIMER_MS_MAX));
  timer.unref();

  return {
    signals: { beforeModel: beforeModel.signal, throughout: throughout.signal },
    stopReason: () => stopReason,
    stop,
    join: (callerSignal) => {
      callers++;
      if (callerSignal.aborted) leave();
      else callerSignal.addEventListener('abort', leave, { once: true });
    },
    markClaimed: () => {
      claimed = true;
    },
    isClaimed: () => claimed,
    end: () => clearTimeout(timer),
  };
};
