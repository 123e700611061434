/**
 * Passwords that attackers try first. A list of our own is asked always; where it is configured, a service too, which
 * learns five of the forty digits of the password's SHA-1 and no more (k-anonymity, as Have I Been Pwned does it).
 */
import { fromBase64 } from '../../../shared/base64.ts';
import { hex } from '../../../shared/digest.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { COMMON_PASSWORDS } from './common-passwords.ts';

const PREFIX_DIGITS = 5;
const digest = async (algorithm: 'SHA-1' | 'SHA-256', text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest(algorithm, new TextEncoder().encode(text));

let decoded: DataView | undefined;
const table = (): DataView => (decoded ??= new DataView(fromBase64(COMMON_PASSWORDS).buffer));

const isListed = async (text: string): Promise<boolean> => {
  const hash = new DataView(await digest('SHA-256', text)).getUint32(0);
  const hashes = table();
  let [low, high] = [0, hashes.byteLength / 4 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = hashes.getUint32(middle * 4);
    if (found === hash) return true;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return false;
};

/** Common as it is, or with nothing but digits and signs around a common one. */
const isCommon = async (password: string): Promise<boolean> => {
  const whole = password.normalize('NFKC').toLowerCase();
  const stem = whole.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return (await isListed(whole)) || (stem !== '' && (await isListed(stem)));
};

/** `rangeUrl` ends where the five digits go. A service that does not answer lets the password pass. */
const isKnownTo = async (rangeUrl: string, password: string): Promise<boolean> => {
  const sha1 = hex(new Uint8Array(await digest('SHA-1', password))).toUpperCase();
  try {
    const response = await fetch(`${rangeUrl}${sha1.slice(0, PREFIX_DIGITS)}`, {
      headers: { 'add-padding': 'true' },
      signal: AbortSignal.timeout(edgeLimits.portal.breachedMsMax),
    });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    const lines = (await response.text()).split(/\r?\n/).map((line) => line.split(':'));
    // Padding has a count of 0.
    return lines.some(([suffix, count]) => suffix === sha1.slice(PREFIX_DIGITS) && Number(count) > 0);
  } catch (error) {
    logEvent('warn', 'breached_passwords_not_asked', { error: errorText(error) });
    return false;
  }
};

export const BREACHED = 'This password is among those that attackers try first. Choose another one.';

/** `rangeUrl`: null where no service is configured. */
export const isBreached = async (password: string, rangeUrl: string | null): Promise<boolean> =>
  (await isCommon(password)) || (rangeUrl !== null && (await isKnownTo(rangeUrl, password)));
