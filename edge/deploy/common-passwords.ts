/**
 * Makes edge/portal/access/common-passwords.ts: node edge/deploy/common-passwords.ts LIST.json, where LIST.json is an
 * array of passwords, the most common first. The committed one was made of package/src/passwords.json of the npm
 * package @zxcvbn-ts/language-common 4.1.3 (MIT; 49,233 passwords of public leaks). Only hashes are kept.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../shared/limits.ts';

/** Shorter ones cannot be chosen, but are the stem of what is: `dragon` of `dragon123!`. */
const STEMS_MAX = 10_000;
const STEM_CHARS_MIN = 4;

const list = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as string[];
const lower = list.map((password) => password.toLowerCase());
const whole = lower.filter(({ length }) => length >= limits.portal.passwordCharsMin);
const stems = lower.filter(({ length }) => length < limits.portal.passwordCharsMin && length >= STEM_CHARS_MIN);
const kept = [...new Set([...whole, ...stems.slice(0, STEMS_MAX)])];
const hashes = new Uint32Array(
  kept.map((password) => createHash('sha256').update(password).digest().readUInt32BE(0)),
).sort();
const bytes = Buffer.alloc(hashes.length * 4);
for (const [i, hash] of hashes.entries()) bytes.writeUInt32BE(hash, i * 4);
writeFileSync(
  join(import.meta.dirname, '../portal/access/common-passwords.ts'),
  `/**
 * Made by edge/deploy/common-passwords.ts, which names the source: the first four bytes of the SHA-256 of ${kept.length} common
 * passwords, big-endian, sorted, as base64 (${Math.ceil(bytes.length / 1024)} KiB before). Another password is taken for one of them once in
 * ${Math.round(2 ** 32 / kept.length).toLocaleString('en-US')}.
 */
export const COMMON_PASSWORDS =
  '${bytes.toString('base64')}';
`,
);
