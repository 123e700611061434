/** `packshot results`: all finished files of a batch as ZIP archives, and its table, into a folder. */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import type { Archive } from '../src/index.ts';
import { UsageError } from './exit-codes.ts';
import type { AccountCommand } from './keys.ts';
import { writeWhole } from './outputs.ts';

/** An archive cannot be taken up where it broke off: it is fetched again from its beginning. */
const TRIES_MAX = 3;

/** `output`: the program's -o. */
export const addResultsCommand = (
  program: Command,
  { connected, isJson }: AccountCommand,
  output: () => string | undefined,
): void => {
  program
    .command('results')
    .description('all finished files of a batch or an upload as ZIP archives, and its table as CSV, into a folder (-o)')
    .argument('<batch_id>')
    .action(async (batchId: string) => {
      const folder = output();
      if (!folder) throw new UsageError('-o is missing: into which folder?');
      const batch = (await connected()).batch(batchId);
      const say = (path: string): void =>
        void process.stdout.write(isJson() ? `${JSON.stringify({ path })}\n` : `${path}\n`);
      for (let part = 1, parts = 1; part <= parts; part++) {
        const saved = await save(() => batch.archive({ part }), folder);
        parts = saved.parts;
        say(saved.path);
      }
      const table = join(folder, `packshot-${batchId}.csv`);
      await writeWhole(table, new TextEncoder().encode(await batch.table()));
      say(table);
    });
};

/** A reader of the folder sees a whole archive or none. */
const save = async (ask: () => Promise<Archive>, folder: string): Promise<{ path: string; parts: number }> => {
  await mkdir(folder, { recursive: true });
  for (let tries = 1; ; tries++) {
    const { filename, parts, body } = await ask();
    // Two runs into one folder do not meet in it.
    const part = join(folder, `.${filename}.${process.pid}.part`);
    try {
      await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(part, { flush: true }));
      const path = join(folder, filename);
      await rename(part, path);
      return { path, parts };
    } catch (error) {
      await rm(part, { force: true });
      // A full disk, for one, is no broken connection.
      if (tries === TRIES_MAX || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    }
  }
};
