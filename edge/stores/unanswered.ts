/** A store that takes a call and never answers it must not keep a request, or an alarm, waiting for ever. */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';

/** What the call did, nobody knows. `retryable`, as the platform marks what its own objects could not answer. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  readonly retryable = true;
}

/** The answer of `call`. Throws UnansweredError where there is none after `ms`; the call itself may go on. */
export const answerWithin = async <T>(
  call: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'after'>,
  what: string,
): Promise<T> => {
  const answer = await withTimeout(call, ms, clock);
  if (answer === TIMED_OUT) throw new UnansweredError(`${what} did not answer within ${ms} ms`);
  return answer;
};
