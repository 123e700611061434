/**
 * `npm run gpu:install`: fetches the CUDA and TensorRT libraries of onnxruntime-node, which its package leaves out
 * because of their size, and keeps them only if each has the SHA-256 of gpu-libraries.lock.json. `npm run gpu:lock`
 * fetches them and writes that file, to be reviewed and committed: once for each version of onnxruntime-node, from a
 * network that is trusted. Not yet run on a GPU.
 *
 * Reviewed against onnxruntime-node 1.30.0, script/install.js: the flag must be `true`. Given the name of an install
 * (`cuda12`), its parser forgets to return it; under `npm run` the script then mistakes itself for a local build and
 * ends silently without fetching anything.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LibraryLock, libraryFaults, libraryLockSchema, lockOf } from './gpu-libraries.ts';

type Metadata = {
  readonly requirements: Record<string, string[]>;
  readonly manifests: Record<string, Record<string, unknown>>;
};

const LOCK_FILE = join(import.meta.dirname, 'gpu-libraries.lock.json');
const resolver = createRequire(import.meta.url);
const manifest = resolver.resolve('onnxruntime-node/package.json');
const home = dirname(manifest);
const { version } = resolver(manifest) as { version: string };
const platform = `${process.platform}/${process.arch}`;
const metadata = resolver(join(home, 'script', 'install-metadata.js')) as Metadata;

/** Absolute paths of all files the install script is to bring for this platform. */
const promisedFiles = (): string[] =>
  (metadata.requirements[platform] ?? []).flatMap((name) =>
    Object.keys(metadata.manifests[`${platform}:${name}`] ?? {}).map((file) =>
      join(home, 'bin', 'napi-v6', platform, file),
    ),
  );

const fail = (reason: string): never => {
  process.stderr.write(`gpu:install: ${reason}\n`);
  process.exit(1);
};

/** Read before anything is fetched, so that a missing one costs no download. */
const readLock = (): LibraryLock => {
  if (!existsSync(LOCK_FILE))
    return fail(`${LOCK_FILE} is missing: run npm run gpu:lock on a network that you trust, review and commit it`);
  const lock = libraryLockSchema.parse(JSON.parse(readFileSync(LOCK_FILE, 'utf8')));
  return lock.version === version
    ? lock
    : fail(`${LOCK_FILE} is of onnxruntime-node ${lock.version}, installed is ${version}: run npm run gpu:lock`);
};

const fetchLibraries = (paths: readonly string[]): void => {
  const { status } = spawnSync(process.execPath, [join(home, 'script', 'install.js')], {
    stdio: 'inherit',
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'true' },
  });
  if (status !== 0) fail(`the install script ended with ${status}`);
  const missing = paths.filter((file) => !existsSync(file));
  if (missing.length > 0) fail(`still missing: ${missing.join(', ')}`);
};

const install = async (paths: readonly string[]): Promise<void> => {
  const lock = readLock();
  fetchLibraries(paths);
  const faults = await libraryFaults(paths, lock);
  if (faults.length > 0) {
    for (const path of paths) rmSync(path, { force: true });
    fail(`the libraries are removed again: ${faults.join('; ')}`);
  }
  process.stdout.write(`${paths.join('\n')}
The host also needs an NVIDIA driver for CUDA 12 and the CUDA 12 and cuDNN 9 libraries.
Then start with EXECUTION_PROVIDERS=cuda,cpu; /readyz names what is in use.
`);
};

const { values } = parseArgs({ options: { lock: { type: 'boolean', default: false } } });
const promised = promisedFiles();
if (promised.length === 0) fail(`onnxruntime-node has no GPU libraries for ${platform}; CUDA needs linux/x64`);
if (values.lock) {
  fetchLibraries(promised);
  writeFileSync(LOCK_FILE, `${JSON.stringify(await lockOf(version, promised), null, 2)}\n`);
  process.stdout.write(`${LOCK_FILE} is written\n`);
} else await install(promised);
