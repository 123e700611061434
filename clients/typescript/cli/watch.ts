/** Images that come into watched folders, each once it is wholly written. */
import { extname, relative } from 'node:path';
import { watch } from 'chokidar';
import { IMAGE_EXTENSIONS, type Source } from './sources.ts';

/** A file whose size has not changed for so long is taken for written. */
const SETTLED_MS = 1_000;
const POLL_MS = 200;

/** Ends when `signal` is aborted. Files that are there already come first. `isOutput`: files to pass over. */
export async function* watchFolders(
  folders: readonly string[],
  isOutput: (path: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<Source> {
  const waiting: Source[] = [];
  let wake = (): void => {};
  const watcher = watch([...folders], {
    ignored: isOutput,
    awaitWriteFinish: { stabilityThreshold: SETTLED_MS, pollInterval: POLL_MS },
  });
  const take = (path: string): void => {
    if (!IMAGE_EXTENSIONS.includes(extname(path).slice(1).toLowerCase())) return;
    const folder = folders.find((one) => !relative(one, path).startsWith('..')) ?? '.';
    waiting.push({ kind: 'file', path, name: relative(folder, path) });
    wake();
  };
  watcher.on('add', take).on('change', take);
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    await watcher.close();
  }
}
