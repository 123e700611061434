/**
 * Which addresses the service may fetch for a caller (input and webhook URLs): http(s) on public hosts, nothing else.
 * Pure: no I/O, no clock.
 *
 * `new URL` (WHATWG, "host parsing") already turns every spelling of an IPv4 address — decimal, octal, hex, short
 * forms, percent-encoded, full-width digits, ideographic dots, a trailing dot — into four decimal numbers, so the form
 * that will be fetched is what is checked here, never the caller's text. Addresses are checked against an allow list
 * (global unicast), names against a deny list; what a name resolves to is for the calling code to check with
 * `isPublicAddress`.
 */
import ipaddr from 'ipaddr.js';
import { type Failure, failure } from './errors.ts';
import { limits } from './limits.ts';
import { fail, ok, type Result } from './result.ts';

export type AddressRules = {
  /** Hosts of the service itself. A leading dot means the host and everything below it. */
  readonly ownHosts: readonly string[];
  /** `host:port` pairs on loopback that are allowed; empty except in local mode. */
  readonly localHosts: readonly string[];
};

/**
 * Names that never lead to a public host: special-use domains (RFC 6761, 6762, 7686, 8375, 9476), ICANN's reserved
 * `.internal`, the suffixes private networks use, and the reverse trees. A name without a dot is refused as well.
 */
const PRIVATE_SUFFIXES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'test',
  'example',
  'invalid',
  'onion',
  'alt',
  'arpa',
] as const;

/**
 * Public by number, but the host agent of a cloud: Azure's wire server. The other clouds' metadata addresses lie in
 * link-local, CGNAT or ULA ranges.
 */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Documentation prefix of RFC 9637. */
const DOCUMENTATION_V6 = ipaddr.IPv6.parseCIDR('3fff::/20');

/**
 * True for a globally routable unicast address, IPv4 in four decimal numbers or IPv6. Every IPv6 form that wraps an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is refused: a public host needs none of them.
 */
export const isPublicAddress = (text: string): boolean => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return ipaddr.IPv4.parse(text).range() === 'unicast' && !METADATA_ADDRESSES.has(text);
  if (!ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST_V6) && !address.match(DOCUMENTATION_V6);
};

/** Host of a parsed URL as an address text, or undefined where it is a name. */
export const addressOfHost = (hostname: string): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) && (hostname.startsWith('[') || ipaddr.IPv4.isValidFourPartDecimal(bare))
    ? bare
    : undefined;
};

const isOwnHost = (host: string, rules: AddressRules): boolean =>
  rules.ownHosts.some((own) => (own.startsWith('.') ? host === own.slice(1) || host.endsWith(own) : host === own));

const isPrivateName = (host: string): boolean =>
  !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));

/**
 * Labels of letters, digits, hyphens and underscores, 63 each, 253 in all (RFC 1035, 2181); `new URL` has already made
 * IDNs ASCII.
 */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_]([a-z0-9_-]{0,62})?)*$/;

/** Ports below 1024 other than the web's belong to other protocols, which must not be reached by HTTP. */
const isWebPort = (port: string): boolean => port === '' || port === '80' || port === '443' || Number(port) >= 1024;

const forbidden = (): Result<never, Failure> => fail(failure('url_forbidden'));
const invalid = (detail: string): Result<never, Failure> => fail(failure('url_invalid', detail));

/** True where the URL is one of the listed loopback hosts of local mode. */
export const isLocalHost = (url: URL, rules: AddressRules): boolean =>
  rules.localHosts.includes(`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`);

/**
 * The URL that may be fetched: normalised, without fragment, host without its trailing dot. Fails with `url_invalid`
 * (no http(s) address, or one with credentials) or `url_forbidden` (not public). A name still has to be resolved and
 * every answer checked before it is fetched.
 */
export const publicUrl = (text: string, rules: AddressRules): Result<URL, Failure> => {
  if (text.length > limits.batch.urlCharsMax)
    return invalid(`The address is longer than ${limits.batch.urlCharsMax} characters`);
  if (!URL.canParse(text)) return invalid('The address is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return invalid('The address must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') return invalid('The address must not carry a user name or password');
  url.hash = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (isLocalHost(url, rules)) return ok(url);
  return checkHost(url, rules);
};

const checkHost = (url: URL, rules: AddressRules): Result<URL, Failure> => {
  const address = addressOfHost(url.hostname);
  if (isOwnHost(url.hostname, rules) || !isWebPort(url.port)) return forbidden();
  if (address !== undefined) return isPublicAddress(address) ? ok(url) : forbidden();
  if (!DNS_NAME.test(url.hostname)) return invalid('The host of the address is not a valid name');
  return isPrivateName(url.hostname) ? forbidden() : ok(url);
};

/**
 * `LOCAL_INPUT_HOSTS`: comma-separated `host:port`, loopback only. Fails with the invalid entry, so that the start-up
 * error can name it.
 */
export const parseLocalHosts = (text: string): Result<readonly string[], string> => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  const bad = entries.find((entry) => !/^(localhost|127(\.\d{1,3}){3}|\[::1\]):\d{1,5}$/.test(entry));
  return bad === undefined ? ok(entries) : fail(bad);
};
