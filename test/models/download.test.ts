import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { download } from '../../models/download.ts';
import { modelLimits } from '../../models/limits.ts';
import { type Answer, breakAfter, serve, serveWhole, stallAfter, startFileServer, status } from './file-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FILE = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
const integrityOf = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

const arrange = async (...answers: Answer[]) => {
  const server = await startFileServer(FILE, ...answers);
  onTestFinished(server.close);
  const dir = await temporaryFolder();
  const path = join(dir, 'file.tgz.part');
  const seen: number[] = [];
  const wanted = {
    url: server.url,
    path,
    bytes: FILE.length,
    integrity: integrityOf(FILE),
    pace: { stallMsMax: 200, retryBaseMs: 1 },
    onProgress: (done: number) => void seen.push(done),
  };
  return { server, dir, path, wanted, seen };
};
const contents = async (path: string) => new Uint8Array(await readFile(path));

describe('download', () => {
  it('resumes what an earlier call left, and requests only the rest', async () => {
    const { server, path, wanted, seen } = await arrange(serve);
    await writeFile(path, FILE.subarray(0, 100_000));
    await download(wanted);
    expect(server.ranges).toEqual(['bytes=100000-']);
    expect(seen[0]).toBeGreaterThan(100_000);
    expect(seen.at(-1)).toBe(FILE.length);
    expect(await contents(path)).toEqual(FILE);
  });

  it('resumes after a broken connection', async () => {
    // At most two chunks of 64 KiB are on their way between a report and the file, so by then some bytes are in it.
    const mostReported = Promise.withResolvers<void>();
    const { server, path, wanted } = await arrange(breakAfter(240_000, mostReported.promise), serve);
    await download({ ...wanted, onProgress: (done) => void (done > 180_000 && mostReported.resolve()) });
    expect(server.ranges[0]).toBeUndefined();
    expect(Number(/bytes=(\d+)-/.exec(server.ranges[1] ?? '')?.[1])).toBeGreaterThan(0);
    expect(await contents(path)).toEqual(FILE);
  });

  it('resumes after the server stops sending', async () => {
    const { server, path, wanted } = await arrange(stallAfter(50_000), serve);
    await download(wanted);
    expect(server.ranges[1]).toBe('bytes=50000-');
    expect(await contents(path)).toEqual(FILE);
  });

  it('starts over with a server that does not support ranges', async () => {
    const { path, wanted } = await arrange(serveWhole);
    await writeFile(path, FILE.subarray(0, 100_000));
    await download(wanted);
    expect(await contents(path)).toEqual(FILE);
  });

  it('fetches nothing when all bytes are there', async () => {
    const { server, path, wanted } = await arrange(serve);
    await writeFile(path, FILE);
    await download(wanted);
    expect(server.ranges).toEqual([]);
  });

  it('starts over once when the bytes an earlier call left are wrong', async () => {
    const { server, path, wanted } = await arrange(serve);
    await writeFile(path, new Uint8Array(100_000));
    await download(wanted);
    expect(server.ranges).toEqual(['bytes=100000-', undefined]);
    expect(await contents(path)).toEqual(FILE);
  });

  it('names both hashes when the file is not the expected one, and leaves nothing', async () => {
    const { dir, wanted } = await arrange(serve);
    const integrity = integrityOf(Uint8Array.of(1));
    const failure = await download({ ...wanted, integrity }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ModelError', code: 'wrong_hash' });
    expect((failure as Error).message).toContain(integrity);
    expect((failure as Error).message).toContain(wanted.integrity);
    expect(await readdir(dir)).toEqual([]);
  });

  it('stops at once when the server refuses, and after a bounded number of attempts when it fails', async () => {
    const refusing = await arrange(status(404));
    await expect(download(refusing.wanted)).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('HTTP 404'),
    });
    expect(refusing.server.ranges.length).toBe(1);
    const failing = await arrange(status(503));
    await expect(download(failing.wanted)).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('HTTP 503'),
    });
    expect(failing.server.ranges.length).toBe(modelLimits.downloadAttemptsMax);
  });

  it('gives up on a file longer than announced', async () => {
    const { wanted } = await arrange(serveWhole);
    await expect(download({ ...wanted, bytes: 1000 })).rejects.toMatchObject({ code: 'download_failed' });
  });
});
