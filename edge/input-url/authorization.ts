/**
 * `input_authorization`: the header with which the photos of a private store are fetched. It goes to the one origin that
 * all addresses of a request have, over TLS. From the request on until a photo is fetched it exists sealed only; who
 * keeps it deletes it once no image may be fetched any more.
 */
import { CompactEncrypt, compactDecrypt } from 'jose';
import { type Failure, failure } from '../../shared/errors.ts';
import { type AddressRules, isLocalHost, publicUrl } from '../../shared/public-address.ts';

export type InputAuthorizations = {
  /** Undefined where the addresses may be fetched with one header. */
  checkUrls(urls: readonly string[]): Failure | undefined;
  /** A JWE, direct A256GCM. */
  seal(authorization: string): Promise<string>;
  /** Undefined where both secrets it may be sealed with are gone. */
  open(sealed: string): Promise<string | undefined>;
};

/** The first secret seals, each opens. */
export const inputAuthorizations = (
  secrets: readonly [string, ...string[]],
  rules: AddressRules,
): InputAuthorizations => ({
  checkUrls: (urls) => urlsFailure(urls, rules),
  async seal(authorization) {
    const key = await derived(secrets[0]);
    return new CompactEncrypt(new TextEncoder().encode(authorization))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(key);
  },
  async open(sealed) {
    for (const secret of secrets) {
      const opened = await compactDecrypt(sealed, await derived(secret)).catch(() => undefined);
      if (opened) return new TextDecoder().decode(opened.plaintext);
    }
    return undefined;
  },
});

/** 32 bytes by HKDF (RFC 5869). */
const derived = async (secret: string): Promise<Uint8Array<ArrayBuffer>> => {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits']);
  const info = text.encode('packshot input_authorization seal');
  const given = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
  return new Uint8Array(await crypto.subtle.deriveBits(given, key, 256));
};

/** Over TLS; without it only to loopback, in local mode. */
export const mayCarryAuthorization = (url: URL, rules: AddressRules): boolean =>
  url.protocol === 'https:' || isLocalHost(url, rules);

const urlsFailure = (urls: readonly string[], rules: AddressRules): Failure | undefined => {
  const origins = new Set<string>();
  for (const text of urls) {
    const url = publicUrl(text, rules);
    if (!url.ok) return refused('needs addresses that can be fetched: one of them cannot');
    if (!mayCarryAuthorization(url.value, rules)) return refused('is sent over https only');
    origins.add(url.value.origin);
  }
  return origins.size > 1 ? refused('goes to one scheme, host and port; send one batch for each') : undefined;
};

const refused = (detail: string): Failure =>
  failure('invalid_request', `input_authorization ${detail}`, {
    errors: [{ field: 'input_authorization', code: 'invalid_request', detail }],
  });
