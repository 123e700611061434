/**
 * The package as it would be published: packed, installed in an empty folder, and run by the README's own words against
 * the whole system with the real model.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPackage } from '../../clients/typescript/build.ts';
import { checkHero } from '../support/hero-check.ts';
import { type TemporarySystem, temporarySystem } from '../support/local-system.ts';
import { renderScene } from '../support/scenes.ts';

const run = promisify(execFile);
const source = join(import.meta.dirname, '..', '..', 'clients', 'typescript');

let system: TemporarySystem;
let folder: string;
beforeAll(async () => {
  [system, folder] = await Promise.all([temporarySystem({ credits: 5 }), mkdtemp(join(tmpdir(), 'packshot-package-'))]);
  await buildPackage();
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
});
afterAll(async () => {
  await system?.remove();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  PATH: process.env['PATH'],
  HOME: folder,
  PACKSHOT_API_KEY: system.apiKey,
  PACKSHOT_BASE_URL: system.baseUrl,
});

it("brings nothing else, and runs the README's first example", async () => {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'node_modules/packshot/package.json'), 'utf8'));
  expect(dependencies).toEqual({});
  const readme = await readFile(join(folder, 'node_modules/packshot/README.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toContain("from 'packshot'");
  await writeFile(join(folder, 'example.mjs'), example);
  await writeFile(join(folder, 'photo.jpg'), await renderScene('mug', { width: 640 }));
  const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder, env: environment() });
  expect(stdout).toContain(`true ${system.baseUrl}/api/v1/downloads/`);
  const main = await checkHero(await readFile(join(folder, 'main-image.jpg')));
  expect([main.width, main.height, main.cornersWhite]).toEqual([2000, 2000, true]);
});

it('brings the command line, with the licences of what it holds', async () => {
  await writeFile(join(folder, 'photo.jpg'), await renderScene('shoe', { width: 640 }));
  const env = environment();
  await run('npx', ['packshot', 'photo.jpg', '-o', 'out'], { cwd: folder, env });
  const main = await checkHero(await readFile(join(folder, 'out/photo.jpg')));
  expect([main.width, main.height, main.cornersWhite]).toEqual([2000, 2000, true]);
  const licences = await readFile(join(folder, 'node_modules/packshot/dist/cli/LICENSES.txt'), 'utf8');
  for (const name of ['commander', 'cli-progress', '@modelcontextprotocol/server']) expect(licences).toContain(name);
});

it('has types that a strict program compiles against', async () => {
  const program = `import { Packshot, type Created, ImageError } from 'packshot';
const packshot = new Packshot({ apiKey: 'k', baseUrl: 'https://api.example' });
export const first = async (): Promise<Created> => packshot.create('a.jpg', { marketplace: 'etsy' });
// @ts-expect-error no such marketplace
export const wrong = () => packshot.create('a.jpg', { marketplace: 'nowhere' });
export const code = (error: unknown): string => (error instanceof ImageError ? error.code : '');
`;
  await writeFile(join(folder, 'program.ts'), program);
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  const tsc = join(source, '..', '..', 'node_modules', '.bin', 'tsc');
  await run(tsc, ['-p', folder]).catch((error: { stdout: string }) => expect.fail(error.stdout));
});
