/** Collects chunks into blocks and hands each full block on, so that at most one block and one chunk are in memory. */
import { type Failure, failure } from '../../shared/errors.ts';
import { SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { byteQueue } from './byte-queue.ts';
import type { BlockWriter, InputSink, StoredInput } from './sink.ts';

const { blockBytes } = edgeLimits.spool;
const bytesMax = limits.upload.fileBytesMax;

export type BlockSpool = {
  /** Undefined ends the file, and is answered with what was stored; until then the answer is undefined. */
  take(chunk: Uint8Array | undefined): Promise<Result<StoredInput | undefined, Failure>>;
  /** Removes what was written of a file that will not be complete. */
  abort(): Promise<void>;
};

/** Fails with `notAnImage`, `file_empty` or `file_too_large`. */
export const blockSpool = (sink: InputSink, notAnImage: 'url_not_an_image' | 'unsupported_media_type'): BlockSpool => {
  const waiting = byteQueue();
  let bytes = 0;
  let contentType: string | undefined;
  let writer: BlockWriter | undefined;

  const sniff = (): Result<string, Failure> => {
    contentType ??= sniffImage(waiting.head(SNIFF_BYTES));
    return contentType === undefined ? fail(failure(notAnImage)) : ok(contentType);
  };
  const finish = async (): Promise<Result<StoredInput, Failure>> => {
    if (bytes === 0) return fail(failure('file_empty'));
    const type = sniff();
    if (!type.ok) return type;
    const last = waiting.cut(waiting.length);
    if (writer === undefined) await sink.put(last, type.value);
    else {
      if (last.byteLength > 0) await writer.write(last);
      await writer.complete();
    }
    return ok({ bytes, contentType: type.value });
  };
  return {
    async take(chunk) {
      if (chunk === undefined) return finish();
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(failure('file_too_large'));
      waiting.push(chunk);
      if (contentType === undefined && bytes < SNIFF_BYTES) return ok(undefined);
      const type = sniff();
      if (!type.ok) return type;
      while (waiting.length > blockBytes) {
        writer ??= await sink.open(type.value);
        await writer.write(waiting.cut(blockBytes));
      }
      return ok(undefined);
    },
    async abort() {
      await writer?.abort();
    },
  };
};
