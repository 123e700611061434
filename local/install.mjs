// Installs what is missing, and nothing else. Plain JavaScript without dependencies: it is the one file that runs on the system's Node (20 or newer)
// before the project's own Node 24 is there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');
const [major = 0] = process.versions.node.split('.').map(Number);

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * True where every package is installed in the version the lock file names. An optional one may be absent: npm leaves out those of other platforms.
 * npm writes the inner lock file last, so an interrupted install counts as none.
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

/** The project's own Node comes as an npm package for Linux x64; elsewhere the system's must be new enough to run TypeScript. */
const hasRuntime = () => existsSync(join(modules, '.bin', 'node')) || major >= 24;

if (major < 20) {
  console.error(`packshot needs Node.js 20 or newer to install itself; this is ${process.version}.`);
  process.exit(1);
}
if (!isInstalled()) process.exitCode = install();
if (!process.exitCode && !hasRuntime()) {
  console.error(`packshot runs on Node.js 24, which npm brings on Linux x64 only; on this platform install Node.js 24 (this is ${process.version}).`);
  process.exitCode = 1;
}
