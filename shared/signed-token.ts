/**
 * Download tokens. The signature sits in the path, so that marketplaces which refuse query strings can fetch a result.
 * A token is base64url(JSON [object key, expiry in s]) "." base64url(HMAC-SHA256 over that, a NUL and the file name):
 * token and name are bound together. A third element, 1, marks a link for the account's owner.
 */
import { base64Url, fromBase64Url } from './base64.ts';
import { type Failure, failure } from './errors.ts';
import { fail, ok, type Result } from './result.ts';

/** A link made for a `key` ends with it; the `owner` of the account has theirs from the portal. */
export type LinkHolder = 'key' | 'owner';
export type Download = {
  readonly objectKey: string;
  readonly filename: string;
  readonly expiresAtMs: number;
  readonly madeFor: LinkHolder;
};

const utf8 = new TextEncoder();
const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;
const TOKEN = /^([A-Za-z0-9_-]{8,600})\.([A-Za-z0-9_-]{43})$/;

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8.encode(secret), hmac, false, ['sign', 'verify']);
const signed = (payload: string, filename: string): Uint8Array<ArrayBuffer> =>
  utf8.encode(`${payload}\0${filename}`) as Uint8Array<ArrayBuffer>;

export const signDownload = async (download: Download, secret: string): Promise<string> => {
  const content = [download.objectKey, Math.floor(download.expiresAtMs / 1000)];
  const payload = base64Url(utf8.encode(JSON.stringify(download.madeFor === 'owner' ? [...content, 1] : content)));
  const mac = await crypto.subtle.sign(hmac, await importKey(secret), signed(payload, download.filename));
  return `${payload}.${base64Url(new Uint8Array(mac))}`;
};

/**
 * Constant-time check by each of `secrets`: while the secret is being changed, two of them. Fails with
 * `download_invalid` for any change, `download_expired` once its time is over.
 */
export const verifyDownload = async (
  token: string,
  filename: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<Result<Download, Failure>> => {
  const match = TOKEN.exec(token);
  if (!match) return fail(failure('download_invalid'));
  const [, payload = '', mac = ''] = match;
  // 43 characters carry 258 bits for 256: without this, four spellings of one signature would pass.
  if (base64Url(fromBase64Url(mac)) !== mac) return fail(failure('download_invalid'));
  const genuine = await Promise.all(
    secrets.map(async (secret) =>
      crypto.subtle.verify(hmac, await importKey(secret), fromBase64Url(mac), signed(payload, filename)),
    ),
  );
  if (!genuine.includes(true)) return fail(failure('download_invalid'));
  const [objectKey, expiresAt, owner] = JSON.parse(new TextDecoder().decode(fromBase64Url(payload))) as [
    string,
    number,
    1?,
  ];
  const expiresAtMs = expiresAt * 1000;
  if (nowMs >= expiresAtMs) return fail(failure('download_expired'));
  return ok({ objectKey, filename, expiresAtMs, madeFor: owner === 1 ? 'owner' : 'key' });
};
