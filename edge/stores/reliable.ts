/**
 * Calls to Durable Objects. Deployments, moved machines and lost connections break calls at any time, also after the
 * object has acted. The runtime itself repeats only calls that never reached their object; every method of ours may be
 * repeated, so a call whose answer was lost is made again here, on a fresh stub: one that has failed stays failed.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { type Clock, sleep } from '../../shared/clock.ts';
import { edgeLimits } from '../limits.ts';
import { answerWithin, UnansweredError } from './unanswered.ts';

export type CallDeps = { readonly clock: Pick<Clock, 'after'>; readonly random: () => number };

const { triesMax, answerMsMax, ...backoff } = edgeLimits.objectCall;

type Marks = { readonly remote?: boolean; readonly retryable?: boolean; readonly overloaded?: boolean };
const marksOf = (error: unknown): Marks => (error instanceof Error ? (error as Marks) : { remote: true });

/** While a deployment spreads, an object may still run the version before, which lacks a method of this one. */
const isVersionBefore = (error: unknown): boolean =>
  error instanceof Error && /The RPC receiver does not implement/.test(error.message);

/**
 * The platform's error, not one that the object's own code threw (`.remote`). An overloaded object is left alone, and so is
 * one that does not answer: its caller has waited long enough.
 */
const mayTryAgain = (error: unknown): boolean => {
  if (error instanceof UnansweredError) return false;
  const { remote, retryable, overloaded } = marksOf(error);
  if (isVersionBefore(error)) return true;
  return !overloaded && (retryable === true || (!remote && !(error instanceof TypeError)));
};

/** The object could not be reached, or took no call: a passing state, not a bug. */
export const isUnreachable = (error: unknown): boolean => {
  const { retryable, overloaded } = marksOf(error);
  return retryable === true || overloaded === true || isVersionBefore(error);
};

const callAgain = async <T>(what: string, call: () => Promise<T>, { clock, random }: CallDeps): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await answerWithin(call(), answerMsMax, clock, what);
    } catch (error) {
      if (attempt + 1 >= triesMax || !mayTryAgain(error)) throw error;
      await sleep(clock, backoffMs(attempt, backoff, random()));
    }
  }
};

type Method = (...args: unknown[]) => Promise<unknown>;

/** The port of a Durable Object whose every call is made up to `objectCall.triesMax` times, each on a stub of its own and in bounded time. */
export const reliable = <Port extends object>(stubOf: () => Port, deps: CallDeps): Port =>
  new Proxy({} as Port, {
    get: (_target, method) =>
      // A port is no promise, also to whoever awaits it.
      typeof method !== 'string' || method === 'then'
        ? undefined
        : (...args: unknown[]) =>
            callAgain(
              `an object's ${method}`,
              () => (stubOf() as Record<string, Method>)[method]?.(...args) as Promise<unknown>,
              deps,
            ),
  });
