/**
 * The image behind an `input_url`, from an untrusted server, into the store. Each way in which that server can be wrong
 * has its own code, which only the image carries; the queue repeats the retryable ones.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { inRoom, type OpenRoom } from '../spool/bodies.ts';
import type { InputSink, StoredInput } from '../spool/sink.ts';
import { follow } from './follow.ts';
import type { UntrustedFetchDeps } from './guard.ts';
import { readInto } from './read.ts';

export type FetchDeps = UntrustedFetchDeps & { readonly openRoom: OpenRoom };

const { blockBytes } = edgeLimits.spool;
const { besideBlockBytes } = edgeLimits.bodies;

/** `authorization`: the value of its header; mayCarryAuthorization says where it goes. */
export type InputSource = { readonly url: string; readonly authorization?: string | undefined };
/** Fetches it into the store at `objectKey`. */
export type FetchInput = (source: InputSource, objectKey: string) => Promise<Result<unknown, Failure>>;

/**
 * Fetches `source` and stores it through `sink`; answers its size and the content type read from its bytes. Fails with a
 * `url_…` code, `file_empty`, `file_too_large`, or `not_ready` where there is no room for it. Throws only what the sink throws.
 */
export const fetchInput = async (
  source: InputSource,
  sink: InputSink,
  deps: FetchDeps,
): Promise<Result<StoredInput, Failure>> =>
  inRoom(deps.openRoom, async (room) => {
    // Before the first byte, so that the wait is none of the server's time.
    const full = await room.need(Number.POSITIVE_INFINITY, blockBytes + besideBlockBytes);
    return full ? fail(full) : fetchInRoom(source, sink, deps);
  });

const fetchInRoom = async (
  source: InputSource,
  sink: InputSink,
  deps: UntrustedFetchDeps,
): Promise<Result<StoredInput, Failure>> => {
  const connection = new AbortController();
  const endsAtMs = deps.clock.nowMs() + limits.inputUrl.totalMsMax;
  try {
    const response = await follow(source, endsAtMs, connection.signal, deps);
    if (!response.ok) return response;
    const { body, headers } = response.value;
    if (body === null) return fail(failure('file_empty'));
    // A declared length is used only to refuse early; what arrives is counted in any case.
    if (Number(headers.get('content-length') ?? 0) > limits.upload.fileBytesMax) return fail(failure('file_too_large'));
    return await readInto(sink, body, endsAtMs, deps);
  } finally {
    connection.abort();
  }
};
