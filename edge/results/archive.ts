/**
 * Result files as one ZIP, streamed: a file is read from the store when the reader has come to it, and nothing is
 * compressed, for the files are. What cannot be read any more is named in a text at the end instead of ending the stream.
 */
import { makeZip } from 'client-zip';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { batchOfObject } from '../stores/object-keys.ts';
import type { ResultFile, ResultSlot } from './files.ts';

export const NOT_INCLUDED = 'not-included.txt';

/** One of the archives that a long list of files makes. */
export type ArchivePart = {
  readonly part: number;
  readonly parts: number;
  readonly files: readonly ResultFile[];
  readonly gone: readonly string[];
};

/** The number of an archive as an address names it, from 1; NaN for what is none. */
export const partOf = (part = '1'): number => (/^\d{1,4}$/.test(part) ? Number(part) : Number.NaN);

/** How many archives there are; one where there is nothing. */
export const archiveParts = (slots: readonly ResultSlot[]): number =>
  Math.max(1, Math.ceil(slots.length / edgeLimits.results.zipFilesMax));

/** `part` counts from 1. Undefined where there is none of that number. */
export const archivePart = (slots: readonly ResultSlot[], part: number): ArchivePart | undefined => {
  const { zipFilesMax } = edgeLimits.results;
  const parts = archiveParts(slots);
  if (!(part >= 1 && part <= parts)) return undefined;
  const own = slots.slice((part - 1) * zipFilesMax, part * zipFilesMax);
  return {
    part,
    parts,
    files: own.flatMap(({ file }) => file ?? []),
    gone: own.flatMap(({ gone }) => gone ?? []),
  };
};

/** `packshot-bat_….zip`, and where there are several `packshot-bat_…-1-of-3.zip`. */
export const archiveName = (stem: string, { part, parts }: ArchivePart): string =>
  parts === 1 ? `${stem}.zip` : `${stem}-${part}-of-${parts}.zip`;

type Deps = Pick<Services, 'objects' | 'sagaOf' | 'clock'>;

/** `waitUntil` keeps the work alive that follows the last byte. Errors of the store break the stream off. */
export const archiveStream = (
  deps: Deps,
  archive: ArchivePart,
  waitUntil: (work: Promise<unknown>) => void,
): ReadableStream<Uint8Array> => {
  const progress: Progress = { sent: [], reader: undefined };
  const { readable, writable } = new IdentityTransformStream();
  waitUntil(
    makeZip(withoutThrow(entriesOf(deps, archive, progress)))
      .pipeTo(writable)
      .then(
        () => noteDelivered(deps, progress.sent),
        (error: unknown) => giveUp(progress, error),
      ),
  );
  return readable;
};

/** `reader`: of the file that is being sent. */
type Progress = { readonly sent: ResultFile[]; reader: ReadableStreamDefaultReader<Uint8Array> | undefined };

/** The caller has gone, or a file could not be read to its end: the archive lacks its own end, and nothing was delivered. */
const giveUp = async ({ reader }: Progress, error: unknown): Promise<void> => {
  logEvent('info', 'archive_broken_off', { error: errorText(error) });
  await reader?.cancel().catch(() => undefined);
};

/** Reads one file at a time. */
async function* entriesOf({ objects, clock }: Deps, { files, gone }: ArchivePart, progress: Progress) {
  const lastModified = new Date(clock.nowMs());
  const missing = [...gone];
  for (const file of files) {
    const reader = (await objects.read(file.objectKey))?.getReader();
    if (!reader) {
      missing.push(file.name);
      continue;
    }
    progress.reader = reader;
    progress.sent.push(file);
    yield { name: file.name, input: chunksOf(reader), lastModified };
  }
  if (missing.length > 0) yield { name: NOT_INCLUDED, input: notIncluded(missing), lastModified };
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>) {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Of a generator that is done, client-zip's `throw` would be an unhandled rejection when the caller hangs up. */
const withoutThrow = <T>(entries: AsyncGenerator<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => ({ next: () => entries.next() }),
});

const notIncluded = (names: readonly string[]): string =>
  `Deleted, or past the end of their life, and so not in this archive:\r\n\r\n${names.join('\r\n')}\r\n`;

/** A file that goes with its first complete download was downloaded with the archive that holds it. */
const noteDelivered = async ({ sagaOf }: Deps, sent: readonly ResultFile[]): Promise<void> => {
  for (const batchId of new Set(sent.map(({ objectKey }) => batchOfObject(objectKey)))) {
    const saga = sagaOf(batchId);
    try {
      if (!(await saga.owner())?.isKeptOnce) continue;
      const own = sent.filter(({ objectKey }) => batchOfObject(objectKey) === batchId);
      await saga.noteDelivered(...own.map(({ objectKey }) => objectKey));
    } catch (error) {
      logEvent('warn', 'delivery_not_noted', { object: batchId, error: errorText(error) });
    }
  }
};
