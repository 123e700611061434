/**
 * What earlier runs came to: `.packshot-state.jsonl` in the output folder, one line for each thing that happened,
 * written to disk before the run goes on. A line that a killed run left half written is passed over.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageOptions } from '../src/index.ts';

const STATE_FILE = '.packshot-state.jsonl';

/** `work` is the input's content and its options; the same work is paid for once. */
export type MadeImage = { readonly batch_id: string; readonly image_id: string; readonly sha256: string };
type Line =
  | ({ readonly event: 'made'; readonly work: string } & MadeImage)
  | { readonly event: 'done'; readonly work: string; readonly output: string }
  | { readonly event: 'failed'; readonly work: string; readonly code: string };

export type State = {
  readonly made: (work: string) => MadeImage | undefined;
  /** True where the output was written for this very work, and still is there. */
  readonly isDone: (work: string, output: string) => boolean;
  /** The key under which the work is asked for: another one after each failure, which the service remembers. */
  readonly idempotencyKey: (work: string) => string;
  readonly noteMade: (work: string, image: MadeImage) => Promise<void>;
  readonly noteDone: (work: string, output: string) => Promise<void>;
  readonly noteFailed: (work: string, code: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

const digestOf = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

export const workOf = (content: Uint8Array | string, options: ImageOptions): string =>
  digestOf(JSON.stringify([typeof content === 'string' ? content : digestOf(content), options]));

const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });

export const openState = async (folder: string): Promise<State> => {
  const path = join(folder, STATE_FILE);
  const text = await readFile(path, 'utf8').catch(() => '');
  const made = new Map<string, MadeImage>();
  const failures = new Map<string, number>();
  const workAt = new Map<string, string>();
  const take = (line: Line): void => {
    if (line.event === 'made') made.set(line.work, line);
    if (line.event === 'done') workAt.set(line.output, line.work);
    if (line.event === 'failed') failures.set(line.work, (failures.get(line.work) ?? 0) + 1);
  };
  for (const line of linesOf(text)) take(line);
  let file: Promise<FileHandle> | undefined;
  /** Opened with the first line: a run that does nothing leaves nothing. */
  const opened = async (): Promise<FileHandle> => {
    await mkdir(folder, { recursive: true });
    const handle = await open(path, 'a', 0o600);
    if (text !== '' && !text.endsWith('\n')) await handle.write('\n');
    return handle;
  };
  const note = async (line: Line): Promise<void> => {
    file ??= opened();
    const handle = await file;
    await handle.write(`${JSON.stringify(line)}\n`);
    await handle.datasync();
    take(line);
  };
  return {
    made: (work) => made.get(work),
    isDone: (work, output) => workAt.get(output) === work && existsSync(join(folder, output)),
    idempotencyKey: (work) => `cli-${work}-${failures.get(work) ?? 0}`,
    noteMade: (work, { batch_id, image_id, sha256 }) => note({ event: 'made', work, batch_id, image_id, sha256 }),
    noteDone: (work, output) => note({ event: 'done', work, output }),
    noteFailed: (work, code) => note({ event: 'failed', work, code }),
    close: async () => (await file)?.close(),
  };
};
