/** The bytes of a result, checked against the digest that the API names with it. */
import { type CallOptions, call, type Settings } from './call.ts';
import { ChecksumError, NotFoundError } from './errors.ts';
import type { Output } from './generated.ts';
import type { Image } from './images.ts';

/**
 * An image, or what is left of one: with an empty `url` a fresh link is asked for. `marketplace`: the file of one of
 * several.
 */
export type Downloadable = Pick<Image, 'url' | 'image_id' | 'batch_id'> & {
  readonly sha256?: string | undefined;
  readonly marketplace?: Output['marketplace'] | undefined;
};

/** The file of one marketplace of an image that was made for several. */
export const fileOf = (
  { image_id, batch_id }: Pick<Image, 'image_id' | 'batch_id'>,
  { output_url, sha256, marketplace }: Output,
): Downloadable => ({ url: output_url ?? '', image_id, batch_id, sha256, marketplace });

/** A text is a link alone: there is nothing to check its bytes against. `freshUrl` names a link that has not expired. */
export const download = async (
  settings: Settings,
  from: Downloadable | string,
  options: CallOptions,
  freshUrl: (image: Downloadable) => Promise<string>,
): Promise<Uint8Array<ArrayBuffer>> => {
  if (typeof from === 'string') return bytesBehind(settings, from, undefined, options);
  const fetchFrom = (url: string) => bytesBehind(settings, url, from.sha256, options);
  if (from.url === '') return fetchFrom(await freshUrl(from));
  try {
    return await fetchFrom(from.url);
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.code !== 'download_expired') throw error;
    return fetchFrom(await freshUrl(from));
  }
};

/** A file that arrived damaged is fetched again, like one that did not arrive. */
const bytesBehind = (settings: Settings, url: string, sha256: string | undefined, options: CallOptions) =>
  call(settings, { method: 'GET', url }, options, async (answer) => {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const found = sha256 === undefined ? undefined : await sha256Of(bytes);
    if (found !== sha256)
      throw new ChecksumError(`The file's SHA-256 is ${found}, not ${sha256}`, {
        code: 'checksum_mismatch',
        retryable: true,
      });
    return bytes;
  });

const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
