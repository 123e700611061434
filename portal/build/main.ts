/**
 * `node portal/build/main.ts`: the portal's static files, in portal/dist. Pages by Vite, the public ones with their
 * content; the documentation as Markdown and as an index to search; the playground's model and inference runtime, cut
 * into parts below the 25 MiB limit of a static asset; headers. Takes a few seconds; does nothing if no source has
 * changed.
 */
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { buildChangelogFiles } from './changelog-files.ts';
import { buildDocuments } from './documents.ts';
import { fingerprint } from './fingerprint.ts';
import { headersFile } from './headers.ts';
import { modelFiles } from './models.ts';
import { buildOgImage } from './og-image.ts';
import { buildPageFiles, publicPaths } from './page-files.ts';
import { cutFile, sweepParts } from './parts.ts';
import { renderPages } from './render.ts';
import { syncInto } from './sync.ts';

const root = join(import.meta.dirname, '..', '..');
const portal = join(root, 'portal');
const dist = join(portal, 'dist');
const cache = join(root, 'node_modules', '.cache', 'packshot');
const stamp = join(cache, 'portal.stamp');
const ort = join(root, 'node_modules', 'onnxruntime-web', 'dist');

/** Runtime code is small and stays whole; the WebAssembly is cut like the models. */
const RUNTIME_CODE = [
  'ort.wasm.min.mjs',
  'ort-wasm-simd-threaded.mjs',
  'ort.webgpu.min.mjs',
  'ort-wasm-simd-threaded.asyncify.mjs',
] as const;
const RUNTIME_WASM = ['ort-wasm-simd-threaded.wasm', 'ort-wasm-simd-threaded.asyncify.wasm'] as const;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const buildPages = async (into: string): Promise<void> => {
  await build({
    configFile: join(portal, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: into, emptyOutDir: true },
  });
  await writeFile(join(into, '_headers'), headersFile(await readFile(join(into, 'index.html'), 'utf8')));
};

/** Writes the parts and what the playground reads to put them together again. */
const buildRuntime = async (into: string, models: readonly string[]): Promise<void> => {
  const version = (JSON.parse(await readFile(join(ort, '..', 'package.json'), 'utf8')) as { version: string }).version;
  await mkdir(join(into, 'runtime', version), { recursive: true });
  for (const name of RUNTIME_CODE)
    await writeFile(join(into, 'runtime', version, name), await readFile(join(ort, name)));
  const files = [
    ...RUNTIME_WASM.map((name) => ({ path: join(ort, name), gzip: true })),
    ...models.map((path) => ({ path, gzip: false })),
  ];
  const cut = await Promise.all(files.map(({ path, gzip }) => cutFile(path, join(dist, 'parts'), gzip)));
  await sweepParts(join(dist, 'parts'), cut);
  await writeFile(
    join(into, 'runtime', 'manifest.json'),
    JSON.stringify({ version, files: Object.fromEntries(cut.map((file) => [file.name, file])) }),
  );
};

const main = async (): Promise<void> => {
  const models = await modelFiles(root);
  const wanted = await fingerprint(root, [...models, ...RUNTIME_WASM.map((name) => join(ort, name))]);
  const kept = await readFile(stamp, 'utf8').catch(() => '');
  if (kept === wanted && (await exists(join(dist, 'index.html')))) return;
  // Built in a folder of its own and copied over, so that a server reading `dist` never finds it empty.
  const aside = join(cache, `portal.${process.pid}`);
  await mkdir(cache, { recursive: true });
  try {
    await buildPages(aside);
    const { documents, pages, figure } = await renderPages(portal, publicPaths, `${aside}.rendered`);
    await buildDocuments(documents, aside);
    await buildPageFiles(pages, aside);
    await buildChangelogFiles(root, aside);
    await buildOgImage(figure, aside);
    await buildRuntime(aside, models);
    await syncInto(aside, dist, ['parts']);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await writeFile(stamp, wanted);
};

await main();
