/**
 * The GPU libraries that onnxruntime-node's install script downloads, and what they must be: digests that were recorded
 * once (`npm run gpu:lock`), reviewed, and committed. The script itself checks nothing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

export const libraryLockSchema = z.strictObject({
  /** Version of onnxruntime-node whose script fetched them. */
  version: z.string().min(1),
  /** File name → SHA-256, lower-case hex. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});
export type LibraryLock = z.infer<typeof libraryLockSchema>;

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

export const lockOf = async (version: string, paths: readonly string[]): Promise<LibraryLock> => ({
  version,
  files: Object.fromEntries(
    await Promise.all(paths.map(async (path) => [basename(path), await digestOf(path)] as const)),
  ),
});

/** One text for each of `paths` that is not the file of the lock; none where all are. Throws where one cannot be read. */
export const libraryFaults = async (paths: readonly string[], lock: LibraryLock): Promise<readonly string[]> => {
  const found = await lockOf(lock.version, paths);
  return Object.entries(found.files).flatMap(([name, digest]) => {
    const expected = lock.files[name];
    if (expected === undefined) return [`${name} is not in the lock`];
    return digest === expected ? [] : [`${name} is ${digest}, and must be ${expected}`];
  });
};
