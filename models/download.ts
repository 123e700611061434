/** One file over HTTP, continued from what an earlier attempt left in `PATH.part`. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../shared/limits.ts';
import { ModelError } from './failure.ts';
import { hashFile } from './hash.ts';

export type Download = {
  url: string;
  path: string;
  bytes: number;
  /** `sha512-` and base64, as npm writes it. */
  integrity: string;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
};

/**
 * Leaves the verified file at `path`. An interrupted download leaves `PATH.part` for the next call; a file with a wrong hash
 * leaves nothing. Throws ModelError `download_failed` or `wrong_hash`.
 */
export async function download(wanted: Download): Promise<void> {
  const part = `${wanted.path}.part`;
  const resumed = await sizeOf(part);
  await complete(wanted, part);
  if (await verified(wanted, part)) return rename(part, wanted.path);
  const received = await integrityOf(part);
  await rm(part);
  // Bytes of an earlier attempt may be at fault (a crash, a changed proxy): once from the start before giving up.
  if (resumed > 0) return download(wanted);
  throw new ModelError('wrong_hash', `${wanted.url}: expected ${wanted.integrity}, received ${received}`);
}

async function verified(wanted: Download, part: string): Promise<boolean> {
  return (await integrityOf(part)) === wanted.integrity;
}

async function integrityOf(path: string): Promise<string> {
  return `sha512-${await hashFile(path, 'sha512', 'base64')}`;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Fetches until the part has all its bytes; a failed attempt waits and goes on from what it got. */
async function complete(wanted: Download, part: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const failure = await attemptOnce(wanted, part);
    if (!failure) return;
    if (!failure.retryable || attempt === limits.models.downloadAttemptsMax) {
      throw new ModelError('download_failed', `${wanted.url}: ${failure.reason} (attempt ${attempt})`);
    }
    await sleep(limits.models.retryBaseMs * 2 ** (attempt - 1));
  }
}

type AttemptFailure = { reason: string; retryable: boolean };

async function attemptOnce(wanted: Download, part: string): Promise<AttemptFailure | undefined> {
  let have = await sizeOf(part);
  if (have > wanted.bytes) {
    await rm(part);
    have = 0;
  }
  if (have === wanted.bytes) return undefined;
  const stalled = new AbortController();
  const alarm = setTimeout(() => stalled.abort(new Error('no bytes arrived in time')), limits.models.stallMsMax);
  try {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await fetch(wanted.url, { headers, signal: stalled.signal });
    const from = response.status === 206 ? have : 0;
    if (!response.ok || !response.body) return refusal(response, part);
    await append(response.body, part, from, wanted, () => alarm.refresh());
    const size = await sizeOf(part);
    return size === wanted.bytes ? undefined : { reason: `${size} of ${wanted.bytes} bytes`, retryable: true };
  } catch (error) {
    return { reason: describe(error), retryable: true };
  } finally {
    clearTimeout(alarm);
  }
}

async function refusal(response: Response, part: string): Promise<AttemptFailure> {
  await response.body?.cancel();
  // The part does not fit the file any more.
  if (response.status === 416) await rm(part, { force: true });
  const retryable = response.status >= 500 || [408, 416, 429].includes(response.status);
  return { reason: `HTTP ${response.status}`, retryable };
}

async function append(
  body: ReadableStream<Uint8Array>, part: string, from: number, wanted: Download, alive: () => void,
): Promise<void> {
  let done = from;
  const report = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      alive();
      done += chunk.length;
      if (done > wanted.bytes) throw new Error(`more than ${wanted.bytes} bytes`);
      wanted.onProgress?.(done, wanted.bytes);
      yield chunk;
    }
  };
  const flags = from > 0 ? 'a' : 'w';
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), report, createWriteStream(part, { flags }));
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error instanceof Error ? error.message + cause : String(error);
}
