/**
 * While the auth secret is being changed: cookies that the one before signed are signed anew on their way in, so that
 * nobody is signed out. better-auth knows one secret for them. A cookie is "value.base64(HMAC-SHA256)", URL-encoded.
 */
import { base64, fromBase64 } from '../../shared/base64.ts';

const SIGNED = /^(?:__Secure-)?packshot\./;
const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;
const utf8 = new TextEncoder();

const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8.encode(secret), hmac, false, ['sign', 'verify']);

/** The request as it is where nothing in it is signed with `previous`. */
export const withCookiesSignedAnew = async (request: Request, secret: string, previous: string): Promise<Request> => {
  const header = request.headers.get('cookie');
  if (header === null) return request;
  const pairs = header.split(/; */);
  const anew = await Promise.all(pairs.map((pair) => signedAnew(pair, secret, previous)));
  if (anew.every((pair, i) => pair === pairs[i])) return request;
  const headers = new Headers(request.headers);
  headers.set('cookie', anew.join('; '));
  return new Request(request, { headers });
};

const signedAnew = async (pair: string, secret: string, previous: string): Promise<string> => {
  const at = pair.indexOf('=');
  if (at < 0 || !SIGNED.test(pair.slice(0, at))) return pair;
  const text = decoded(pair.slice(at + 1));
  const dot = text.lastIndexOf('.');
  const [value, mac] = [text.slice(0, dot), bytesOf(text.slice(dot + 1))];
  if (dot < 1 || !mac || !(await crypto.subtle.verify(hmac, await keyOf(previous), mac, utf8.encode(value))))
    return pair;
  const anew = await crypto.subtle.sign(hmac, await keyOf(secret), utf8.encode(value));
  return `${pair.slice(0, at)}=${encodeURIComponent(`${value}.${base64(new Uint8Array(anew))}`)}`;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};
const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
};
