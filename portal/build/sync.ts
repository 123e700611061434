/** Copies a tree over another: new files first, the page that names them last, then what is left over is removed. */
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const PAGE = 'index.html';

const filesBelow = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)));

/** `keep`: folders of `to` that are not this tree's. */
export const syncInto = async (from: string, to: string, keep: readonly string[]): Promise<void> => {
  const wanted = (await filesBelow(from)).sort((a, b) => Number(a === PAGE) - Number(b === PAGE));
  for (const file of wanted) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await copyFile(join(from, file), join(to, file));
  }
  const left = (await filesBelow(to)).filter(
    (file) => !wanted.includes(file) && !keep.some((folder) => file.startsWith(`${folder}/`)),
  );
  for (const file of left) await rm(join(to, file), { force: true });
};
