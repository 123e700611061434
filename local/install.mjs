// Installs what is missing, then runs the given scripts one after the other on the project's Node; options after them
// are the last one's. Plain JavaScript without dependencies: it is the one file that runs on the system's Node (20 or newer) before the project's own Node
// 24 is there.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');
const NPM_CHECK_MS = 1_000;
const [major = 0] = process.versions.node.split('.').map(Number);

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * True where every package is installed in the version the lock file names. An optional one may be absent: npm leaves
 * out those of other platforms. npm writes the inner lock file last, so an interrupted install does not count.
 */
const isInstalled = () => {
  const installedLock = join(modules, '.package-lock.json');
  if (!existsSync(installedLock)) return false;
  const installed = packagesOf(installedLock);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === wanted.version : wanted.optional === true);
  });
};

/** `npm ci` empties node_modules; the prepared models in its .cache took a download of 113 MB and are carried over. */
const install = () => {
  const cache = join(modules, '.cache');
  const kept = join(root, '.npm-install-cache');
  if (existsSync(cache)) {
    rmSync(kept, { recursive: true, force: true });
    renameSync(cache, kept);
  }
  console.log('Installing dependencies (npm ci) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
  if (existsSync(kept) && existsSync(modules)) renameSync(kept, cache);
  return done.status ?? 1;
};

/**
 * The project's own Node comes as an npm package for Linux x64; elsewhere the system's must be new enough to run
 * TypeScript.
 */
const hasRuntime = () => existsSync(join(modules, '.bin', 'node')) || major >= 24;

/**
 * The npm that runs this, as a text that changes when it dies: its position in the process tree, above the shell that
 * npm starts. Undefined where no npm runs this.
 */
const npmAbove = () => {
  if (!process.env.npm_lifecycle_event) return undefined;
  if (process.platform !== 'linux') return `${process.ppid}`;
  try {
    // pid (name) state ppid …
    const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8')) ?? [];
    return /^(ba|da)?sh$/.test(name) ? `${process.ppid} ${parent}` : `${process.ppid}`;
  } catch {
    // The parent ended just now.
    return '';
  }
};

/** The script that runs now. */
let child;

/** Signals go to whichever script runs. Added once, however many scripts there are. */
const passOnSignals = () => {
  // A terminal sends Ctrl-C to the child as well; what is left to do is to wait for it.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));
  // An npm that was killed outright sends no signal.
  const npm = npmAbove();
  setInterval(() => npmAbove() !== npm && child?.kill('SIGTERM'), NPM_CHECK_MS).unref();
};

/**
 * Not by a shell or another npm: those die of a signal without passing it on, and leave the system running. Resolves
 * with the script's exit code.
 */
const run = (script, options) =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter) };
    child = spawn('node', [join(root, script), ...options], { cwd: root, env, stdio: 'inherit' });
    child.on('error', (error) => console.error(`${script}: ${error.message}`));
    child.on('close', (code) => resolve(code ?? 1));
  });

if (major < 20) {
  console.error(`packshot needs Node.js 20 or newer to install itself; this is ${process.version}.`);
  process.exit(1);
}
if (!isInstalled()) process.exitCode = install();
if (!process.exitCode && !hasRuntime()) {
  console.error(
    `packshot runs on Node.js 24, which npm brings on Linux x64 only; on this platform install Node.js 24 (this is ${process.version}).`,
  );
  process.exitCode = 1;
}
passOnSignals();
const given = process.argv.slice(2);
const firstOption = given.findIndex((one) => one.startsWith('-'));
const scripts = firstOption < 0 ? given : given.slice(0, firstOption);
for (const script of scripts)
  if (!process.exitCode)
    process.exitCode = await run(script, script === scripts.at(-1) ? given.slice(scripts.length) : []);
