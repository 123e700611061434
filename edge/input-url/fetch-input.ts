/**
 * The image behind an `input_url`, from a server we know nothing about, into the store. Each way in which that server
 * can be wrong has its own code, which
 * the image alone carries; retries of the retryable ones are the queue's.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, type Result } from '../../shared/result.ts';
import { type FollowDeps, follow } from './follow.ts';
import { type InputSink, readInto, type StoredInput } from './read.ts';

export type FetchInputDeps = FollowDeps;

/**
 * Fetches `url` and stores it through `sink`; answers its size and the content type read from its bytes. Fails with a
 * `url_…` code, `file_empty` or
 * `file_too_large`. Throws only what the sink throws.
 */
export const fetchInput = async (
  url: string,
  sink: InputSink,
  deps: FetchInputDeps,
): Promise<Result<StoredInput, Failure>> => {
  const connection = new AbortController();
  const endsAtMs = deps.clock.nowMs() + limits.inputUrl.totalMsMax;
  try {
    const response = await follow(url, endsAtMs, connection.signal, deps);
    if (!response.ok) return response;
    const { body, headers } = response.value;
    if (body === null) return fail(failure('file_empty'));
    // A declared length is believed only where it saves the download; what arrives is counted in any case.
    if (Number(headers.get('content-length') ?? 0) > limits.upload.fileBytesMax) return fail(failure('file_too_large'));
    return await readInto(sink, body, endsAtMs, deps.clock);
  } finally {
    connection.abort();
  }
};
