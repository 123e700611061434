/**
 * API keys: `packshot_live_` or `packshot_test_`, the account's ULID (26), 32 base-62 secret characters (190 bits), 6 base-62
 * checksum characters. Keys from before begin with `sk_live_` or `sk_test_`, which secret scanners take for Stripe's; they
 * go on as they are. The account part routes straight to its Durable Object. The checksum (CRC-32 of all before it)
 * rejects typing errors and garbage before any storage is read and lets secret scanners recognise a key without asking
 * us.
 */
import { sha256 } from './digest.ts';
import { ID_PREFIX, newId, type RandomBytes } from './ids.ts';

const KEY_PREFIX = { live: 'packshot_live_', test: 'packshot_test_' } as const;
export type KeyMode = keyof typeof KEY_PREFIX;
export type ParsedKey = { readonly mode: KeyMode; readonly accountId: string; readonly text: string };

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const KEY = /^(?:packshot|sk)_(live|test)_([0-7][0-9a-hjkmnp-tv-z]{25})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** CRC-32 (ISO 3309, reflected 0xEDB88320) of ASCII text, as an unsigned 32-bit number. */
const crc32 = (text: string): number => {
  let crc = ~0;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
};

const checksum = (body: string): string => {
  let text = '';
  for (let rest = crc32(body), i = 0; i < CHECKSUM_CHARS; i++, rest = Math.floor(rest / 62))
    text = BASE62[rest % 62] + text;
  return text;
};

/** Bytes ≥ 248 are dropped so that each of the 62 characters is equally likely. */
const randomBase62 = (length: number, random: RandomBytes): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
};

/** The text of a new key. */
export const newApiKey = (mode: KeyMode, accountId: string, random: RandomBytes): string => {
  const body = KEY_PREFIX[mode] + accountId.slice(ID_PREFIX.account.length + 1) + randomBase62(SECRET_CHARS, random);
  return body + checksum(body);
};

/** Undefined unless shape and checksum are right. Reads no storage. */
export const parseApiKey = (text: string): ParsedKey | undefined => {
  const match = KEY.exec(text);
  if (!match) return undefined;
  const body = text.slice(0, -CHECKSUM_CHARS);
  if (checksum(body) !== match[4]) return undefined;
  return { mode: match[1] as KeyMode, accountId: `${ID_PREFIX.account}_${match[2]}`, text };
};

/**
 * What is stored in place of a key: SHA-256, lower-case hex. A key carries 190 random bits, so a plain hash cannot be
 * searched.
 */
export const hashApiKey = (text: string): Promise<string> => sha256(text);

/** What may be shown of a key after its creation, e.g. `packshot_live_…9fQ2`. */
export const maskApiKey = (text: string): string => `${text.slice(0, text.lastIndexOf('_') + 1)}…${text.slice(-4)}`;

/** `secret` is answered once and never stored; the rest is what is kept of it. */
type IssuedSecret = { readonly secret: string; readonly masked: string; readonly hash: string };
export type IssuedKey = IssuedSecret & { readonly keyId: string };

/** A secret for a new key, or in place of an earlier one. */
export const issueSecret = async (mode: KeyMode, accountId: string, random: RandomBytes): Promise<IssuedSecret> => {
  const secret = newApiKey(mode, accountId, random);
  return { secret, masked: maskApiKey(secret), hash: await hashApiKey(secret) };
};

/** Everything that is derived of a new key at its creation. */
export const issueApiKey = async (
  mode: KeyMode,
  accountId: string,
  nowMs: number,
  random: RandomBytes,
): Promise<IssuedKey> => ({
  ...(await issueSecret(mode, accountId, random)),
  keyId: newId('apiKey', nowMs, random),
});
