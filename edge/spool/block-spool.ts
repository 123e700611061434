/** Collects chunks into blocks and hands each full block on, so that at most one block and one chunk are in memory. */
import { type Failure, failure } from '../../shared/errors.ts';
import { isHeic, SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { blockBuffer } from './block-buffer.ts';
import type { BlockWriter, InputSink, StoredInput } from './sink.ts';

const { blockBytes } = edgeLimits.spool;
const bytesMax = limits.upload.fileBytesMax;

export type BlockSpool = {
  /** Undefined ends the file, and is answered with what was stored; until then the answer is undefined. */
  take(chunk: Uint8Array | undefined): Promise<Result<StoredInput | undefined, Failure>>;
  /** Removes what was written of a file that will not be complete. */
  abort(): Promise<void>;
};

/** Fails with `notAnImage`, `unsupported_heic`, `file_empty` or `file_too_large`. */
export const blockSpool = (sink: InputSink, notAnImage: 'url_not_an_image' | 'unsupported_media_type'): BlockSpool => {
  const block = blockBuffer(blockBytes);
  let bytes = 0;
  let contentType: string | undefined;
  let writer: BlockWriter | undefined;

  const sniff = (): Result<string, Failure> => {
    const head = block.bytes().subarray(0, SNIFF_BYTES);
    contentType ??= sniffImage(head) ?? (sink.takesHeic && isHeic(head) ? 'image/heic' : undefined);
    if (contentType !== undefined) return ok(contentType);
    return fail(failure(isHeic(head) ? 'unsupported_heic' : notAnImage));
  };
  const finish = async (): Promise<Result<StoredInput, Failure>> => {
    if (bytes === 0) return fail(failure('file_empty'));
    const type = sniff();
    if (!type.ok) return type;
    if (writer === undefined) await sink.put(block.bytes(), type.value);
    else {
      await writer.write(block.bytes());
      await writer.complete();
    }
    return ok({ bytes, contentType: type.value });
  };
  /** A block that is full waits for the next byte: the last one may be full, too. */
  const passOn = async (type: string): Promise<void> => {
    writer ??= await sink.open(type);
    await writer.write(block.bytes());
    block.clear();
  };
  return {
    async take(chunk) {
      if (chunk === undefined) return finish();
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(failure('file_too_large'));
      let taken = block.push(chunk);
      if (contentType === undefined && bytes < SNIFF_BYTES) return ok(undefined);
      const type = sniff();
      if (!type.ok) return type;
      while (taken < chunk.length) {
        await passOn(type.value);
        taken += block.push(chunk.subarray(taken));
      }
      return ok(undefined);
    },
    async abort() {
      await writer?.abort();
    },
  };
};
