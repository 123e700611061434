/** R2 as the flows see it: reads and writes by the binding, presigned URLs for origin. */
import { hex } from '../../shared/digest.ts';
import { edgeLimits } from '../limits.ts';
import type { ObjectStore } from '../ports.ts';
import { r2InputSink } from './input-sink.ts';
import { presigner, type S3Config } from './presign.ts';

/** `bucket`: one whose calls end in bounded time. */
export const r2Objects = (bucket: R2Bucket, s3: S3Config, takesHeic: boolean): ObjectStore => ({
  sink: (key) => r2InputSink(bucket, key, takesHeic),
  async head(key) {
    const object = await bucket.head(key);
    if (!object) return undefined;
    const { md5 } = object.checksums;
    return { bytes: object.size, etag: object.httpEtag, md5: md5 && hex(new Uint8Array(md5)) };
  },
  async read(key, part) {
    const object = await bucket.get(
      key,
      part ? { range: { offset: part.first, length: part.last - part.first + 1 } } : {},
    );
    return object?.body;
  },
  async remove(keys) {
    if (keys.length > 0) await bucket.delete([...keys]);
  },
  async removeUnder(prefix) {
    const { objects, truncated } = await bucket.list({ prefix, limit: edgeLimits.removal.objectsPerCall });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    return truncated;
  },
  presign: presigner(s3),
});

/**
 * Deletes objects under `prefix` whose life ended before `beforeMs`, oldest first (keys sort by time), at most `max`.
 * Answers how many.
 */
export const removeExpired = async (
  bucket: R2Bucket,
  prefix: string,
  isExpired: (key: string) => boolean,
  max: number,
): Promise<number> => {
  const { objects } = await bucket.list({ prefix, limit: Math.min(max, 1_000) });
  const expired = objects.map(({ key }) => key).filter(isExpired);
  if (expired.length > 0) await bucket.delete(expired);
  return expired.length;
};
