/** All results of a batch at once: its files as ZIP archives, and a table. */
import { type CallOptions, call, type Settings } from './call.ts';
import { pathOfBatch } from './deletion.ts';

/** One of the archives that the files of a batch make; `part` counts from 1. */
export type Archive = {
  readonly filename: string;
  readonly part: number;
  readonly parts: number;
  /** To be read to its end, or cancelled. What breaks off is no whole archive: ZIP says so at its end. */
  readonly body: ReadableStream<Uint8Array>;
};

/** Headers are waited for as in any call; what follows them may be gigabytes. */
export const archiveAt = (
  settings: Settings,
  batchId: string,
  part: number,
  options: CallOptions,
): Promise<Archive> => {
  const request = { method: 'GET', url: `${pathOfBatch(batchId)}/results.zip?part=${part}`, isStreamed: true } as const;
  return call(settings, request, options, async ({ body, headers }) => {
    if (!body) throw new Error('an archive without a body');
    const filename = filenameIn(headers.get('content-disposition')) ?? `packshot-${batchId}.zip`;
    const parts = Number(/-of-(\d+)\.zip$/.exec(filename)?.[1] ?? 1);
    return { filename, part, parts, body };
  });
};

export const tableOf = (settings: Settings, batchId: string, options: CallOptions): Promise<string> =>
  call(settings, { method: 'GET', url: `${pathOfBatch(batchId)}/results.csv` }, options, (answer) => answer.text());

/** Without what could lead into another folder. */
const filenameIn = (disposition: string | null): string | undefined =>
  /filename="([\w.-]+)"/.exec(disposition ?? '')?.[1];
