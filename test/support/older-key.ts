/** A key as it was made before keys had a prefix of their own, built from the description of the format alone. */
import { createHash } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
};

/** `sk_live_` or `sk_test_`, the account's ULID, 32 secret characters, six for the checksum, most significant first. */
export const olderKey = (
  mode: 'live' | 'test',
  accountId: string,
): { readonly text: string; readonly hash: string } => {
  const body = `sk_${mode}_${accountId.replace('acc_', '')}${'Zb9'.repeat(11).slice(0, 32)}`;
  let [sum, checksum] = [crc32(body), ''];
  for (let i = 0; i < 6; i++) {
    checksum = BASE62[sum % 62] + checksum;
    sum = Math.floor(sum / 62);
  }
  const text = body + checksum;
  return { text, hash: createHash('sha256').update(text).digest('hex') };
};
