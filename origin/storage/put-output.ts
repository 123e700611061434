/**
 * Writes an output through its presigned URL: bounded in time and attempts. Nothing here logs or returns the URL, which
 * is a secret.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import { type Attempt, isPassing, withAttempts } from './attempts.ts';

/** Fails with `result_missing`, which is retryable. Writing the same bytes twice is harmless. */
export type PutOutput = (
  url: string,
  bytes: Uint8Array,
  contentType: string,
  signal: AbortSignal,
) => Promise<Result<void, Failure>>;

const { storeOutputMsMax, storeAttemptsMax } = originLimits.storage;

export const putOutput: PutOutput = (url, bytes, contentType, signal) =>
  withAttempts(() => putOnce(url, bytes, contentType, signal), storeAttemptsMax, signal);

const putOnce: (...put: Parameters<PutOutput>) => Promise<Attempt<void>> = async (url, bytes, contentType, signal) => {
  try {
    const response = await fetch(url, {
      method: 'PUT',
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'Content-Type': contentType },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(storeOutputMsMax)]),
    });
    await response.body?.cancel();
    if (response.ok) return ok(undefined);
    const missing = failure('result_missing', `storage answered ${response.status}`);
    return isPassing(response.status) ? { again: missing } : fail(missing);
  } catch (cause) {
    return { again: failure('result_missing', 'storage could not be reached', { cause }) };
  }
};
