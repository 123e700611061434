/**
 * A hash of everything the portal is built from: paths, sizes and times, which is enough to tell whether to build
 * again.
 */
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

const FOLDERS = ['portal/src', 'portal/public', 'portal/build', 'edge/http', 'shared'];
const FILES = ['portal/index.html', 'portal/vite.config.ts', 'package-lock.json', 'CHANGELOG.md'];

const filesBelow = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

export const fingerprint = async (root: string, more: readonly string[]): Promise<string> => {
  const found = (await Promise.all(FOLDERS.map((folder) => filesBelow(join(root, folder))))).flat();
  const hash = createHash('sha256');
  for (const path of [...found, ...FILES.map((file) => join(root, file)), ...more].sort()) {
    const { size, mtimeMs } = await stat(path);
    hash.update(`${relative(root, path)} ${size} ${Math.trunc(mtimeMs)}\n`);
  }
  return hash.digest('hex');
};
