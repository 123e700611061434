/**
 * Reads a job's input through its presigned URL: bounded in bytes, time and attempts. Nothing here logs or returns the
 * URL, which is a secret.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import { readBytes } from '../read-bytes.ts';
import { type Attempt, isPassing, withAttempts } from './attempts.ts';

/**
 * Fails with `file_too_large`, or with `processing_failed`, which is retryable, where storage does not give the file.
 */
export type FetchInput = (url: string, signal: AbortSignal) => Promise<Result<Uint8Array, Failure>>;

const bytesMax = limits.upload.fileBytesMax;
const { fetchInputMsMax, fetchAttemptsMax } = originLimits.storage;

export const fetchInput: FetchInput = (url, signal) =>
  withAttempts(() => fetchOnce(url, signal), fetchAttemptsMax, signal);

const fetchOnce = async (url: string, signal: AbortSignal): Promise<Attempt<Uint8Array>> => {
  try {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(fetchInputMsMax)]);
    const response = await fetch(url, { redirect: 'error', signal: bounded });
    if (response.status === 200) {
      const body = await readBytes(response.body, response.headers.get('content-length'), bytesMax);
      return body ? ok(body) : fail(failure('file_too_large'));
    }
    await response.body?.cancel();
    const detail = `the stored input answered ${response.status}`;
    return isPassing(response.status) ? unreadable(new Error(detail)) : fail(failure('processing_failed', detail));
  } catch (error) {
    return unreadable(error);
  }
};

const unreadable = (cause: unknown): Attempt<never> => ({
  again: failure('processing_failed', 'the stored input could not be read', { cause }),
});
