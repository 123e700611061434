/** Downloads one file over HTTP. Each attempt resumes where the last one stopped. */
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../shared/backoff.ts';
import { ModelError } from './failure.ts';
import { hashFile } from './hash.ts';
import { modelLimits } from './limits.ts';

export type Download = {
  url: string;
  path: string;
  bytes: number;
  /** `sha512-` and base64, as npm writes it. */
  integrity: string;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
  pace?: Pace;
};
/** A download that brings no byte for `stallMsMax` is retried; the wait before a retry doubles from `retryBaseMs`. */
export type Pace = { stallMsMax: number; retryBaseMs: number };

/**
 * Leaves the verified file at `path`, resuming what an interrupted call left there; a file with a wrong hash is
 * removed. Throws ModelError `download_failed` or `wrong_hash`.
 */
export const download = async (wanted: Download): Promise<void> => {
  const resumed = await sizeOf(wanted.path);
  await complete(wanted);
  const received = await integrityOf(wanted.path);
  if (received === wanted.integrity) return;
  await rm(wanted.path);
  // Bytes of an earlier call may be at fault (a crash, a changed proxy): once from the start before giving up.
  if (resumed > 0) return download(wanted);
  throw new ModelError('wrong_hash', `${wanted.url}: expected ${wanted.integrity}, received ${received}`);
};

/** For a file that was not downloaded here. Throws ModelError `wrong_hash`; the file stays. */
export const verifyIntegrity = async (path: string, integrity: string): Promise<void> => {
  const found = await integrityOf(path);
  if (found !== integrity) throw new ModelError('wrong_hash', `${path}: expected ${integrity}, found ${found}`);
};

const integrityOf = async (path: string): Promise<string> => {
  return `sha512-${await hashFile(path, 'sha512', 'base64')}`;
};

const sizeOf = async (path: string): Promise<number> => {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
};

/** Fetches until the file has all its bytes; after a failed attempt it waits and resumes. */
const complete = async (wanted: Download): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const failure = await attemptOnce(wanted);
    if (!failure) return;
    if (!failure.retryable || attempt === modelLimits.downloadAttemptsMax) {
      throw new ModelError('download_failed', `${wanted.url}: ${failure.reason} (attempt ${attempt})`);
    }
    await sleep(backoffMs(attempt - 1, { baseMs: (wanted.pace ?? modelLimits).retryBaseMs }));
  }
};

type AttemptFailure = { reason: string; retryable: boolean };

const attemptOnce = async (wanted: Download): Promise<AttemptFailure | undefined> => {
  let have = await sizeOf(wanted.path);
  if (have > wanted.bytes) {
    await rm(wanted.path);
    have = 0;
  }
  if (have === wanted.bytes) return undefined;
  const stalled = new AbortController();
  const stallTimer = setTimeout(
    () => stalled.abort(new Error('no bytes arrived in time')),
    (wanted.pace ?? modelLimits).stallMsMax,
  );
  try {
    const range: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await fetch(wanted.url, {
      headers: { 'accept-encoding': 'identity', ...range },
      signal: stalled.signal,
    });
    const from = response.status === 206 ? have : 0;
    if (!response.ok || !response.body) return refusal(response, wanted.path);
    await append(response.body, from, wanted, () => stallTimer.refresh());
    const size = await sizeOf(wanted.path);
    return size === wanted.bytes ? undefined : { reason: `${size} of ${wanted.bytes} bytes`, retryable: true };
  } catch (error) {
    return { reason: describe(error), retryable: true };
  } finally {
    clearTimeout(stallTimer);
  }
};

const refusal = async (response: Response, path: string): Promise<AttemptFailure> => {
  await response.body?.cancel();
  // What we have is not the beginning of this file.
  if (response.status === 416) await rm(path, { force: true });
  const retryable = response.status >= 500 || [408, 416, 429].includes(response.status);
  return { reason: `HTTP ${response.status}`, retryable };
};

const append = async (
  body: ReadableStream<Uint8Array>,
  from: number,
  wanted: Download,
  onBytes: () => void,
): Promise<void> => {
  let done = from;
  const report = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      onBytes();
      done += chunk.length;
      if (done > wanted.bytes) throw new Error(`more than ${wanted.bytes} bytes`);
      wanted.onProgress?.(done, wanted.bytes);
      yield chunk;
    }
  };
  const flags = from > 0 ? 'a' : 'w';
  await pipeline(
    Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
    report,
    createWriteStream(wanted.path, { flags }),
  );
};

const describe = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error instanceof Error ? error.message + cause : String(error);
};
