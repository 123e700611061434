/** Where results go: below the output folder as their sources lie below theirs, no two in one place. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, normalize, sep } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { inputName, type Source } from './sources.ts';

export type Placed = { readonly source: Source; readonly output: string };

/**
 * Gives each source its path below the output folder. Two that would have the same get -2, -3 …; one that comes again
 * gets what it had.
 */
export const placer = (extension: string): ((source: Source) => Placed) => {
  const taken = new Map<string, string>();
  return (source) => {
    const stem = stemOf(source.name);
    const name = inputName(source);
    let output = `${stem}.${extension}`;
    const isOthers = (): boolean => (taken.get(output.toLowerCase()) ?? name) !== name;
    for (let n = 2; isOthers(); n++) output = `${stem}-${n}.${extension}`;
    taken.set(output.toLowerCase(), name);
    return { source, output };
  };
};

/** A list may come from anywhere: its names stay below the output folder. */
const stemOf = (name: string): string => {
  const path = normalize(name.replaceAll('\\', '/'));
  if (isAbsolute(path) || path.split(sep).includes('..'))
    throw new UsageError(`${name}: leads out of the output folder`);
  const withoutExtension = extname(path) === '' ? path : path.slice(0, -extname(path).length);
  return withoutExtension || 'image';
};

/** A reader sees the whole file or none, also where the run is killed. */
export const writeWhole = async (path: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const part = join(dirname(path), `.${path.slice(dirname(path).length + 1)}.part`);
  await writeFile(part, bytes, { flush: true });
  await rename(part, path);
};
