/**
 * Reads a job's input through its presigned URL: bounded in bytes, time and attempts. Nothing here logs or returns the
 * URL, which is a secret.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
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
      const body = await readBody(response);
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

/** The whole body, or undefined once it is longer than allowed. */
const readBody = async (response: Response): Promise<Uint8Array | undefined> => {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > bytesMax) return void (await response.body?.cancel());
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) return undefined;
    pieces.push(piece);
  }
  // A buffer of its own, not a slice of a pool: it is transferred to another thread.
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.byteLength;
  }
  return body;
};
