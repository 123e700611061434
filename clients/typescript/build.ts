/**
 * Makes dist, the published form: the library as plain modules with types, and the command line as a bundle, so that
 * installing the package installs nothing else. `npm run clients:build`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const here = import.meta.dirname;
const modules = join(here, '..', '..', 'node_modules');
const dist = join(here, 'dist');

/** "…/node_modules/@scope/name/dist/x.js" → "@scope/name" */
const packageOf = (file: string): string | undefined =>
  /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1]?.replace('\\', '/');

/** The licences of what the bundle holds, which ask to be kept with every copy. */
const licences = (packages: readonly string[]): string =>
  packages
    .map((name) => {
      const folder = join(modules, name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);

export const buildPackage = async (): Promise<void> => {
  rmSync(dist, { recursive: true, force: true });
  execFileSync(join(modules, '.bin', 'tsc'), ['-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
  const held = new Set<string>();
  await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'licences',
        generateBundle: (_, bundle) => {
          for (const chunk of Object.values(bundle)) {
            if (chunk.type !== 'chunk') continue;
            for (const id of chunk.moduleIds) held.add(packageOf(id) ?? '');
          }
        },
      },
    ],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(here, 'cli', 'main.ts'),
      outDir: join(dist, 'cli'),
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'main.js' } },
    },
  });
  held.delete('');
  writeFileSync(join(dist, 'cli', 'LICENSES.txt'), licences([...held].sort()));
};

if (import.meta.main) await buildPackage();
