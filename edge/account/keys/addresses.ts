/** Address ranges of a key's allow-list. Pure. */
import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Of IPv4 in four decimal numbers, with no leading zeros, which some read as octal; without zones. */
const WRITTEN = /^(?:(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}|[0-9a-f:]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;
/** An IPv4 address within IPv6 begins with so many fixed bits. */
const MAPPED_BITS = 96;

const rangeOf = (text: string): Range | undefined => {
  if (!WRITTEN.test(text)) return undefined;
  try {
    const [base, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), -1];
    const length = bits < 0 ? base.toByteArray().length * 8 : bits;
    if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress())
      return length < MAPPED_BITS ? undefined : [base.toIPv4Address(), length - MAPPED_BITS];
    return [base, length];
  } catch {
    return undefined;
  }
};

/** The range as it is kept: its first address and its length, e.g. `203.0.113.0/24`. Undefined where it is none. */
export const normalRange = (text: string): string | undefined => {
  const range = rangeOf(text);
  if (!range) return undefined;
  const [base, length] = range;
  const written = `${base}/${length}`;
  const first =
    base.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(written) : ipaddr.IPv6.networkAddressFromCIDR(written);
  return `${first}/${length}`;
};

/** Every address of `inner` is in `outer`. */
const holds = (outer: string, inner: Range): boolean => {
  const range = rangeOf(outer);
  if (!range || range[0].kind() !== inner[0].kind() || range[1] > inner[1]) return false;
  return inner[0].match(range[0] as ipaddr.IPv4 & ipaddr.IPv6, range[1]);
};

/** `inner`, an address or a range, lies in one of `ranges`. What cannot be read lies in none. */
export const isWithin = (ranges: readonly string[], inner: string): boolean => {
  const range = rangeOf(inner);
  return range !== undefined && ranges.some((outer) => holds(outer, range));
};
