/**
 * Where a node may fetch inputs and put outputs: a token proves who sent a job, not that the URLs in it are our
 * storage's.
 */
import type { JobRequest } from '../../shared/job.ts';

/** A URL under one of `STORAGE_URLS`. */
export type IsStorageUrl = (url: string) => boolean;

/** `storageUrls` without trailing slashes. Compared as parsed: scheme, host, port and the beginning of the path. */
export const storageUrlCheck = (storageUrls: readonly string[]): IsStorageUrl => {
  const allowed = storageUrls.map((url) => new URL(`${url}/`));
  return (text) => {
    const url = URL.parse(text);
    if (url === null) return false;
    if (url.username !== '' || url.password !== '') return false;
    return allowed.some(({ origin, pathname }) => url.origin === origin && url.pathname.startsWith(pathname));
  };
};

type StorageUrls = Pick<JobRequest, 'input_url'> &
  Partial<Pick<JobRequest, 'background_url' | 'matte_url' | 'outputs'>>;

/** The fields of a job or check whose URLs are not storage's. */
export const foreignUrls = (
  { input_url, background_url, matte_url, outputs }: StorageUrls,
  isStorageUrl: IsStorageUrl,
): readonly string[] => {
  const urls: readonly (readonly [string, string | undefined])[] = [
    ['input_url', input_url],
    ['background_url', background_url],
    ['matte_url', matte_url],
    ['outputs.clean', outputs?.clean],
    ['outputs.preview', outputs?.preview],
    ...(outputs?.others ?? []).map((url, place) => [`outputs.others.${place}`, url] as const),
  ];
  return urls.flatMap(([field, url]) => (url === undefined || isStorageUrl(url) ? [] : [field]));
};
