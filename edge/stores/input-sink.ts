/**
 * Inputs, uploaded or fetched from a URL, into R2. Larger ones go up in parts, so that a Worker never holds more than one of them.
 */
import type { InputSink } from '../spool/sink.ts';

/** A second delivery of the same image overwrites the same key: the last complete one counts. */
export const r2InputSink = (bucket: R2Bucket, key: string, takesHeic: boolean): InputSink => ({
  takesHeic,
  async put(body, contentType) {
    await bucket.put(key, body, { httpMetadata: { contentType } });
  },
  async open(contentType) {
    const upload = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } });
    const parts: R2UploadedPart[] = [];
    return {
      async write(block) {
        parts.push(await upload.uploadPart(parts.length + 1, block));
      },
      async complete() {
        await upload.complete(parts);
      },
      abort: () => upload.abort(),
    };
  },
});
