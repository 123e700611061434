/** Presigned URLs (SigV4) for origin, which has no credentials of its own. */
import { AwsClient } from 'aws4fetch';
import { edgeLimits } from '../limits.ts';
import type { ObjectStore } from '../ports.ts';
import { contentTypeOf } from './object-keys.ts';

export type S3Config = {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** A URL to write an object is for that object's own content type; its length and digest are not known yet. */
export const presigner = ({ endpoint, bucket, ...credentials }: S3Config): ObjectStore['presign'] => {
  const signer = new AwsClient({ ...credentials, service: 's3', region: 'auto' });
  return async (method, key) => {
    const url = new URL(`${endpoint}/${bucket}/${key}`);
    url.searchParams.set('X-Amz-Expires', String(edgeLimits.objects.presignedSeconds));
    const headers = method === 'PUT' ? { 'content-type': contentTypeOf(key) } : {};
    return (await signer.sign(url.href, { method, headers, aws: { signQuery: true, allHeaders: true } })).url;
  };
};
