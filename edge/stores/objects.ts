/**
 * R2 as the flows see it: reads and writes by the binding, presigned URLs (SigV4) for origin, which has no credentials
 * of its own.
 */

import { AwsClient } from 'aws4fetch';
import { edgeLimits } from '../limits.ts';
import type { ObjectStore } from '../ports.ts';
import { r2InputSink } from './input-sink.ts';

export type S3Config = {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

export const r2Objects = (bucket: R2Bucket, s3: S3Config): ObjectStore => {
  const signer = new AwsClient({
    accessKeyId: s3.accessKeyId,
    secretAccessKey: s3.secretAccessKey,
    service: 's3',
    region: 'auto',
  });
  return {
    sink: (key) => r2InputSink(bucket, key),
    async head(key) {
      const object = await bucket.head(key);
      return object ? { bytes: object.size, etag: object.httpEtag } : undefined;
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
    async presign(method, key) {
      const url = new URL(`${s3.endpoint}/${s3.bucket}/${key}`);
      url.searchParams.set('X-Amz-Expires', String(edgeLimits.objects.presignedSeconds));
      const signed = await signer.sign(new Request(url, { method }), { aws: { signQuery: true } });
      return signed.url;
    },
  };
};

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
