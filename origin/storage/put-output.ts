/**
 * Writes an output through its presigned URL: bounded in time and attempts. Nothing here logs or returns the URL, which
 * is a secret.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

export type PutOutput = (
  url: string,
  bytes: Uint8Array,
  contentType: string,
  signal: AbortSignal,
) => Promise<Result<void, Failure>>;

/** Status, or undefined where no answer came. */
const put = async (
  url: string,
  bytes: Uint8Array,
  contentType: string,
  signal: AbortSignal,
): Promise<number | undefined> => {
  try {
    const response = await fetch(url, {
      method: 'PUT',
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'Content-Type': contentType },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.origin.storeOutputMsMax)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
};

/** Fails with `result_missing`, which is retryable. Writing the same bytes twice is harmless. */
export const putOutput: PutOutput = async (url, bytes, contentType, signal) => {
  for (let number = 1; ; number++) {
    const status = await put(url, bytes, contentType, signal);
    if (status !== undefined && status >= 200 && status < 300) return ok(undefined);
    const hopeless = status !== undefined && status < 500 && status !== 429;
    if (hopeless || number >= limits.origin.storeAttemptsMax || signal.aborted) {
      return fail(
        failure('result_missing', status === undefined ? 'storage could not be reached' : `storage answered ${status}`),
      );
    }
    await sleep(limits.origin.storageRetryMsBase * 2 ** (number - 1));
  }
};
