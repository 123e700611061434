/** Repeats a request to storage that may succeed later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../shared/backoff.ts';
import type { Failure } from '../../shared/errors.ts';
import { fail, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';

/** `again`: what is answered where no attempt is left. */
export type Attempt<T> = Result<T, Failure> | { readonly again: Failure };

/** Throws nothing that `attempt` does not. */
export const withAttempts = async <T>(
  attempt: () => Promise<Attempt<T>>,
  attemptsMax: number,
  signal: AbortSignal,
): Promise<Result<T, Failure>> => {
  for (let made = 0; ; made++) {
    const result = await attempt();
    if (!('again' in result)) return result;
    if (made + 1 >= attemptsMax || signal.aborted) return fail(result.again);
    await sleep(backoffMs(made, { baseMs: originLimits.storage.storageRetryMsBase }));
  }
};

/** Statuses that say nothing about the request itself. */
export const isPassing = (status: number): boolean => status >= 500 || status === 429;
