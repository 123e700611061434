/** One file of an upload: counted, digested and spooled into the store while it is read. */
import { hex } from '../../shared/digest.ts';
import type { Failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { blockSpool } from '../spool/block-spool.ts';
import type { InputSink } from '../spool/sink.ts';

type ReadFile = {
  readonly originalName: string;
  readonly bytes: number;
  /** SHA-256 of the whole file, lower-case hex. */
  readonly digest: string;
  /** By its first bytes; undefined where it cannot be used. */
  readonly contentType: string | undefined;
  /** Why it cannot be used: `file_empty`, `unsupported_media_type` or `unsupported_heic`. Nothing is stored then. */
  readonly failure: Failure | null;
};
export type FilePart = {
  take(bytes: Uint8Array): Promise<{ readonly tooLarge: boolean }>;
  end(): Promise<ReadFile>;
  /** Removes what was written of a file that will not be complete. */
  abort(): Promise<void>;
};

/** Without a sink nothing is stored, and the file is judged as if it were. */
export const filePart = (originalName: string, sink: InputSink = nowhere): FilePart => {
  const digest = new crypto.DigestStream('SHA-256');
  const digester = digest.getWriter();
  const spool = blockSpool(sink, 'unsupported_media_type');
  let bytes = 0;
  let wrong: Failure | null = null;
  let contentType: string | undefined;
  const spooled = async (chunk: Uint8Array | undefined): Promise<void> => {
    if (wrong !== null) return;
    const taken = await spool.take(chunk);
    if (!taken.ok) wrong = taken.failure;
    else contentType = taken.value?.contentType;
  };
  return {
    async take(chunk) {
      bytes += chunk.length;
      if (bytes > limits.upload.fileBytesMax) return { tooLarge: true };
      await digester.write(chunk);
      await spooled(chunk);
      return { tooLarge: false };
    },
    async end() {
      await spooled(undefined);
      await digester.close();
      return { originalName, bytes, digest: hex(new Uint8Array(await digest.digest)), contentType, failure: wrong };
    },
    abort: () => spool.abort(),
  };
};

const nowhere: InputSink = {
  // What is only compared was judged before.
  takesHeic: true,
  put: async () => {},
  open: async () => ({ write: async () => {}, complete: async () => {}, abort: async () => {} }),
};
