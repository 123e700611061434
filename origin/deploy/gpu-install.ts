/**
 * `npm run gpu:install`: fetches the CUDA and TensorRT libraries of onnxruntime-node, which its package leaves out
 * because of their size. Runs that package's own install script, then checks that every file it promises is there. Not
 * yet run on a GPU.
 *
 * Reviewed against onnxruntime-node 1.30.0, script/install.js: the flag must be `true`. Given the name of an install
 * (`cuda12`), its parser forgets to return it; under `npm run` the script then mistakes itself for a local build and
 * ends silently without fetching anything.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type Metadata = {
  readonly requirements: Record<string, string[]>;
  readonly manifests: Record<string, Record<string, unknown>>;
};

const resolver = createRequire(import.meta.url);
const home = dirname(resolver.resolve('onnxruntime-node/package.json'));
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

const promised = promisedFiles();
if (promised.length === 0) fail(`onnxruntime-node has no GPU libraries for ${platform}; CUDA needs linux/x64`);
const { status } = spawnSync(process.execPath, [join(home, 'script', 'install.js')], {
  stdio: 'inherit',
  env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'true' },
});
if (status !== 0) fail(`the install script ended with ${status}`);
const missing = promised.filter((file) => !existsSync(file));
if (missing.length > 0) fail(`still missing: ${missing.join(', ')}`);
process.stdout.write(`${promised.join('\n')}
The host also needs an NVIDIA driver for CUDA 12 and the CUDA 12 and cuDNN 9 libraries.
Then start with EXECUTION_PROVIDERS=cuda,cpu; /readyz names what is in use.
`);
