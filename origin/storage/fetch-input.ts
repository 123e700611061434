/**
 * Reads a job's input through its presigned URL: bounded in bytes, time and attempts. Nothing here logs or returns the
 * URL, which is a secret.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

export type FetchInput = (url: string, signal: AbortSignal) => Promise<Result<Uint8Array, Failure>>;

const bytesMax = limits.upload.fileBytesMax;
const tooLarge = (): Result<never, Failure> => fail(failure('file_too_large'));
const unreachable = (detail: string): Result<never, Failure> => fail(failure('processing_failed', detail));

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
  // A buffer of its own, not a slice of a pool: it is handed over to another thread.
  const body = new Uint8Array(bytes);
  pieces.reduce((at, piece) => (body.set(piece, at), at + piece.byteLength), 0);
  return body;
};

const attempt = async (url: string, signal: AbortSignal): Promise<Result<Uint8Array, Failure> | 'again'> => {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.origin.fetchInputMsMax)]),
  });
  if (response.status === 200) {
    const body = await readBody(response);
    return body ? ok(body) : tooLarge();
  }
  await response.body?.cancel();
  return response.status >= 500 || response.status === 429
    ? 'again'
    : unreachable(`the stored input answered ${response.status}`);
};

/**
 * Fails with `file_too_large`, or with `processing_failed`, which is retryable, where storage does not give the file.
 */
export const fetchInput: FetchInput = async (url, signal) => {
  for (let number = 1; ; number++) {
    const result = await attempt(url, signal).catch(() => 'again' as const);
    if (result !== 'again') return result;
    if (number >= limits.origin.fetchAttemptsMax || signal.aborted)
      return unreachable('the stored input could not be read');
    await sleep(limits.origin.storageRetryMsBase * 2 ** (number - 1));
  }
};
