/** A large file as parts that fit static assets. Parts are named by their hash, so they can be cached for ever. */
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PartedFile } from '../src/playground/manifest.ts';

/** A static asset may have 25 MiB; smaller parts make progress smoother and a broken download cheaper. */
const PART_BYTES = 8 * 1024 * 1024;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const zipped = promisify(gzip);

export const cutFile = async (path: string, folder: string, compress: boolean): Promise<PartedFile> => {
  await mkdir(folder, { recursive: true });
  const bytes = await readFile(path);
  const starts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => i * PART_BYTES);
  const parts = await Promise.all(
    starts.map(async (start) => {
      const plain = bytes.subarray(start, start + PART_BYTES);
      const name = `${sha256(plain).slice(0, 32)}.${compress ? 'gz' : 'bin'}`;
      const file = join(folder, name);
      const known = await access(file).then(
        () => true,
        () => false,
      );
      if (!known) {
        await writeFile(`${file}.${process.pid}`, compress ? await zipped(plain) : plain);
        await rename(`${file}.${process.pid}`, file);
      }
      return { path: `/parts/${name}`, bytes: plain.length };
    }),
  );
  return { name: basename(path), bytes: bytes.length, sha256: sha256(bytes), gzip: compress, parts };
};

/** Removes parts that no file of this build uses. */
export const sweepParts = async (folder: string, files: readonly PartedFile[]): Promise<void> => {
  const used = new Set(files.flatMap((file) => file.parts.map((part) => basename(part.path))));
  for (const name of await readdir(folder)) if (!used.has(name)) await rm(join(folder, name), { force: true });
};
